// Command client uses a server as programs on the Go SDK do: it does one thing
// after the other, looks at what comes back, and prints a line for each. At the
// first thing that is not as it should be it says so and exits with 1.
//
// usage: client URL VARIANT BINDING, of the bundled server.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// user is somebody who uses the server.
type user struct {
	context.Context
	*a2aclient.Client
	card   *a2a.AgentCard
	by     a2a.AgentInterface // the interface that is called
	shows  bool               // it shows a task that has ended to whoever resubscribes
	lavish bool               // the server takes every freedom that the protocol leaves it
	rich   bool               // it sends what is optional
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
	if u.card.Capabilities.Streaming {
		u.stream()
		u.streamChunks()
		u.broken()
		u.resubscribe()
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
func (u *user) readCard(url string, binding a2a.TransportProtocol) {
	card, err := agentcard.DefaultResolver.Resolve(u, url)
	must(err, "reading the card")
	check(card.Name, "Reference Agent", "the agent's name")
	check(card.ProtocolVersion, "0.3.0", "the card's protocol version")
	check(card.URL, url+"/", "the card's URL")
	check(card.PreferredTransport, a2a.TransportProtocolJSONRPC, "the preferred transport")
	check(card.Skills[0].ID, "echo", "the first skill")
	if u.rich {
		check(card.Provider.Org, "a2a-conform", "the provider")
		check(len(card.AdditionalInterfaces), 4, "the number of interfaces")
		check(card.Capabilities.Extensions[0].URI, "https://conform.example.com/ext/trace/v1", "the first extension")
	}
	if u.lavish {
		check(len(card.SecuritySchemes), 5, "the number of security schemes")
		key, _ := card.SecuritySchemes["key"].(a2a.APIKeySecurityScheme)
		check(key.Name, "X-Key", "the API key's header")
		check(len(card.Signatures), 1, "the number of signatures")
	}
	i := slices.IndexFunc(card.AdditionalInterfaces, func(i a2a.AgentInterface) bool { return i.Transport == binding })
	if i < 0 {
		fail("the card has no interface for %s", binding)
	}
	u.card, u.by = card, card.AdditionalInterfaces[i]
	u.shows = u.lavish || binding == a2a.TransportProtocolGRPC // as the definition of the service has it
	u.Client, err = a2aclient.NewFromCard(u, card, a2aclient.WithJSONRPCTransport(&http.Client{}), a2aclient.WithGRPCTransport(withoutTLS),
		a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{binding}}))
	must(err, "making a client from the card")
	did("card: %s of protocol %s, streaming %v, push notifications %v", card.Name, card.ProtocolVersion, card.Capabilities.Streaming, card.Capabilities.PushNotifications)
}

// withoutTLS is how gRPC is spoken with a server on this machine.
var withoutTLS = grpc.WithTransportCredentials(insecure.NewCredentials())

// transport makes calls as they come, which the client itself does not.
func (u *user) transport() a2aclient.Transport {
	if u.by.Transport != a2a.TransportProtocolGRPC {
		return a2aclient.NewJSONRPCTransport(u.by.URL, nil)
	}
	conn, err := grpc.NewClient(u.by.URL, withoutTLS)
	must(err, "making a connection of gRPC")
	return a2aclient.NewGRPCTransport(conn)
}

// texts makes a message of the user.
func texts(words string) *a2a.Message {
	return a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: words})
}

// begin sends a message that makes a task, and does not wait for its end.
func (u *user) begin(words string, push *a2a.PushConfig) *a2a.Task {
	result, err := u.SendMessage(u, &a2a.MessageSendParams{Message: texts(words), Config: &a2a.MessageSendConfig{Blocking: new(bool), PushConfig: push}})
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
	result, err := u.SendMessage(u, &a2a.MessageSendParams{Message: m})
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
	return textIn(m.Parts)
}

// textIn is the text of the first part.
func textIn(parts a2a.ContentParts) string {
	text, _ := parts[0].(a2a.TextPart)
	return text.Text
}
