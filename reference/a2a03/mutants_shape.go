package a2a03

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Looking makes a mutant that edits the tasks tasks/get returns for one script.
func Looking(name, summary, script string, edit func(task any)) front.Mutant {
	return front.Mutant{Name: name, Summary: summary, Reply: OnTask("tasks/get", script, func(x *front.Reply) { edit(front.At(x.Body, "result")) })}
}

// The parts of the second artifact of an echo: a file by value, one by
// reference, and data.
const (
	inlineFile = "artifacts/1/parts/0"
	linkedFile = "artifacts/1/parts/1"
	someData   = "artifacts/1/parts/2"
)

// ContentMutants spoil the shape of messages and parts.
var ContentMutants = map[string]front.Mutant{
	"message-ids-equal": Looking("message-ids-equal", "The agent's message in a task has the messageId of the client's.", "echo", func(t any) {
		front.Replace(t, "status/message/messageId", front.Text(t, "history/0/messageId"))
	}),
	"part-file-flat": Looking("part-file-flat", "A file has its members beside its kind.", "echo", func(t any) {
		for name, value := range front.Object(t, inlineFile+"/file") {
			front.Put(t, inlineFile+"/"+name, value)
		}
		front.Drop(t, inlineFile+"/file")
	}),
	"part-data-encoded": Looking("part-data-encoded", "The data of a part are a string of JSON.", "echo", func(t any) {
		front.Put(t, someData+"/data", string(front.Encode(front.At(t, someData+"/data"))))
	}),
}
