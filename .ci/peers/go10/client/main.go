// Command client uses a server of protocol 1.0 as programs on the Go SDK do: it
// does one thing after the other, looks at what comes back, and prints a line for
// each. At the first thing that is not as it should be it says so and exits with 1.
//
// usage: client URL VARIANT BINDING, of the bundled server.
package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// user is somebody who uses the server.
type user struct {
	context.Context
	*a2aclient.Client
	card   *a2a.AgentCard
	by     *a2a.AgentInterface // the interface that is called
	lavish bool                // the server takes every freedom that the protocol leaves it
	rich   bool                // it sends what is optional
}

func main() {
	if len(os.Args) != 4 {
		fail("usage: client URL VARIANT BINDING")
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	u := user{Context: ctx, lavish: os.Args[2] == "lavish", rich: os.Args[2] != "minimal"}
	u.readCard(os.Args[1], a2a.TransportProtocol(os.Args[3]))
	u.send()
	u.talk()
	u.answerQuestions()
	u.cancel()
	u.list()
	if u.card.Capabilities.Streaming {
		u.stream()
		u.streamChunks()
		u.broken()
		u.subscribe()
	} else {
		u.streamWithout()
	}
	if u.card.Capabilities.PushNotifications {
		u.push()
		u.configure()
	}
	u.mistakes()
	if u.card.Capabilities.Streaming {
		u.streamMistakes()
	}
}

// fail ends the program with a sentence.
func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// did prints the line of a thing that went well.
func did(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// must ends the program unless what was done went well.
func must(err error, doing string) {
	if err != nil {
		fail("%s: %v", doing, err)
	}
}

// check ends the program unless got is as wanted.
func check[T comparable](got, want T, what string) {
	if got != want {
		fail("%s is %v, not %v", what, got, want)
	}
}

// readCard finds the agent and chooses how to talk to it.
func (u *user) readCard(home string, binding a2a.TransportProtocol) {
	card, err := agentcard.DefaultResolver.Resolve(u, home)
	must(err, "reading the card")
	check(card.Name, "Reference Agent", "the agent's name")
	first := card.SupportedInterfaces[0]
	check(first.ProtocolVersion, a2a.Version, "the version of the first interface")
	check(first.ProtocolBinding, a2a.TransportProtocolJSONRPC, "the binding of the first interface")
	check(first.URL, home+"/", "the URL of the first interface")
	check(card.Skills[0].ID, "echo", "the first skill")
	if u.rich {
		check(card.Provider.Org, "a2a-conform", "the provider")
		check(card.Capabilities.Extensions[0].URI, "https://conform.example.com/ext/trace/v1", "the first extension")
	}
	if u.lavish {
		check(len(card.SecuritySchemes), 7, "the number of security schemes")
		key, _ := card.SecuritySchemes["key"].(a2a.APIKeySecurityScheme)
		check(key.Name, "X-Key", "the API key's header")
	}
	i := slices.IndexFunc(card.SupportedInterfaces, func(i *a2a.AgentInterface) bool { return i.ProtocolBinding == binding })
	if i < 0 {
		fail("the card has no interface for %s", binding)
	}
	u.card, u.by = card, card.SupportedInterfaces[i]
	u.Client, err = a2aclient.NewFromCard(u, card, a2agrpc.WithGRPCTransport(withoutTLS),
		a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{binding}}))
	must(err, "making a client from the card")
	did("card: %s of protocol %s, streaming %v, push notifications %v", card.Name, first.ProtocolVersion, card.Capabilities.Streaming, card.Capabilities.PushNotifications)
}

// withoutTLS is how gRPC is spoken with a server on this machine.
var withoutTLS = grpc.WithTransportCredentials(insecure.NewCredentials())

// transport makes calls as they come, which the client itself does not.
func (u *user) transport() a2aclient.Transport {
	switch u.by.ProtocolBinding {
	case a2a.TransportProtocolGRPC:
		conn, err := grpc.NewClient(u.by.URL, withoutTLS)
		must(err, "making a connection of gRPC")
		return a2agrpc.NewGRPCTransport(conn)
	case a2a.TransportProtocolHTTPJSON:
		place, err := url.Parse(u.by.URL)
		must(err, "reading the URL on the card")
		return a2aclient.NewRESTTransport(place, nil)
	}
	return a2aclient.NewJSONRPCTransport(u.by.URL, nil)
}

// texts makes a message of the user.
func texts(words string) *a2a.Message {
	return a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(words))
}

// begin sends a message that makes a task, and does not wait for its end.
func (u *user) begin(words string, push *a2a.PushConfig) *a2a.Task {
	result, err := u.SendMessage(u, &a2a.SendMessageRequest{Message: texts(words), Config: &a2a.SendMessageConfig{ReturnImmediately: true, PushConfig: push}})
	must(err, "beginning "+words)
	task, ok := result.(*a2a.Task)
	if !ok {
		fail("%s is answered with a %T, not a task", words, result)
	}
	if task.Status.State.Terminal() {
		fail("%s was to be begun, and is %s", words, task.Status.State)
	}
	return task
}

// ask sends a message, waits for what comes of it, and demands a task.
func (u *user) ask(m *a2a.Message, words string) *a2a.Task {
	result, err := u.SendMessage(u, &a2a.SendMessageRequest{Message: m})
	must(err, "sending "+words)
	task, ok := result.(*a2a.Task)
	if !ok {
		fail("%s is answered with a %T, not a task", words, result)
	}
	return task
}

// said returns the first text of a message.
func said(m *a2a.Message) string {
	if m == nil || len(m.Parts) == 0 {
		return ""
	}
	return m.Parts[0].Text()
}

// textIn joins the texts of parts.
func textIn(parts a2a.ContentParts) string {
	all := ""
	for _, part := range parts {
		all += part.Text()
	}
	return all
}
