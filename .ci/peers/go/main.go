// Command go is a small agent on the Go SDK, written as the SDK's
// documentation shows: an executor that writes events to a queue, the SDK's
// memory store, its push notifications, and its handlers for JSON-RPC and gRPC, the
// second at an address of its own. It prints its URL once it listens.
package main

import (
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2agrpc"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/push"
	"google.golang.org/grpc"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	alone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	card := &a2a.AgentCard{
		Name:               "Clerk",
		Description:        "Repeats, counts, books tables and writes reports.",
		ProtocolVersion:    string(a2a.Version),
		Version:            "1.0.0",
		URL:                url + "/a2a",
		PreferredTransport: a2a.TransportProtocolJSONRPC,
		AdditionalInterfaces: []a2a.AgentInterface{
			{Transport: a2a.TransportProtocolJSONRPC, URL: url + "/a2a"},
			{Transport: a2a.TransportProtocolGRPC, URL: alone.Addr().String()},
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true, PushNotifications: true},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "clerk", Name: "Office work", Description: "Small jobs in an office.", Tags: []string{"office"},
			Examples: []string{"write a report", "book a table", "count slowly", "divide by zero"}}},
	}
	handler := a2asrv.NewHandler(clerk{},
		a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(nil)),
		a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/a2a", a2asrv.NewJSONRPCHandler(handler))
	server := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(server)
	go func() { log.Fatal(server.Serve(alone)) }()
	fmt.Println(url)
	log.Fatal(http.Serve(listener, mux))
}
