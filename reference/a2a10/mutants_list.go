package a2a10

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// pageOf edits the results of ListTasks.
func pageOf(edit func(x *front.Reply, tasks []any)) func(*front.Reply) {
	return front.OnResult(listMethod, func(x *front.Reply) {
		if list, ok := front.At(x.Body, "result/tasks").([]any); ok {
			edit(x, list)
		}
	})
}

// allTasks are the tasks of every client, in the context that a call of ListTasks asks
// for.
func allTasks(x *front.Reply) []any {
	list := []any{}
	for _, t := range x.Server.Engine.Tasks() {
		if context := front.Text(x.Request, "params/contextId"); context == "" || t.Session == context {
			w := Server{Server: x.Server}.Task(t.Task, nil)
			w.Artifacts = nil
			list = append(list, front.Generic(w))
		}
	}
	return list
}

// number is the number under a name in the params of a call; 0 if there is none.
func number(x *front.Reply, name string) int {
	f, _ := (front.Members{R: new(front.Reader), M: front.Object(x.Request, "params")}).Number(name)
	return int(f)
}

// listMutants are about ListTasks.
var listMutants = map[string]front.Mutant{
	"list-page-unbounded": {Reply: pageOf(func(x *front.Reply, _ []any) {
		if number(x, "pageSize") > 0 {
			front.Put(x.Body, "result/tasks", allTasks(x))
			front.Put(x.Body, "result/nextPageToken", "")
		}
	})},
	"list-default-unbounded": {Reply: pageOf(func(x *front.Reply, _ []any) {
		if !front.Has(x.Request, "params/pageSize") {
			front.Put(x.Body, "result/pageSize", 1000)
			if !front.Has(x.Request, "params/status") && !front.Has(x.Request, "params/statusTimestampAfter") && !front.Has(x.Request, "params/pageToken") &&
				!front.Has(x.Request, "params/includeArtifacts") && !front.Has(x.Request, "params/historyLength") {
				front.Put(x.Body, "result/tasks", allTasks(x))
				front.Put(x.Body, "result/nextPageToken", "")
			}
		}
	})},
	"list-size-unbounded": {Call: front.Misread(listMethod, func(body any) { limitSize(body) }),
		Reply: pageOf(func(x *front.Reply, _ []any) { restoreSize(x) })},
	"list-size-zero-taken": {Reply: func(x *front.Reply) {
		if x.Answers(listMethod, front.CodeInvalidParams) && front.Has(x.Request, "params/pageSize") && number(x, "pageSize") < 1 {
			x.Succeed(map[string]any{"tasks": []any{}, "nextPageToken": "", "pageSize": number(x, "pageSize"), "totalSize": 0})
		}
	}},
	"list-total-of-page":  {Reply: pageOf(func(x *front.Reply, tasks []any) { front.Put(x.Body, "result/totalSize", len(tasks)) })},
	"list-oldest-first":   {Reply: pageOf(func(_ *front.Reply, tasks []any) { slices.Reverse(tasks) })},
	"list-status-ignored": {Call: dropWrongParam(listMethod, "status", func(v any) bool { s, _ := v.(string); return states[s] != "" })},
	"list-since-exclusive": {Call: front.Misread(listMethod, func(body any) {
		if since, err := time.Parse(time.RFC3339, front.Text(body, "params/statusTimestampAfter")); err == nil {
			front.Put(body, "params/statusTimestampAfter", front.Timestamp(since.Add(time.Millisecond)))
		}
	})},
	"list-since-ignored": {Call: dropWrongParam(listMethod, "statusTimestampAfter", func(v any) bool {
		s, _ := v.(string)
		_, err := time.Parse(time.RFC3339, s)
		return err == nil
	})},
	"list-history-unlimited": {Call: dropWrongParam(listMethod, "historyLength", func(v any) bool { return !front.IsNegative(v) })},
	"list-status-unchecked":  {Call: dropWrongParam(listMethod, "status", func(v any) bool { s, _ := v.(string); return states[s] == "" })},
	"list-token-restarts": {Call: dropWrongParam(listMethod, "pageToken", func(v any) bool {
		s, _ := v.(string)
		_, ok := readPageToken(s)
		return !ok
	})},
	"list-since-unchecked": {Call: dropWrongParam(listMethod, "statusTimestampAfter", func(v any) bool {
		s, _ := v.(string)
		_, err := time.Parse(time.RFC3339, s)
		return err != nil
	})},
	"list-shows-all": {Reply: pageOf(func(x *front.Reply, _ []any) {
		all := allTasks(x)
		front.Put(x.Body, "result/tasks", all)
		front.Put(x.Body, "result/totalSize", len(all))
	})},
	"list-counts-all": {Reply: pageOf(func(x *front.Reply, _ []any) { front.Put(x.Body, "result/totalSize", len(allTasks(x))) })},
	"list-unordered": {Reply: pageOf(func(x *front.Reply, tasks []any) {
		asked, _ := json.Marshal(front.At(x.Request, "params"))
		if len(tasks) > 1 && x.Server.Notes.Count("page "+x.Binding()+string(asked))%2 == 0 {
			tasks[0], tasks[1] = tasks[1], tasks[0]
		}
	})},
}

// limitSize hides a large pageSize from the server, and restoreSize claims that it was
// taken.
func limitSize(body any) {
	if n, _ := (front.Members{R: new(front.Reader), M: front.Object(body, "params")}).Number("pageSize"); n > largestPage {
		front.Put(body, "params/pageSize", front.Num(largestPage))
		front.Put(body, "params/asked", front.Num(int(n)))
	}
}

func restoreSize(x *front.Reply) {
	if asked := front.At(x.Request, "params/asked"); asked != nil {
		front.Put(x.Body, "result/pageSize", asked)
	}
}
