package a2a10

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// looking makes a mutant that edits the tasks that GetTask returns for an echo.
func looking(name, summary, path string, value any) front.Mutant {
	return front.Mutant{Name: name, Summary: summary, Reply: func(x *front.Reply) {
		if x.Looks() && x.Script() == "echo" {
			front.Put(front.At(x.Body, "result"), path, value)
		}
	}}
}

// further adds an interface to the card that is for others to speak.
func further(url, version string) func(*front.Reply) {
	return adds("supportedInterfaces", map[string]any{"url": url, "protocolBinding": pigeon, "protocolVersion": version})
}

// shapeMutants are about single members of what travels and of the card, beyond their
// mere shape. The second artifact of an echo has a file by value and one by reference.
var shapeMutants = []front.Mutant{
	looking("message-of-other-context", "The message of a status names another context.", "status/message/contextId", "another-context"),
	{Name: "answer-in-other-context", Area: "message", Summary: "Where a task goes on, the message of its status names another context.",
		Reply: onTask(func(x *front.Reply, t map[string]any) {
			if front.Has(x.Request, "params/message/taskId") && front.Has(t, "status/message") {
				front.Put(t, "status/message/contextId", "another-context")
			}
		})},
	looking("part-raw-hex", "The bytes of a file are hexadecimal.", "artifacts/1/parts/0/raw", "68:65:6c:6c:6f"),
	looking("part-url-local", "The url of a file is a path on the server.", "artifacts/1/parts/1/url", "/var/spool/answer 1.png"),
	looking("part-mime-type-told", "A part has its media type under the name of 0.3 too.", "artifacts/1/parts/0/mimeType", "text/plain"),
	{Name: "update-kind-told", Area: "stream", Summary: "A status update says by a member kind what it is.",
		Event: func(f *front.Frame) {
			if front.Has(f.Body, "result/statusUpdate") {
				front.Put(f.Body, "result/statusUpdate/kind", "status-update")
			}
		}},
	{Name: "card-input-modes-phrase", Area: "card", Summary: "The default input modes hold a phrase that is no media type.",
		Reply: adds("defaultInputModes", "plain text please")},
	{Name: "card-version-in-words", Area: "card", Summary: "A further interface has a version in words.", Reply: further("https://agents.example.com/a2a", "the latest")},
	{Name: "card-interface-plain", Area: "card", Summary: "A further interface is reached without TLS.", Reply: further("http://agents.example.com/a2a", "1.0")},
}
