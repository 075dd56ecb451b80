// Command go10 is a small agent of protocol 1.0 on the Go SDK, written as the
// SDK's documentation shows: an executor that yields events, the SDK's memory
// stores, its push notifications, and its handlers for JSON-RPC, HTTP+JSON and gRPC,
// the last at an address of its own. It prints its URL once it listens.
//
// usage: go10 [--older | --interceptor | --signed]
//
// Calls need one of two tokens. A handler in front of the SDK checks them; with
// --interceptor a call interceptor of the SDK does, so that the SDK itself writes the
// refusals. With --older the agent serves protocol 0.3 in its place, by the SDK's handlers
// for clients of that, and anybody may call. With --signed the card carries a signature, whose key is at /keys.
package main

import (
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"google.golang.org/grpc"
)

func main() {
	mode := strings.Join(os.Args[1:], " ")
	if mode == "--older" {
		older()
		return
	}
	guardHTTP, guardGRPC, interceptor := guarded, guardedGRPC, a2asrv.CallInterceptor(known{})
	if mode == "--interceptor" {
		guardHTTP, guardGRPC, interceptor = passHTTP, grpc.NewServer, refuseUnknown{}
	}
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
		Name:        "Clerk",
		Description: "Repeats, counts, books tables and writes reports.",
		Version:     "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface(url+"/a2a", a2a.TransportProtocolJSONRPC),
			a2a.NewAgentInterface(url+"/rest", a2a.TransportProtocolHTTPJSON),
			a2a.NewAgentInterface(alone.Addr().String(), a2a.TransportProtocolGRPC),
		},
		Capabilities:         a2a.AgentCapabilities{Streaming: true, PushNotifications: true, ExtendedAgentCard: true},
		DefaultInputModes:    []string{"text/plain"},
		DefaultOutputModes:   []string{"text/plain", "application/json"},
		SecuritySchemes:      a2a.NamedSecuritySchemes{"token": a2a.HTTPAuthSecurityScheme{Scheme: "Bearer"}},
		SecurityRequirements: a2a.SecurityRequirementsOptions{{"token": {}}},
		Skills: []a2a.AgentSkill{{ID: "clerk", Name: "Office work", Description: "Small jobs in an office.", Tags: []string{"office"},
			Examples: []string{"write a report", "book a table", "count slowly", "divide by zero", "list the stock"}}},
	}
	extended := *card
	extended.Skills = append([]a2a.AgentSkill{}, card.Skills...)
	extended.Skills = append(extended.Skills, a2a.AgentSkill{ID: "safe", Name: "The safe", Description: "Opens the safe, for those who are known.", Tags: []string{"office"}})

	// The clients of a test listen on this machine, which the sender refuses otherwise.
	sender := push.NewHTTPPushSender(&push.HTTPSenderConfig{AllowPrivateNetworks: true})
	handler := a2asrv.NewHandler(clerk{},
		a2asrv.WithCapabilityChecks(&card.Capabilities),
		a2asrv.WithPushNotifications(push.NewInMemoryStore(), sender),
		a2asrv.WithExtendedAgentCard(&extended),
		a2asrv.WithCallInterceptors(interceptor),
		a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	if mode == "--signed" {
		keys, err := sign(card, url+"/keys")
		if err != nil {
			log.Fatal(err)
		}
		mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) { w.Write(keys) })
	}
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/a2a", guardHTTP(a2asrv.NewJSONRPCHandler(handler)))
	mux.Handle("/rest/", guardHTTP(http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler))))
	server := guardGRPC()
	a2agrpc.NewHandler(handler).RegisterWith(server)
	go func() { log.Fatal(server.Serve(alone)) }()
	fmt.Println(url)
	log.Fatal(http.Serve(listener, mux))
}
