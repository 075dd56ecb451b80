package reference

import (
	"fmt"
	"time"
)

func (p *player) v10Lists() {
	list := func(params string) any {
		return p.v10("list "+aTime.ReplaceAllString(params, "TIME"), "ListTasks", params)
	}
	for i := range 3 {
		p.v10("begin", "SendMessage", v10Text(fmt.Sprint("echo ", i), `,"contextId":"one"`, ""))
	}
	asked := text(p.v10("begin", "SendMessage", v10Text("ask", `,"contextId":"one"`, "")), "result/task/id")
	for _, context := range []string{"one", "two"} {
		p.v10("begin", "SendMessage", v10Text("ask", `,"contextId":"`+context+`"`, ""))
	}
	first := text(list(`{"contextId":"one","pageSize":2}`), "result/nextPageToken")
	page := p.v10("second page", "ListTasks", `{"contextId":"one","pageSize":2,"pageToken":"`+first+`"}`)
	p.note("paged", fmt.Sprint("on: ", first != text(page, "result/nextPageToken")))
	p.v10("third page", "ListTasks", `{"contextId":"one","pageSize":2,"pageToken":"`+text(page, "result/nextPageToken")+`"}`)
	for _, params := range []string{`{}`, `{}`, `{"contextId":"one"}`, `{"contextId":"one","status":"TASK_STATE_INPUT_REQUIRED"}`, `{"status":"TASK_STATE_COMPLETED"}`, `{"contextId":"none"}`,
		`{"includeArtifacts":false}`, `{"includeArtifacts":true}`, `{"historyLength":0}`, `{"historyLength":1}`, `{"pageSize":0}`, `{"pageSize":-1}`,
		`{"pageSize":150}`, `{"pageToken":"not-a-token"}`, `{"status":"TASK_STATE_RUNNING"}`, `{"statusTimestampAfter":"yesterday"}`} {
		list(params)
	}
	// The first task changes last, some time after the others.
	now := func() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }
	before := now()
	p.await(time.Second, func() bool { return now() > before })
	changed := p.v10("answer", "SendMessage", v10Text("blue", `,"taskId":"`+asked+`"`, ""))
	last := list(`{"contextId":"one","pageSize":1}`)
	p.note("moved", fmt.Sprint("to the front: ", text(last, "result/tasks/0/id") == asked))
	p.v10("since", "ListTasks", `{"statusTimestampAfter":"`+text(changed, "result/task/status/timestamp")+`"}`)
}
