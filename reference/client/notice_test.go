package client_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const pushLast = `{"do":"push","task":"last"}`

// A registration is what a client asks for that registers a webhook.
type registration struct {
	URL, Token     string
	Authentication struct{ Credentials string }
}

// readRegistration returns what a call registers.
func readRegistration(c receivedCall) (r registration) {
	content := c.params
	if of, is := content["pushNotificationConfig"].(object); is {
		content = of
	}
	text, _ := json.Marshal(content)
	_ = json.Unmarshal(text, &r) // what is missing shows
	return r
}

// notify brings a notification to a webhook, and records the answer.
func (s *testAgent) notify(r registration, about object, edit func(http.Header)) {
	body, _ := json.Marshal(about)
	q, err := http.NewRequest(http.MethodPost, r.URL, bytes.NewReader(body))
	if err != nil {
		return
	}
	q.Header.Set("Content-Type", "application/json")
	if !s.hasKinds() && !s.isFirst() {
		q.Header.Set("Content-Type", "application/a2a+json")
	}
	if r.Authentication.Credentials != "" {
		q.Header.Set("Authorization", "Bearer "+r.Authentication.Credentials)
	}
	q.Header.Set("X-A2A-Notification-Token", r.Token)
	edit(q.Header)
	response, err := http.DefaultClient.Do(q)
	if err != nil {
		return
	}
	response.Body.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, fmt.Sprintf("the webhook answered %d", response.StatusCode))
}

// notifying is an agent that brings genuine and forged notifications to a webhook, and in the end that the task has ended.
func notifying(s *testAgent, w http.ResponseWriter, c receivedCall) {
	r := readRegistration(c)
	s.reply(w, c, c.params)
	asIs := func(http.Header) {}
	go func() {
		working := s.status("working", false)
		if s.hasKinds() || s.isFirst() {
			working = s.taskIn("working")
		}
		s.notify(r, working, asIs)
		s.notify(r, working, asIs)
		if s.hasKinds() || s.isFirst() {
			s.notify(r, object{"id": s.task, "status": object{"state": "working"}}, asIs)
		}
		s.notify(r, s.wrap("task", s.taskIn("input-required")), func(h http.Header) { h.Del("Authorization"); h.Del("X-A2A-Notification-Token") })
		s.notify(r, s.wrap("task", s.taskIn("auth-required")), func(h http.Header) { h.Set("X-A2A-Notification-Token", "wrong") })
		other := s.taskIn("working")
		other["id"] = "another task"
		s.notify(r, s.wrap("task", other), asIs)
		s.mu.Lock()
		s.requests = append(s.requests, "the last notification")
		s.mu.Unlock()
		ended := s.wrap("task", s.taskIn("completed"))
		quiet := testAgent{dialect: s.dialect} // the client may end before its answer is seen
		quiet.notify(r, ended, asIs)
	}()
}

func init() {
	registers := giveCommands(sendNoWait, pushLast)
	situations["notified"] = situation{options: registers, serve: whenCalled("set-webhook", notifying)}
	situations["notified, short of time"] = situation{options: registers, serve: whenCalled("set-webhook", notifying), limit: 500 * time.Millisecond}
	for _, name := range []string{"notice-plain-json-alone", "notices-believed", "notice-token-unread", "notice-of-any-task", "notices-repeat", "notice-of-task-alone", "notice-with-kind-alone", "notice-of-session-alone", "webhook-bare"} {
		situationNames[name] = "notified"
	}
	situationNames["notices-lost"], situationNames["notice-answered-late"] = "notified, short of time", "notified, short of time"
}
