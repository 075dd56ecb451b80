package a2a03

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// unrouted makes a mutant that has no route to one operation.
func unrouted(name, variant, method, route string) front.Mutant {
	return front.Mutant{Name: name, Variant: variant, Summary: route + " is not served.",
		Route: func(r *http.Request) {
			if rest.Method(r) == method {
				mutants.Repath(r, restBase, mutants.Nowhere)
			}
		}}
}

// restRouteMutants are about the paths and verbs of HTTP+JSON (section 3.5.6).
var restRouteMutants = front.InArea("rest",
	front.Mutant{Name: "rest-send-missing", Summary: "Messages are sent to /v1/messages only.",
		Route: mutants.Repathed(restBase, func(path string) string {
			switch path {
			case "/v1/message:send":
				return mutants.Nowhere
			case "/v1/messages":
				return "/v1/message:send"
			}
			return path
		})},
	front.Mutant{Name: "rest-tasks-listed", Summary: "GET /v1/tasks lists the tasks.",
		Rest: func(x *front.Reply) {
			if x.Http.Method == http.MethodGet && x.Http.URL.Path == restBase+"/v1/tasks" {
				x.Status, x.Body = http.StatusOK, map[string]any{"tasks": []any{}}
			}
		}},
	unrouted("rest-get-missing", "", getMethod, "GET /v1/tasks/{id}"),
	front.Mutant{Name: "rest-cancel-missing", Summary: "A task is canceled by DELETE /v1/tasks/{id} only.",
		Route: func(r *http.Request) {
			path := strings.TrimPrefix(r.URL.EscapedPath(), restBase)
			switch task, ok := strings.CutPrefix(path, "/v1/tasks/"); {
			case rest.Method(r) == cancelMethod:
				mutants.Repath(r, restBase, mutants.Nowhere)
			case ok && r.Method == http.MethodDelete && !strings.Contains(task, "/"):
				r.Method = http.MethodPost
				mutants.Repath(r, restBase, path+":cancel")
			}
		}},
	front.Mutant{Name: "rest-push-create-missing", Summary: "A push configuration is sent to /v1/tasks/{id}/pushNotificationConfig only.",
		Route: func(r *http.Request) {
			path := strings.TrimPrefix(r.URL.EscapedPath(), restBase)
			switch {
			case rest.Method(r) == SetPushConfigMethod:
				mutants.Repath(r, restBase, mutants.Nowhere)
			case r.Method == http.MethodPost && strings.HasSuffix(path, "/pushNotificationConfig"):
				mutants.Repath(r, restBase, path+"s")
			}
		}},
	front.Mutant{Name: "rest-push-get-missing", Summary: "A push configuration that is there is not found.",
		Reply: front.Answering(GetPushConfigMethod, func(x *front.Reply) {
			if x.OverRest() && front.Has(x.Body, "result") {
				x.Decline(front.CodeInvalidParams)
			}
		})},
	front.Mutant{Name: "rest-push-delete-missing", Summary: "A push configuration cannot be deleted: there is no DELETE.",
		Route: func(r *http.Request) {
			if rest.Method(r) == DeletePushConfigMethod {
				r.Method = http.MethodPut
			}
		},
		Rest: func(x *front.Reply) {
			if x.Header.Get("Allow") == "GET, DELETE" {
				x.Header.Set("Allow", http.MethodGet)
			}
		}},
	unrouted("rest-card-missing", "guarded", ExtendedCardMethod, "GET /v1/card"),
	front.Mutant{Name: "rest-history-length-ignored", Summary: "The historyLength of GET /v1/tasks/{id} is ignored.",
		Route: func(r *http.Request) {
			q := r.URL.Query()
			q.Del("historyLength")
			r.URL.RawQuery = q.Encode()
		}},
)

// onRest edits the successful replies to one method over HTTP+JSON, in their own form.
func onRest(method string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(method, func(x *front.Reply) {
		if x.Body != nil && x.Status == http.StatusOK {
			edit(x)
		}
	})
}

// restFormMutants are about what is sent (sections 3.2.3 and 7).
var restFormMutants = front.InArea("rest",
	front.Mutant{Name: "rest-task-unwrapped", Summary: "POST /v1/message:send is answered with the task itself.",
		Rest: onRest(sendMethod, func(x *front.Reply) {
			if t := front.Object(x.Body, "task"); t != nil {
				x.Body = t
			}
		})},
	front.Mutant{Name: "rest-get-wrapped", Summary: "A task that is looked up stands under the name task.",
		Rest: onRest(getMethod, func(x *front.Reply) { x.Body = map[string]any{"task": x.Body} })},
	front.Mutant{Name: "rest-push-list-short", Summary: "Only the first push configuration of a task is listed.",
		Rest: onRest(ListPushConfigMethod, func(x *front.Reply) {
			if list, ok := x.Body.([]any); ok && len(list) > 1 { // in the form of the schema
				x.Body = list[:1]
			}
			if list, ok := front.At(x.Body, "configs").([]any); ok && len(list) > 1 {
				front.Put(x.Body, "configs", list[:1])
			}
		})},
	front.Mutant{Name: "rest-labelled-text", Summary: "Responses are labelled text/plain.",
		Rest: func(x *front.Reply) {
			if strings.HasPrefix(x.Header.Get("Content-Type"), "application/json") {
				x.Header.Set("Content-Type", "text/plain; charset=utf-8")
			}
		}},
	front.Mutant{Name: "rest-fields-renamed", Summary: "In a task contextId is called context, and status is called state.",
		Rest: func(x *front.Reply) {
			front.Walk(x.Body, func(m map[string]any) {
				if m["id"] != nil && m["status"] != nil {
					move(m, "contextId", "context")
					move(m, "status", "state")
				}
			})
		}},
	artifactsDropped("rest-artifacts-dropped", front.HTTPJSON, "HTTP+JSON"),
	ownTasks("rest-own-tasks", front.HTTPJSON, "HTTP+JSON"),
)

