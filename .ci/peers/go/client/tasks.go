package main

import (
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
)

// send gets an answer, with all that a rich agent adds to it, and looks the task up.
func (u *user) send() {
	task := u.ask(texts("echo good day"), "a text")
	check(task.Status.State, a2a.TaskStateCompleted, "the state after echo")
	check(said(task.Status.Message), "good day", "the answer")
	check(task.Status.Message.Role, a2a.MessageRoleAgent, "who answers")
	check(task.Status.Message.TaskID, task.ID, "the task of the answer")
	if u.rich {
		check(len(task.Artifacts), 2, "the number of artifacts")
		check(textIn(task.Artifacts[0].Parts), "good day", "the first artifact")
		attached := task.Artifacts[1].Parts
		byValue, _ := attached[0].(a2a.FilePart)
		file, _ := byValue.File.(a2a.FileBytes)
		if u.by.Transport == a2a.TransportProtocolGRPC { // of which the SDK shows the bytes themselves
			check(file.Bytes, "good day", "the file by value")
		} else {
			check(file.Bytes, "Z29vZCBkYXk=", "the file by value")
		}
		byReference, _ := attached[1].(a2a.FilePart)
		check(byReference.File, a2a.FilePartContent(a2a.FileURI{FileMeta: a2a.FileMeta{MimeType: "image/png", Name: "answer.png"},
			URI: "https://files.example.com/answer.png"}), "the file by reference")
		data, _ := attached[2].(a2a.DataPart)
		list, _ := data.Data["list"].([]any)
		check(list[0], any("answer"), "the data")
		u.recent(task.Status.Timestamp)
	}
	did("send: %s, %q", task.Status.State, said(task.Status.Message))

	two := 2
	got, err := u.GetTask(u, &a2a.TaskQueryParams{ID: task.ID, HistoryLength: &two})
	must(err, "looking the task up")
	check(got.ID, task.ID, "the id of the task that was looked up")
	check(got.ContextID, task.ContextID, "its context")
	check(got.Status.State, a2a.TaskStateCompleted, "its state")
	check(len(got.History), 2, "the length of its history")
	check(said(got.History[0]), "echo good day", "the first message of its history")
	check(got.History[0].Role, a2a.MessageRoleUser, "who sent it")
	did("get: %s, %d messages", got.Status.State, len(got.History))

	for _, end := range []struct {
		words string
		state a2a.TaskState
	}{{"fail", a2a.TaskStateFailed}, {"reject", a2a.TaskStateRejected}, {"needauth", a2a.TaskStateAuthRequired}} {
		task := u.ask(texts(end.words), end.words)
		check(task.Status.State, end.state, "the state after "+end.words)
		did("send: %s, %q", task.Status.State, said(task.Status.Message))
	}
}

// recent demands a time of the last minute.
func (u *user) recent(at *time.Time) {
	if at == nil || time.Since(*at).Abs() > time.Minute {
		fail("the status is of %v", at)
	}
}

// talk gets a message in place of a task.
func (u *user) talk() {
	m := texts("hello")
	m.ContextID = "small talk"
	result, err := u.SendMessage(u, &a2a.MessageSendParams{Message: m})
	must(err, "sending hello")
	answer, ok := result.(*a2a.Message)
	if !ok {
		fail("hello is answered with a %T, not a message", result)
	}
	check(answer.ContextID, "small talk", "the context of the answer")
	check(answer.TaskID, "", "the task of the answer")
	did("message: %q", said(answer))
}

// answerQuestions keeps a task going that asks three times.
func (u *user) answerQuestions() {
	task := u.ask(texts("ask 3"), "ask 3")
	var asked []string
	for task.Status.State == a2a.TaskStateInputRequired {
		if slices.Contains(asked, task.Status.Message.ID) {
			fail("two questions have the id %s", task.Status.Message.ID)
		}
		asked = append(asked, task.Status.Message.ID)
		next := u.ask(a2a.NewMessageForTask(a2a.MessageRoleUser, task, a2a.TextPart{Text: "blue"}), "an answer")
		check(next.ID, task.ID, "the task that was answered")
		check(next.ContextID, task.ContextID, "its context")
		task = next
	}
	check(len(asked), 3, "the number of questions")
	check(task.Status.State, a2a.TaskStateCompleted, "the state after the last answer")
	did("questions: %d, then %s, %q", len(asked), task.Status.State, said(task.Status.Message))
}

// cancel ends a task that works for a minute.
func (u *user) cancel() {
	task := u.begin("slow 60", nil)
	canceled, err := u.CancelTask(u, &a2a.TaskIDParams{ID: task.ID})
	must(err, "canceling")
	check(canceled.ID, task.ID, "the canceled task")
	check(canceled.Status.State, a2a.TaskStateCanceled, "its state")
	got, err := u.GetTask(u, &a2a.TaskQueryParams{ID: task.ID})
	must(err, "looking the canceled task up")
	check(got.Status.State, a2a.TaskStateCanceled, "its state")
	did("cancel: %s", got.Status.State)
}
