// Command chat sends one message to an agent, or two of one conversation, and prints
// what the agent answers: the simplest program on the SDK. An error makes it exit with 1.
//
// usage: chat URL TEXT [SECOND]
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
)

func main() {
	ctx := context.Background()
	card, err := agentcard.DefaultResolver.Resolve(ctx, os.Args[1])
	exitOn(err)
	client, err := a2aclient.NewFromCard(ctx, card)
	exitOn(err)
	var last a2a.TaskInfo // what the next message has to name
	for _, text := range os.Args[2:] {
		if text == "" {
			break
		}
		message := a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: text})
		message.TaskID, message.ContextID = last.TaskID, last.ContextID
		for event, err := range client.SendStreamingMessage(ctx, &a2a.MessageSendParams{Message: message}) {
			exitOn(err)
			shown, err := json.Marshal(event)
			exitOn(err)
			fmt.Println(string(shown))
			last = event.TaskInfo()
			if !waits(event) {
				last.TaskID = ""
			}
		}
	}
}

// waits reports whether the task of an event asks for more input.
func waits(event a2a.Event) bool {
	switch e := event.(type) {
	case *a2a.Task:
		return e.Status.State == a2a.TaskStateInputRequired
	case *a2a.TaskStatusUpdateEvent:
		return e.Status.State == a2a.TaskStateInputRequired
	}
	return false
}

// exitOn ends the program if there is an error.
func exitOn(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