// onRestError edits errors over HTTP+JSON, in their own form.
func onRestError(edit func(x *front.Reply, code any)) func(*front.Reply) {
	return func(x *front.Reply) {
		if code := front.At(x.Body, "code"); code != nil && x.Status >= http.StatusBadRequest {
			edit(x, code)
		}
	}
}

// onUnknownTask edits the error about an unknown task.
func onUnknownTask(edit func(*front.Reply)) func(*front.Reply) {
	return onRestError(func(x *front.Reply, code any) {
		if code == front.Num(TaskNotFound) {
			edit(x)
		}
	})
}

// restErrorMutants are about the statuses and bodies of errors (sections 3.2.3 and 8).
var restErrorMutants = front.InArea("rest",
	front.Mutant{Name: "rest-error-as-success", Summary: "The error about an unknown task comes with HTTP 200.",
		Rest: onUnknownTask(func(x *front.Reply) { x.Status = http.StatusOK })},
	front.Mutant{Name: "rest-unknown-task-500", Summary: "The error about an unknown task comes with HTTP 500.",
		Rest: onUnknownTask(func(x *front.Reply) { x.Status = http.StatusInternalServerError })},
	front.Mutant{Name: "rest-malformed-500", Summary: "A body that is no JSON, or no message, gives HTTP 500.",
		Rest: onRestError(func(x *front.Reply, code any) {
			if code == front.Num(front.CodeParse) || code == front.Num(front.CodeInvalidParams) {
				x.Status = http.StatusInternalServerError
			}
		})},
	front.Mutant{Name: "rest-bare-call-as-success", Variant: "guarded", Summary: "The refusal of a call without credentials comes with HTTP 200.",
		Rest: onRestError(func(x *front.Reply, code any) {
			if x.Status == http.StatusUnauthorized && !ShowsCredential(x.Http) {
				x.Status = http.StatusOK
			}
		})},
	front.Mutant{Name: "rest-errors-as-html", Summary: "The error about an unknown task is a page.",
		Rest: onUnknownTask(func(x *front.Reply) {
			x.Blank(x.Status, "text/html")
			x.Raw = []byte("<h1>Not Found</h1>")
		})},
	front.Mutant{Name: "rest-errors-differ", Summary: "The error about an unknown task stands under the name error, all others do not.",
		Rest: onUnknownTask(func(x *front.Reply) { x.Body = map[string]any{"error": x.Body} })},
	front.Mutant{Name: "rest-errors-untold", Summary: "Every error says Bad Request and nothing else.",
		Rest: onRestError(func(x *front.Reply, _ any) { x.Body = map[string]any{"message": "Bad Request"} })},
	front.Mutant{Name: "rest-cancel-again", Summary: "A task that has ended can be canceled: HTTP 200 and the state canceled come back.",
		Reply: over(front.HTTPJSON, cancelMethod, taskNotCancelable, showing("canceled"))},
	front.Mutant{Name: "rest-restarts-finished", Summary: "A message to a task that has ended is answered with HTTP 200 and the task at work.",
		Reply: over(front.HTTPJSON, sendMethod, Unsupported, showing("working"))},
	front.Mutant{Name: "rest-push-stored-undeclared", Variant: "silent", Summary: "A server without push notifications stores a push configuration.",
		Reply: over(front.HTTPJSON, SetPushConfigMethod, pushNotSupported, func(x *front.Reply) {
			task := front.Text(x.Request, "params/taskId")
			config := &engine.Push{ID: front.Text(x.Request, "params/pushNotificationConfig/id"), URL: front.Text(x.Request, "params/pushNotificationConfig/url")}
			if kept, err := x.Server.Engine.SetPush(task, config); err == nil {
				x.Succeed(front.Generic(writeA2A03Push(task, *kept)))
			}
		})},
	front.Mutant{Name: "rest-stream-undeclared", Variant: "silent", Summary: "A server without streaming opens a stream.",
		Reply: over(front.HTTPJSON, streamMethod, Unsupported, func(x *front.Reply) {
			if events := (Server{x.Server}).streamed(x); events != nil {
				x.Blank(http.StatusOK, "text/event-stream")
				x.Raw = events
			}
		})},
)

// streamed are the events of a stream that a call asks for, all at once; nil if it asks
// for none.
func (a Server) streamed(x *front.Reply) []byte {
	p, refused := a.readSend(x.Call)
	if refused != nil {
		return nil
	}
	sub, err := a.Engine.Send(p.request)
	if err != nil {
		return nil
	}
	var out bytes.Buffer
	st := a.Follow(sub, a.Task(sub.Start, p.history))
	defer st.Close(false)
	for {
		_, result, ok := st.Next(x.Http.Context())
		if !ok {
			return out.Bytes()
		}
		out.WriteString("data: " + string(front.Encode(x.Form(map[string]any{"result": result}))) + "\n\n")
	}
}

// restCardMutants are about the extended card over HTTP+JSON.
var restCardMutants = front.InArea("rest",
	front.Mutant{Name: "rest-card-public", Variant: "guarded", Summary: "GET /v1/card needs no credentials.",
		Guard: func(c *front.Caller) {
			if strings.HasPrefix(c.Http.URL.Path, restBase+"/") && c.Method == ExtendedCardMethod && c.Credential == "" {
				c.Client = "first"
			}
		}},
)
