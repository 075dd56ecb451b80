// Command greeter is the simplest agent of protocol 1.0 on the Go SDK: it answers
// every message with a message, which names no task and no context, and makes no
// tasks. It prints its URL once it listens.
package main

import (
	"context"
	"fmt"
	"iter"
	"log"
	"log/slog"
	"net"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// greeter is the agent.
type greeter struct{}

// Execute answers with a message.
func (greeter) Execute(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("Good day.")), nil)
	}
}

// Cancel has nothing to cancel.
func (greeter) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(nil, a2a.ErrTaskNotCancelable)
	}
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	card := &a2a.AgentCard{
		Name:                "Greeter",
		Description:         "Greets whoever writes.",
		Version:             "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{a2a.NewAgentInterface(url+"/a2a", a2a.TransportProtocolJSONRPC)},
		Capabilities:        a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes:   []string{"text/plain"},
		DefaultOutputModes:  []string{"text/plain"},
		Skills:              []a2a.AgentSkill{{ID: "greet", Name: "Greeting", Description: "Says good day.", Tags: []string{"talk"}}},
	}
	handler := a2asrv.NewHandler(greeter{}, a2asrv.WithCapabilityChecks(&card.Capabilities), a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/a2a", a2asrv.NewJSONRPCHandler(handler))
	fmt.Println(url)
	log.Fatal(http.Serve(listener, mux))
}
