package main

import (
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
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
		check(string(attached[0].Raw()), "good day", "the file by value")
		check(attached[1].URL(), "https://files.example.com/answer.png", "the file by reference")
		check(attached[1].MediaType, "image/png", "its type")
		check(attached[1].Filename, "answer.png", "its name")
		list, _ := attached[2].Data().([]any)
		if u.by.ProtocolBinding == a2a.TransportProtocolGRPC {
			check(len(list), 0, "the length of a list that comes by gRPC, of which this SDK reads objects alone")
		} else {
			check(list[0], any("answer"), "the data")
		}
		u.recent(task.Status.Timestamp)
	}
	did("send: %s, %q", task.Status.State, said(task.Status.Message))

	two := 2
	got, err := u.GetTask(u, &a2a.GetTaskRequest{ID: task.ID, HistoryLength: &two})
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
	result, err := u.SendMessage(u, &a2a.SendMessageRequest{Message: m})
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
		next := u.ask(a2a.NewMessageForTask(a2a.MessageRoleUser, task, a2a.NewTextPart("blue")), "an answer")
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
	canceled, err := u.CancelTask(u, &a2a.CancelTaskRequest{ID: task.ID})
	must(err, "canceling")
	check(canceled.ID, task.ID, "the canceled task")
	check(canceled.Status.State, a2a.TaskStateCanceled, "its state")
	got, err := u.GetTask(u, &a2a.GetTaskRequest{ID: task.ID})
	must(err, "looking the canceled task up")
	check(got.Status.State, a2a.TaskStateCanceled, "its state")
	did("cancel: %s", got.Status.State)
}

// list finds the tasks of one context, page by page, and those of one state.
func (u *user) list() {
	first := u.ask(texts("echo one"), "a text")
	made := []a2a.TaskID{first.ID}
	for _, words := range []string{"fail", "echo three"} {
		m := texts(words)
		m.ContextID = first.ContextID
		task := u.ask(m, words)
		check(task.ContextID, first.ContextID, "the context of the task")
		made = append(made, task.ID)
	}
	request := a2a.ListTasksRequest{ContextID: first.ContextID, PageSize: 2, IncludeArtifacts: true}
	var pages []int
	var found []*a2a.Task
	for {
		page, err := u.ListTasks(u, &request)
		must(err, "listing tasks")
		check(page.TotalSize, 3, "the number of tasks of the context")
		check(page.PageSize, 2, "the size of a page")
		pages, found = append(pages, len(page.Tasks)), append(found, page.Tasks...)
		if request.PageToken = page.NextPageToken; request.PageToken == "" {
			break
		}
		if len(pages) == 3 {
			fail("3 tasks have more than 3 pages")
		}
	}
	artifacts := 0
	for i, task := range found {
		if !slices.Contains(made, task.ID) {
			fail("the task %s of another context is listed", task.ID)
		}
		artifacts += len(task.Artifacts)
		if at := task.Status.Timestamp; i > 0 && at != nil && at.After(*found[i-1].Status.Timestamp) {
			fail("a newer task comes after an older one")
		}
	}
	if u.rich && artifacts == 0 {
		fail("no artifacts are listed")
	}
	// Of a request without a size this SDK makes one of size 0 by gRPC, which is out of bounds.
	none := 0
	failed, err := u.ListTasks(u, &a2a.ListTasksRequest{ContextID: first.ContextID, Status: a2a.TaskStateFailed, HistoryLength: &none, PageSize: 50})
	must(err, "listing the tasks that failed")
	check(len(failed.Tasks), 1, "the number of tasks that failed")
	check(failed.Tasks[0].ID, made[1], "the task that failed")
	check(len(failed.Tasks[0].History), 0, "the length of its history")
	check(len(failed.Tasks[0].Artifacts), 0, "the number of its artifacts")
	did("list: pages of %v, %d failed", pages, len(failed.Tasks))
}
