package main

import (
	"errors"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

// kinds are what the SDK makes of the codes.
var kinds = map[int]error{
	-32001: a2a.ErrTaskNotFound,
	-32002: a2a.ErrTaskNotCancelable,
	-32003: a2a.ErrPushNotificationNotSupported,
	-32004: a2a.ErrUnsupportedOperation,
	-32005: a2a.ErrUnsupportedContentType,
	-32007: a2a.ErrExtendedCardNotConfigured,
	-32009: a2a.ErrVersionNotSupported,
	-32602: a2a.ErrInvalidParams,
}

// refused demands that a call is refused with a code. By HTTP+JSON this SDK reads no
// error that is labelled application/a2a+json.
func (u *user) refused(what string, err error, code int) {
	switch {
	case err == nil:
		fail("%s is not refused", what)
	case errors.Is(err, kinds[code]):
		did("refused: %s: %d", what, code)
	case u.by.ProtocolBinding == a2a.TransportProtocolHTTPJSON && errors.Is(err, a2a.ErrServerError):
		did("refused: %s: not read", what)
	default:
		fail("%s is refused with %q, not as %q", what, err, kinds[code])
	}
}

// refusedStream demands that a stream is refused with a code. Of a JSON-RPC reply that is
// no stream, as the servers send it that are not lavish, the SDK reads nothing and shows
// an empty stream.
func (u *user) refusedStream(what string, events iter.Seq2[a2a.Event, error], code int) {
	var err error
	for event, fault := range events {
		if err = fault; err == nil {
			fail("%s: a stream that was to be refused has a %T", what, event)
		}
	}
	switch {
	case u.lavish || u.by.ProtocolBinding != a2a.TransportProtocolJSONRPC:
		u.refused(what, err, code)
	case err != nil:
		fail("%s is refused with %q: this SDK was not known to read it", what, err)
	default:
		did("refused: %s: an empty stream", what)
	}
}

// mistakes are made with calls.
func (u *user) mistakes() {
	done := u.ask(texts("echo done"), "a text")
	_, err := u.GetTask(u, &a2a.GetTaskRequest{ID: "no such task"})
	u.refused("getting an unknown task", err, -32001)
	_, err = u.CancelTask(u, &a2a.CancelTaskRequest{ID: "no such task"})
	u.refused("canceling an unknown task", err, -32001)
	_, err = u.CancelTask(u, &a2a.CancelTaskRequest{ID: done.ID})
	u.refused("canceling a task that has ended", err, -32002)
	_, err = u.SendMessage(u, &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, done, a2a.NewTextPart("more"))})
	u.refused("a message to a task that has ended", err, -32004)
	_, err = u.SendMessage(u, &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser)})
	u.refused("a message without parts", err, -32602)
	odd := a2a.NewRawPart([]byte("hi"))
	odd.MediaType = "application/x-odd"
	_, err = u.SendMessage(u, &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, odd)})
	u.refused("a file of an unknown type", err, -32005)
	_, err = u.ListTasks(u, &a2a.ListTasksRequest{PageToken: "no such page"})
	u.refused("a page that was never offered", err, -32602)

	// The client itself asks for no extended card that is not claimed, and for no version but its own.
	transport := u.transport()
	_, err = transport.GetExtendedAgentCard(u, version("1.0"), &a2a.GetExtendedAgentCardRequest{})
	code := -32004
	if u.card.Capabilities.ExtendedAgentCard {
		code = -32007 // it is claimed, and there is none
	}
	u.refused("the extended card", err, code)
	_, err = transport.GetTask(u, version("9.9"), &a2a.GetTaskRequest{ID: done.ID})
	u.refused("a version that is not there", err, -32009)
	if !u.card.Capabilities.PushNotifications {
		_, err = u.CreateTaskPushConfig(u, &a2a.PushConfig{TaskID: done.ID, URL: "https://hook.example.com/"})
		u.refused("a webhook", err, -32003)
	}
	if !u.card.Capabilities.Streaming {
		u.refusedStream("subscribing to an agent without streams", u.SubscribeToTask(u, &a2a.SubscribeToTaskRequest{ID: done.ID}), -32004)
	}
}

// version are parameters of a call that name a version of the protocol.
func version(number string) a2aclient.ServiceParams {
	return a2aclient.ServiceParams{a2a.SvcParamVersion: {number}}
}

// streamMistakes are made with streams.
func (u *user) streamMistakes() {
	u.refusedStream("a stream of a message to an unknown task", u.SendStreamingMessage(u, &a2a.SendMessageRequest{
		Message: a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: "no such task"}, a2a.NewTextPart("hi"))}), -32001)
	u.refusedStream("a stream of a message without parts", u.SendStreamingMessage(u, &a2a.SendMessageRequest{
		Message: a2a.NewMessage(a2a.MessageRoleUser)}), -32602)
	u.refusedStream("subscribing to an unknown task", u.SubscribeToTask(u, &a2a.SubscribeToTaskRequest{ID: "no such task"}), -32001)
	done := u.ask(texts("echo done"), "a text")
	u.refusedStream("subscribing to a task that has ended", u.SubscribeToTask(u, &a2a.SubscribeToTaskRequest{ID: done.ID}), -32004)
}
