// Command chat sends one message to an agent, or two of one conversation, and prints the events of the
// answers. It exits with 1 if there is an error. Usage: chat URL TEXT [SECOND]
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
)

func main() {
	ctx := context.Background()
	card := must(agentcard.DefaultResolver.Resolve(ctx, os.Args[1]))
	client := must(a2aclient.NewFromCard(ctx, card))
	var last a2a.TaskInfo // what the next message has to name
	for i := 2; i < len(os.Args) && os.Args[i] != ""; i++ {
		message := a2a.NewMessageForTask(a2a.MessageRoleUser, last, a2a.TextPart{Text: os.Args[i]})
		for event, err := range client.SendStreamingMessage(ctx, &a2a.MessageSendParams{Message: message}) {
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
