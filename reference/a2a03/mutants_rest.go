package a2a03

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// withoutRoute makes a mutant that has no route to one operation.
func withoutRoute(method string) front.Mutant {
	return front.Mutant{
		Route: func(r *http.Request) {
			if rest.Method(r) == method {
				mutants.Repath(r, restBase, mutants.Nowhere)
			}
		}}
}

// onRest edits the successful replies to one method over HTTP+JSON, in their own form.
func onRest(method string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(method, func(x *front.Reply) {
		if x.Body != nil && x.Status == http.StatusOK {
			edit(x)
		}
	})
}

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
		_, result, ok := st.Next(x.HTTP.Context())
		if !ok {
			return out.Bytes()
		}
		out.WriteString("data: " + string(front.Encode(x.Form(map[string]any{"result": result}))) + "\n\n")
	}
}

// restMutants are about HTTP+JSON.
var restMutants = map[string]front.Mutant{
	"rest-send-missing": {Route: mutants.Repathed(restBase, func(path string) string {
		switch path {
		case "/v1/message:send":
			return mutants.Nowhere
		case "/v1/messages":
			return "/v1/message:send"
		}
		return path
	})},
	"rest-get-missing": withoutRoute(getMethod),
	"rest-cancel-missing": {Route: func(r *http.Request) {
		path := strings.TrimPrefix(r.URL.EscapedPath(), restBase)
		switch task, ok := strings.CutPrefix(path, "/v1/tasks/"); {
		case rest.Method(r) == cancelMethod:
			mutants.Repath(r, restBase, mutants.Nowhere)
		case ok && r.Method == http.MethodDelete && !strings.Contains(task, "/"):
			r.Method = http.MethodPost
			mutants.Repath(r, restBase, path+":cancel")
		}
	}},
	"rest-push-create-missing": {Route: func(r *http.Request) {
		path := strings.TrimPrefix(r.URL.EscapedPath(), restBase)
		switch {
		case rest.Method(r) == SetPushConfigMethod:
			mutants.Repath(r, restBase, mutants.Nowhere)
		case r.Method == http.MethodPost && strings.HasSuffix(path, "/pushNotificationConfig"):
			mutants.Repath(r, restBase, path+"s")
		}
	}},
	"rest-push-delete-missing": {Route: func(r *http.Request) {
		if rest.Method(r) == DeletePushConfigMethod {
			r.Method = http.MethodPut
		}
	},
		REST: func(x *front.Reply) {
			if x.Header.Get("Allow") == "GET, DELETE" {
				x.Header.Set("Allow", http.MethodGet)
			}
		}},
	"rest-card-missing": withoutRoute(ExtendedCardMethod),
	"rest-history-length-ignored": {Route: func(r *http.Request) {
		q := r.URL.Query()
		q.Del("historyLength")
		r.URL.RawQuery = q.Encode()
	}},
	"rest-push-list-short": {REST: onRest(ListPushConfigMethod, func(x *front.Reply) {
		if list, ok := x.Body.([]any); ok && len(list) > 1 { // in the form of the schema
			x.Body = list[:1]
		}
		if list, ok := front.At(x.Body, "configs").([]any); ok && len(list) > 1 {
			front.Put(x.Body, "configs", list[:1])
		}
	})},
	"rest-labelled-text": {REST: func(x *front.Reply) {
		if strings.HasPrefix(x.Header.Get("Content-Type"), "application/json") {
			x.Header.Set("Content-Type", "text/plain; charset=utf-8")
		}
	}},
	"rest-fields-renamed": {REST: func(x *front.Reply) {
		front.Walk(x.Body, func(m map[string]any) {
			if m["id"] != nil && m["status"] != nil {
				move(m, "contextId", "context")
				move(m, "status", "state")
			}
		})
	}},
	"rest-own-tasks":        ownTasks(front.HTTPJSON),
	"rest-error-as-success": {REST: onUnknownTask(func(x *front.Reply) { x.Status = http.StatusOK })},
	"rest-unknown-task-500": {REST: onUnknownTask(func(x *front.Reply) { x.Status = http.StatusInternalServerError })},
	"rest-malformed-500": {REST: onRestError(func(x *front.Reply, code any) {
		if code == front.Num(front.CodeParse) || code == front.Num(front.CodeInvalidParams) {
			x.Status = http.StatusInternalServerError
		}
	})},
	"rest-bare-call-as-success": {REST: onRestError(func(x *front.Reply, code any) {
		if x.Status == http.StatusUnauthorized && !ShowsCredential(x.HTTP) {
			x.Status = http.StatusOK
		}
	})},
	"rest-errors-as-html": {REST: onUnknownTask(func(x *front.Reply) {
		x.Blank(x.Status, "text/html")
		x.Raw = []byte("<h1>Not Found</h1>")
	})},
	"rest-errors-differ":     {REST: onUnknownTask(func(x *front.Reply) { x.Body = map[string]any{"error": x.Body} })},
	"rest-errors-untold":     {REST: onRestError(func(x *front.Reply, _ any) { x.Body = map[string]any{"message": "Bad Request"} })},
	"rest-cancel-again":      {Reply: onErrorOver(front.HTTPJSON, cancelMethod, taskNotCancelable, returnTaskInState("canceled"))},
	"rest-restarts-finished": {Reply: onErrorOver(front.HTTPJSON, sendMethod, Unsupported, returnTaskInState("working"))},
	"rest-push-stored-undeclared": {Reply: onErrorOver(front.HTTPJSON, SetPushConfigMethod, pushNotSupported, func(x *front.Reply) {
		task := front.Text(x.Request, "params/taskId")
		config := &engine.Push{ID: front.Text(x.Request, "params/pushNotificationConfig/id"), URL: front.Text(x.Request, "params/pushNotificationConfig/url")}
		if kept, err := x.Server.Engine.SetPush(task, config); err == nil {
			x.Succeed(front.Generic(writeA2A03Push(task, *kept)))
		}
	})},
	"rest-stream-undeclared": {Reply: onErrorOver(front.HTTPJSON, streamMethod, Unsupported, func(x *front.Reply) {
		if events := (Server{x.Server}).streamed(x); events != nil {
			x.Blank(http.StatusOK, "text/event-stream")
			x.Raw = events
		}
	})},
	"rest-card-public": {Guard: func(c *front.Caller) {
		if strings.HasPrefix(c.HTTP.URL.Path, restBase+"/") && c.Method == ExtendedCardMethod && c.Credential == "" {
			c.Client = "first"
		}
	}},
}
