// Command greeter is the simplest agent on the Go SDK: it answers every message
// with a message, which names no task and no context, and makes no tasks. It
// prints its URL once it listens.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
)

// greeter is the agent.
type greeter struct{}

// Execute answers with a message.
func (greeter) Execute(ctx context.Context, _ *a2asrv.RequestContext, q eventqueue.Queue) error {
	return q.Write(ctx, a2a.NewMessage(a2a.MessageRoleAgent, a2a.TextPart{Text: "Good day."}))
}

// Cancel has nothing to cancel.
func (greeter) Cancel(context.Context, *a2asrv.RequestContext, eventqueue.Queue) error {
	return a2a.ErrTaskNotCancelable
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	card := &a2a.AgentCard{
		Name:               "Greeter",
		Description:        "Greets whoever writes.",
		ProtocolVersion:    string(a2a.Version),
		Version:            "1.0.0",
		URL:                url + "/a2a",
		PreferredTransport: a2a.TransportProtocolJSONRPC,
		Capabilities:       a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills:             []a2a.AgentSkill{{ID: "greet", Name: "Greeting", Description: "Says good day.", Tags: []string{"talk"}}},
	}
	handler := a2asrv.NewHandler(greeter{}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/a2a", a2asrv.NewJSONRPCHandler(handler))
	fmt.Println(url)
	log.Fatal(http.Serve(listener, mux))
}
