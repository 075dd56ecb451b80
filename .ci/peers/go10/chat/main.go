// Command chat sends one message to an agent, or two of one conversation, and prints the events of the
// answers. It exits with 1 if there is an error. Usage: chat URL TEXT [SECOND], with the token of the agent, if
// it asks for one, in CHAT_TOKEN.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
)

// session is the one to which the token belongs.
const session a2aclient.SessionID = "chat"

func main() {
	ctx := context.Background()
	card := must(agentcard.DefaultResolver.Resolve(ctx, os.Args[1]))
	var options []a2aclient.FactoryOption
	if token := os.Getenv("CHAT_TOKEN"); token != "" {
		store := a2aclient.NewInMemoryCredentialsStore()
		for name := range card.SecuritySchemes {
			store.Set(session, name, a2aclient.AuthCredential(token))
		}
		ctx = a2aclient.AttachSessionID(ctx, session)
		options = append(options, a2aclient.WithCallInterceptors(&a2aclient.AuthInterceptor{Service: store}))
	}
	client := must(a2aclient.NewFromCard(ctx, card, options...))
	var last a2a.TaskInfo // what the next message has to name
	for i := 2; i < len(os.Args) && os.Args[i] != ""; i++ {
		message := a2a.NewMessageForTask(a2a.MessageRoleUser, last, a2a.NewTextPart(os.Args[i]))
		for event, err := range client.SendStreamingMessage(ctx, &a2a.SendMessageRequest{Message: message}) {
			json.NewEncoder(os.Stdout).Encode(must(event, err))
			task, isTask := event.(*a2a.Task)
			update, isUpdate := event.(*a2a.TaskStatusUpdateEvent)
			asks := isTask && task.Status.State == a2a.TaskStateInputRequired || isUpdate && update.Status.State == a2a.TaskStateInputRequired
			if last = event.TaskInfo(); !asks { // nothing more is sent to that task
				last.TaskID = ""
			}
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
