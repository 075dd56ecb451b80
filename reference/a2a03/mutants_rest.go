package a2a03

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
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
	st := front.Follow(sub, a.Task(sub.Start, p.history), a.Event)
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
	"rest-history-length-ignored": {Route: func(r *http.Request) {
		q := r.URL.Query()
		q.Del("historyLength")
		r.URL.RawQuery = q.Encode()
	}},
	"rest-own-tasks":         ownTasks(front.HTTPJSON),
	"rest-cancel-again":      {Reply: onErrorOver(front.HTTPJSON, cancelMethod, taskNotCancelable, succeedWithTaskInState("canceled"))},
	"rest-restarts-finished": {Reply: onErrorOver(front.HTTPJSON, sendMethod, Unsupported, succeedWithTaskInState("working"))},
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
