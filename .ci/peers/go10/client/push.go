package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// delivery is what came to a webhook.
type delivery struct {
	path   string
	header http.Header
	event  a2a.Event
}

// status is that of a delivered task or status; nil of anything else.
func (d delivery) status() *a2a.TaskStatus {
	switch e := d.event.(type) {
	case *a2a.Task:
		return &e.Status
	case *a2a.TaskStatusUpdateEvent:
		return &e.Status
	}
	return nil
}

// webhook listens for deliveries.
func webhook() (url string, got <-chan delivery) {
	all := make(chan delivery, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var sent a2a.StreamResponse
		must(json.NewDecoder(r.Body).Decode(&sent), "reading a push notification")
		all <- delivery{r.URL.Path, r.Header, sent.Event}
	}))
	return server.URL, all
}

// await waits for a delivery of the given state to a path. Any before it must be
// about the same task.
func (u *user) await(got <-chan delivery, task a2a.TaskID, path string, state a2a.TaskState) delivery {
	for {
		select {
		case d := <-got:
			check(d.event.TaskInfo().TaskID, task, "the task of a push notification")
			if status := d.status(); d.path == path && status != nil && status.State == state {
				return d
			}
		case <-u.Done():
			fail("no push notification to %s says that the task is %s", path, state)
		}
	}
}

// push checks that the webhook that was named with the message is notified of the end of a task.
func (u *user) push() {
	url, got := webhook()
	task := u.begin("slow 0.2", &a2a.PushConfig{URL: url + "/sent", Token: "my token", Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "my secret"}})
	d := u.await(got, task.ID, "/sent", a2a.TaskStateCompleted)
	check(d.header.Get("Authorization"), "Bearer my secret", "the credentials of a push notification")
	check(d.event.TaskInfo().ContextID, task.ContextID, "its context")
	did("push: %s, %q", d.status().State, said(d.status().Message))
}

// configure makes, reads, lists and deletes the webhooks of a task.
func (u *user) configure() {
	url, got := webhook()
	task := u.begin("slow 60", nil)
	made := map[string]string{} // their ids
	for _, name := range []string{"one", "two"} {
		config, err := u.CreateTaskPushConfig(u, &a2a.PushConfig{TaskID: task.ID, URL: url + "/" + name, Token: "token " + name})
		must(err, "making a webhook")
		check(config.TaskID, task.ID, "the task of a webhook that was made")
		check(config.ID != "", true, "that it has an id")
		made[name] = config.ID
	}
	one, err := u.GetTaskPushConfig(u, &a2a.GetTaskPushConfigRequest{TaskID: task.ID, ID: made["one"]})
	must(err, "getting a webhook")
	check(one.URL, url+"/one", "its URL")
	before := u.webhooks(task.ID)
	must(u.DeleteTaskPushConfig(u, &a2a.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: made["two"]}), "deleting a webhook")
	did("webhooks: %d before, %d after one is deleted", before, u.webhooks(task.ID))
	_, err = u.CancelTask(u, &a2a.CancelTaskRequest{ID: task.ID})
	must(err, "canceling a task with a webhook")
	d := u.await(got, task.ID, "/one", a2a.TaskStateCanceled)
	did("push to a webhook made later: %s", d.status().State)
}

// webhooks counts the webhooks of a task.
func (u *user) webhooks(task a2a.TaskID) int {
	list, err := u.ListTaskPushConfigs(u, &a2a.ListTaskPushConfigRequest{TaskID: task})
	must(err, "listing the webhooks")
	return len(list)
}
