package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"

	"github.com/a2aproject/a2a-go/a2a"
)

// delivery is what came to a webhook.
type delivery struct {
	path   string
	header http.Header
	task   a2a.Task
}

// webhook listens for deliveries.
func webhook() (url string, got <-chan delivery) {
	all := make(chan delivery, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		d := delivery{path: r.URL.Path, header: r.Header}
		must(json.NewDecoder(r.Body).Decode(&d.task), "reading a push notification")
		all <- d
	}))
	return server.URL, all
}

// await waits for a delivery of the given state to a path. Any before it must be
// about the same task.
func (u *user) await(got <-chan delivery, task a2a.TaskID, path string, state a2a.TaskState) delivery {
	for {
		select {
		case d := <-got:
			check(d.task.ID, task, "the task of a push notification")
			if d.path == path && d.task.Status.State == state {
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
	task := u.begin("slow 0.2", &a2a.PushConfig{URL: url + "/sent", Token: "my token", Auth: &a2a.PushAuthInfo{Schemes: []string{"Bearer"}, Credentials: "my secret"}})
	d := u.await(got, task.ID, "/sent", a2a.TaskStateCompleted)
	check(d.header.Get("X-A2A-Notification-Token"), "my token", "the token of a push notification")
	check(d.header.Get("Authorization"), "Bearer my secret", "the credentials of a push notification")
	check(d.task.ContextID, task.ContextID, "its context")
	did("push: %s, %q", d.task.Status.State, said(d.task.Status.Message))
}

// configure sets, reads, lists and deletes the webhooks of a task.
func (u *user) configure() {
	url, got := webhook()
	task := u.begin("slow 60", nil)
	for _, id := range []string{"one", "two"} {
		set, err := u.SetTaskPushConfig(u, &a2a.TaskPushConfig{TaskID: task.ID, Config: a2a.PushConfig{ID: id, URL: url + "/" + id, Token: "token " + id}})
		must(err, "setting a webhook")
		check(set.TaskID, task.ID, "the task of a webhook that was set")
		check(set.Config.ID, id, "its id")
	}
	one, err := u.GetTaskPushConfig(u, &a2a.GetTaskPushConfigParams{TaskID: task.ID, ConfigID: "one"})
	must(err, "getting a webhook")
	check(one.Config.URL, url+"/one", "its URL")
	check(one.Config.Token, "token one", "its token")
	before := u.webhooks(task.ID)
	must(u.DeleteTaskPushConfig(u, &a2a.DeleteTaskPushConfigParams{TaskID: task.ID, ConfigID: "two"}), "deleting a webhook")
	did("webhooks: %d before, %d after one is deleted", before, u.webhooks(task.ID))
	_, err = u.CancelTask(u, &a2a.TaskIDParams{ID: task.ID})
	must(err, "canceling a task with a webhook")
	d := u.await(got, task.ID, "/one", a2a.TaskStateCanceled)
	check(d.header.Get("X-A2A-Notification-Token"), "token one", "the token of a push notification")
	did("push to a webhook set later: %s", d.task.Status.State)
}

// webhooks counts the webhooks of a task.
func (u *user) webhooks(task a2a.TaskID) int {
	list, err := u.ListTaskPushConfig(u, &a2a.ListTaskPushConfigParams{TaskID: task})
	must(err, "listing the webhooks")
	return len(list)
}
