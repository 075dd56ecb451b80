package a2a10

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// pageOf edits the results of ListTasks.
func pageOf(edit func(x *front.Reply, tasks []any)) func(*front.Reply) {
	return onResult(listMethod, func(x *front.Reply) {
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
var listMutants = front.InArea("list",
	front.Mutant{Name: "list-missing", Summary: "ListTasks is an unknown method.",
		Reply: front.Answering(listMethod, func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
	front.Mutant{Name: "list-empty-left-out", Summary: "A list without tasks has no member tasks.",
		Reply: pageOf(func(x *front.Reply, tasks []any) {
			if len(tasks) == 0 {
				front.Drop(x.Body, "result/tasks")
			}
		})},
	front.Mutant{Name: "list-token-left-out", Summary: "The last page has no nextPageToken.",
		Reply: pageOf(func(x *front.Reply, _ []any) {
			if front.Text(x.Body, "result/nextPageToken") == "" {
				front.Drop(x.Body, "result/nextPageToken")
			}
		})},
	front.Mutant{Name: "list-token-null", Summary: "The nextPageToken of the last page is null.",
		Reply: pageOf(func(x *front.Reply, _ []any) {
			if front.Text(x.Body, "result/nextPageToken") == "" {
				front.Put(x.Body, "result/nextPageToken", nil)
			}
		})},
	front.Mutant{Name: "list-page-size-left-out", Summary: "A list without tasks has no pageSize.",
		Reply: pageOf(func(x *front.Reply, tasks []any) {
			if len(tasks) == 0 {
				front.Drop(x.Body, "result/pageSize")
			}
		})},
	front.Mutant{Name: "list-total-left-out", Summary: "A list without tasks has no totalSize.",
		Reply: pageOf(func(x *front.Reply, tasks []any) {
			if len(tasks) == 0 {
				front.Drop(x.Body, "result/totalSize")
			}
		})},
	front.Mutant{Name: "list-token-ignored", Summary: "A page token leads to the first page again.", Call: ignored(listMethod, "pageToken")},
	front.Mutant{Name: "list-page-unbounded", Summary: "All tasks are returned, whatever the size of a page.",
		Reply: pageOf(func(x *front.Reply, _ []any) {
			if number(x, "pageSize") > 0 {
				front.Put(x.Body, "result/tasks", allTasks(x))
				front.Put(x.Body, "result/nextPageToken", "")
			}
		})},
	front.Mutant{Name: "list-default-unbounded", Summary: "Without pageSize all tasks are returned, and pages are said to hold 1000.",
		Reply: pageOf(func(x *front.Reply, _ []any) {
			if !front.Has(x.Request, "params/pageSize") {
				front.Put(x.Body, "result/pageSize", 1000)
				if !front.Has(x.Request, "params/status") && !front.Has(x.Request, "params/statusTimestampAfter") && !front.Has(x.Request, "params/pageToken") &&
					!front.Has(x.Request, "params/includeArtifacts") && !front.Has(x.Request, "params/historyLength") {
					front.Put(x.Body, "result/tasks", allTasks(x))
					front.Put(x.Body, "result/nextPageToken", "")
				}
			}
		})},
	front.Mutant{Name: "list-size-unbounded", Summary: "A pageSize of 150 is taken.",
		Call:  front.Misread(listMethod, func(body any) { limitSize(body) }),
		Reply: pageOf(func(x *front.Reply, _ []any) { restoreSize(x) })},
	front.Mutant{Name: "list-size-zero-taken", Summary: "A pageSize of 0 or below gives an empty page of that size.",
		Reply: func(x *front.Reply) {
			if x.Answers(listMethod, front.CodeInvalidParams) && front.Has(x.Request, "params/pageSize") && number(x, "pageSize") < 1 {
				x.Succeed(map[string]any{"tasks": []any{}, "nextPageToken": "", "pageSize": number(x, "pageSize"), "totalSize": 0})
			}
		}},
	front.Mutant{Name: "list-page-size-zero", Summary: "The answer always says that the pageSize is 0.", Reply: put(listMethod, "pageSize", 0)},
	front.Mutant{Name: "list-total-of-page", Summary: "The totalSize is the length of the page.",
		Reply: pageOf(func(x *front.Reply, tasks []any) { front.Put(x.Body, "result/totalSize", len(tasks)) })},
	front.Mutant{Name: "list-oldest-first", Summary: "A page begins with its oldest task.",
		Reply: pageOf(func(_ *front.Reply, tasks []any) { slices.Reverse(tasks) })},
	front.Mutant{Name: "list-by-creation", Summary: "Tasks are listed by the time they were begun.",
		Engine: func(o *engine.Options) { o.Defects.ListedByBirth = true }},
	front.Mutant{Name: "list-context-ignored", Summary: "The filter for a context is ignored.", Call: ignored(listMethod, "contextId")},
	front.Mutant{Name: "list-status-ignored", Summary: "The filter for a state is ignored.",
		Call: unchecked(listMethod, "status", func(v any) bool { s, _ := v.(string); return states[s] != "" })},
	front.Mutant{Name: "list-last-filter-only", Summary: "Of the filters for a context and a state only the last counts.",
		Call: front.Misread(listMethod, func(body any) {
			if front.Has(body, "params/status") {
				front.Drop(body, "params/contextId")
			}
		})},
	front.Mutant{Name: "list-since-exclusive", Summary: "A task whose status has the very time that is asked for is left out.",
		Call: front.Misread(listMethod, func(body any) {
			if since, err := time.Parse(time.RFC3339, front.Text(body, "params/statusTimestampAfter")); err == nil {
				front.Put(body, "params/statusTimestampAfter", front.Timestamp(since.Add(time.Millisecond)))
			}
		})},
	front.Mutant{Name: "list-since-ignored", Summary: "The filter for a time is ignored.",
		Call: unchecked(listMethod, "statusTimestampAfter", func(v any) bool {
			s, _ := v.(string)
			_, err := time.Parse(time.RFC3339, s)
			return err == nil
		})},
	front.Mutant{Name: "list-artifacts-empty", Summary: "Tasks that are listed without artifacts have an empty list of them.",
		Reply: pageOf(func(x *front.Reply, tasks []any) {
			for _, t := range tasks {
				if !front.Has(t, "artifacts") {
					front.Put(t, "artifacts", []any{})
				}
			}
		})},
	front.Mutant{Name: "list-of-state-artifacts-empty", Summary: "In a list of a state, tasks without artifacts have an empty list of them.",
		Reply: pageOf(func(x *front.Reply, tasks []any) {
			for _, t := range tasks {
				if front.Has(x.Request, "params/status") && !front.Has(t, "artifacts") {
					front.Put(t, "artifacts", []any{})
				}
			}
		})},
	front.Mutant{Name: "list-false-as-true", Summary: "An includeArtifacts of false is read as true.",
		Call: front.Misread(listMethod, func(body any) {
			if front.At(body, "params/includeArtifacts") == false {
				front.Put(body, "params/includeArtifacts", true)
			}
		})},
	front.Mutant{Name: "list-artifacts-ignored", Summary: "An includeArtifacts of true is ignored.", Call: ignored(listMethod, "includeArtifacts")},
	front.Mutant{Name: "list-history-unlimited", Summary: "ListTasks does not look at historyLength.",
		Call: unchecked(listMethod, "historyLength", func(v any) bool { return !negative(v) })},
	front.Mutant{Name: "list-empty-not-found", Summary: "A list without tasks is an unknown task.",
		Reply: pageOf(func(x *front.Reply, tasks []any) {
			if len(tasks) == 0 {
				x.Decline(TaskNotFound)
			}
		})},
	front.Mutant{Name: "list-status-unchecked", Summary: "The name of a state that there is not is ignored.",
		Call: unchecked(listMethod, "status", func(v any) bool { s, _ := v.(string); return states[s] == "" })},
	front.Mutant{Name: "list-token-restarts", Summary: "A page token that is none leads to the first page.",
		Call: unchecked(listMethod, "pageToken", func(v any) bool {
			s, _ := v.(string)
			_, ok := readPageToken(s)
			return !ok
		})},
	front.Mutant{Name: "list-since-unchecked", Summary: "A time that is none is ignored.",
		Call: unchecked(listMethod, "statusTimestampAfter", func(v any) bool {
			s, _ := v.(string)
			_, err := time.Parse(time.RFC3339, s)
			return err != nil
		})},
	front.Mutant{Name: "list-shows-all", Variant: "guarded", Summary: "ListTasks returns the tasks of every client.",
		Reply: pageOf(func(x *front.Reply, _ []any) {
			all := allTasks(x)
			front.Put(x.Body, "result/tasks", all)
			front.Put(x.Body, "result/totalSize", len(all))
		})},
	front.Mutant{Name: "list-counts-all", Variant: "guarded", Summary: "The totalSize counts the tasks of every client.",
		Reply: pageOf(func(x *front.Reply, _ []any) { front.Put(x.Body, "result/totalSize", len(allTasks(x))) })},
	front.Mutant{Name: "list-unordered", Summary: "What is asked a second time comes in another order.",
		Reply: pageOf(func(x *front.Reply, tasks []any) {
			asked, _ := json.Marshal(front.At(x.Request, "params"))
			if len(tasks) > 1 && x.Server.Notes.Count("page "+x.Binding()+string(asked))%2 == 0 {
				tasks[0], tasks[1] = tasks[1], tasks[0]
			}
		})},
)

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
