package operator

import "fmt"

// behaviours are the things that an agent may do when it is asked to, as a phrase that
// follows "that makes the agent".
var behaviours = map[string]string{
	"slow": "work for a while", "ask": "ask a question", "fail": "fail", "chunks": "send an artifact in pieces", "data": "answer with data",
	"crash": "crash", "message": "answer with a message and without a task", "needauth": "ask for authorization", "remember": "remember something",
	"recall": "recall what it was told", "forbidden": "refuse a client that has too few rights", "pay": "ask for a payment", "task": "make a task",
}

// NoStimulus states that no message is configured for a behaviour.
func NoStimulus(name string) string {
	if name == "quick" {
		return "no harmless message is configured: stimuli: {quick: {text: …}}"
	}
	if does := behaviours[name]; does != "" {
		return "no message is configured that makes the agent " + does
	}
	return fmt.Sprintf("no message is configured for %q", name)
}
