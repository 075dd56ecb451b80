// Package agent is a small agent for A2A 1.0 on the Go SDK (github.com/a2aproject/a2a-go/v2): it
// answers every message at once with a message that repeats the text.
package agent

import (
	"context"
	"iter"
	"log/slog"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// NewHandler serves the card of an agent at url, and its calls at url/a2a.
func NewHandler(url string) http.Handler {
	card := &a2a.AgentCard{
		Name:                "Echo",
		Description:         "Repeats a text",
		Version:             "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{a2a.NewAgentInterface(url+"/a2a", a2a.TransportProtocolJSONRPC)},
		DefaultInputModes:   []string{"text/plain"},
		DefaultOutputModes:  []string{"text/plain"},
		Skills:              []a2a.AgentSkill{{ID: "echo", Name: "Echo", Description: "Repeats a text", Tags: []string{"text"}}},
	}
	handler := a2asrv.NewHandler(echo{},
		a2asrv.WithCapabilityChecks(&card.Capabilities),
		a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/a2a", a2asrv.NewJSONRPCHandler(handler))
	return mux
}

// echo is what the SDK calls for each message.
type echo struct{}

// Execute yields one message, and no task.
func (echo) Execute(_ context.Context, req *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text := "You said: "
		for _, part := range req.Message.Parts {
			text += part.Text()
		}
		answer := a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(text))
		answer.ContextID = req.ContextID
		yield(answer, nil)
	}
}

// Cancel is never called, since there are no tasks.
func (echo) Cancel(_ context.Context, req *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(req, a2a.TaskStateCanceled, nil), nil)
	}
}
