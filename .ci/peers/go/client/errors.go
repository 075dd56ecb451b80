package main

import (
	"errors"
	"iter"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
)

// kinds are what the SDK makes of the codes.
var kinds = map[int]error{
	-32001: a2a.ErrTaskNotFound,
	-32002: a2a.ErrTaskNotCancelable,
	-32003: a2a.ErrPushNotificationNotSupported,
	-32004: a2a.ErrUnsupportedOperation,
	-32005: a2a.ErrUnsupportedContentType,
	-32007: a2a.ErrAuthenticatedExtendedCardNotConfigured,
	-32601: a2a.ErrMethodNotFound,
	-32602: a2a.ErrInvalidParams,
}

// overGRPC are the codes that the SDK makes of the gRPC statuses of other errors.
var overGRPC = map[int]int{-32003: -32004, -32004: -32002, -32005: -32602, -32007: -32002, -32601: -32004}

// refused demands that a call is refused with a code. By JSON-RPC the SDK reads no error
// whose data are an array, and nothing of what comes with an HTTP error.
func (u *user) refused(what string, err error, code int) {
	unread := u.lavish
	if u.by.Transport == a2a.TransportProtocolGRPC {
		unread = false
		if other := overGRPC[code]; other != 0 {
			code = other
		}
	}
	switch {
	case err == nil:
		fail("%s is not refused", what)
	case !unread && !errors.Is(err, kinds[code]):
		fail("%s is refused with %q, not as %q", what, err, kinds[code])
	case unread && !strings.Contains(err.Error(), "failed to decode response") && !strings.Contains(err.Error(), "unexpected HTTP status: 400"):
		fail("%s is refused with %q: this SDK was not known to read it", what, err)
	case unread:
		did("refused: %s: not read", what)
	default:
		did("refused: %s: %d", what, code)
	}
}

// mistakes are made with calls.
func (u *user) mistakes() {
	done := u.ask(texts("echo done"), "a text")
	_, err := u.GetTask(u, &a2a.TaskQueryParams{ID: "no such task"})
	u.refused("getting an unknown task", err, -32001)
	_, err = u.CancelTask(u, &a2a.TaskIDParams{ID: "no such task"})
	u.refused("canceling an unknown task", err, -32001)
	_, err = u.CancelTask(u, &a2a.TaskIDParams{ID: done.ID})
	u.refused("canceling a task that has ended", err, -32002)
	_, err = u.SendMessage(u, &a2a.MessageSendParams{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, done, a2a.TextPart{Text: "more"})})
	u.refused("a message to a task that has ended", err, -32004)
	_, err = u.SendMessage(u, &a2a.MessageSendParams{Message: a2a.NewMessage(a2a.MessageRoleUser)})
	u.refused("a message without parts", err, -32602)
	odd := a2a.FilePart{File: a2a.FileBytes{FileMeta: a2a.FileMeta{MimeType: "application/x-odd"}, Bytes: "aGk="}}
	_, err = u.SendMessage(u, &a2a.MessageSendParams{Message: a2a.NewMessage(a2a.MessageRoleUser, odd)})
	u.refused("a file of an unknown type", err, -32005)
	_, err = u.ListTasks(u, &a2a.ListTasksRequest{})
	u.refused("a method that is not there", err, -32601)
	if u.rich {
		_, err = u.transport().GetAgentCard(u)
		u.refused("the extended card", err, -32007)
	}
	if !u.card.Capabilities.PushNotifications {
		_, err = u.SetTaskPushConfig(u, &a2a.TaskPushConfig{TaskID: done.ID, Config: a2a.PushConfig{URL: "https://hook.example.com/"}})
		u.refused("a webhook", err, -32003)
	}
}

// streamMistakes are made with streams.
func (u *user) streamMistakes() {
	u.refused("a stream of a message to an unknown task", failure(u.SendStreamingMessage(u, &a2a.MessageSendParams{
		Message: a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: "no such task"}, a2a.TextPart{Text: "hi"})})), -32001)
	u.refused("a stream of a message without parts", failure(u.SendStreamingMessage(u, &a2a.MessageSendParams{
		Message: a2a.NewMessage(a2a.MessageRoleUser)})), -32602)
	u.refused("resubscribing to an unknown task", failure(u.ResubscribeToTask(u, &a2a.TaskIDParams{ID: "no such task"})), -32001)
	if !u.shows {
		done := u.ask(texts("echo done"), "a text")
		u.refused("resubscribing to a task that has ended", failure(u.ResubscribeToTask(u, &a2a.TaskIDParams{ID: done.ID})), -32004)
	}
}

// failure reads a stream up to its error.
func failure(events iter.Seq2[a2a.Event, error]) error {
	for event, err := range events {
		if err != nil {
			return err
		}
		fail("a stream that was to be refused has a %T", event)
	}
	return nil
}
