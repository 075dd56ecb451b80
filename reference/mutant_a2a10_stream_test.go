package reference

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// v10Stream opens a stream and notes it.
func (p *player) v10Stream(step, id, params string, each func(any, func())) []arrival {
	return p.stream(step, "/", a2aCall(id, "SendStreamingMessage", params), each)
}

func (p *player) v10Streams() {
	p.v10Stream("stream without message", `"s"`, `{}`, nil)
	p.v10Stream("stream to unknown task", `"s"`, v10Text("hello", `,"taskId":"unknown"`, ""), nil)
	p.v10Stream("stream of odd type", `"s"`, v10Text("", `,"parts":[{"raw":"aGk=","mediaType":"application/x-odd"}]`, ""), nil)
	p.v10Stream("stream of hello", `"s"`, v10Text("hello", "", ""), nil)
	task := func(list []arrival) string {
		if len(list) == 0 {
			return ""
		}
		return text(list[0].body, "task/id")
	}
	quick := p.v10Stream("stream", `7`, v10Text("echo hello", "", `,"configuration":{"returnImmediately":true,"taskPushNotificationConfig":{"url":"https://hook.invalid/"}}`), nil)
	p.v10("streamed", "GetTask", `{"id":"`+task(quick)+`"}`)
	p.v10("list of streamed", "ListTaskPushNotificationConfigs", `{"taskId":"`+task(quick)+`"}`)
	p.v10("subscribe to streamed", "SubscribeToTask", `{"id":"`+task(quick)+`"}`)
	chunks := p.v10Stream("chunks", `"s"`, v10Text("artifact", "", ""), nil)
	if len(chunks) > 0 {
		p.note("chunks", fmt.Sprint("spread: ", chunks[len(chunks)-1].at.Sub(chunks[0].at) > 50*time.Millisecond))
	}
	p.v10("chunks stored", "GetTask", `{"id":"`+task(chunks)+`"}`)
	for _, script := range []string{"fail", "crash"} {
		p.v10Stream("stream of "+script, `"s"`, v10Text(script, "", ""), nil)
	}
	asked := p.v10Stream("stream of question", `"s"`, v10Text("ask", "", ""), nil)
	answered := p.v10Stream("stream of answer", `"s"`, v10Text("blue", `,"taskId":"`+task(asked)+`"`, ""), nil)
	p.note("answered", fmt.Sprint("the same: ", task(asked) == task(answered)))
}

// v10State is the state that an event tells.
func v10State(event any) string {
	for _, path := range []string{"statusUpdate/status/state", "task/status/state", "status/state"} {
		if s := text(event, path); s != "" {
			return s
		}
	}
	return ""
}

// seen is what came of a stream.
type seen struct {
	events []arrival
	raw    string
}

// told tells in which states a stream begins and ends, how, and what its events are.
func (s seen) told() string {
	var kinds, states []string
	back, worked, over := false, false, 0
	for _, a := range s.events {
		for kind := range object(a.body, "") {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		state := v10State(a.body)
		back = back || worked && state == "TASK_STATE_SUBMITTED"
		if state == "TASK_STATE_WORKING" && !has(a.body, "task") {
			worked = true
		}
		if len(states) > 0 && states[len(states)-1] == "TASK_STATE_COMPLETED" {
			over++
		}
		states = append(states, state)
	}
	slices.Sort(kinds)
	last := ""
	if len(states) > 0 {
		last = states[len(states)-1]
	}
	return fmt.Sprint(len(s.events) > 2, " ", kinds, " last: ", last, " back: ", back, " after: ", over, strings.Contains(s.raw, " ended\n"), strings.Contains(s.raw, `"id":"s"`), strings.Contains(s.raw, `"id":"again"`))
}

// v10Quiet reads a stream and notes nothing.
func (p *player) v10Quiet(method, params string, each func(any, func())) seen {
	id := `"s"`
	if method == "SubscribeToTask" {
		id = `"again"`
	}
	quiet := &player{t: p.t, server: p.server, client: p.client, headers: p.headers, seen: map[string]string{}}
	events := quiet.stream("", "/", a2aCall(id, method, params), each)
	return seen{events, quiet.seen[""]}
}

// v10Subscriptions follows a task that runs and one that waits.
func (p *player) v10Subscriptions() {
	slow := text(p.v10Post("SendMessage", v10Text("slow 0.2", "", v10Now)), "result/task/id")
	list := p.v10Quiet("SubscribeToTask", `{"id":"`+slow+`"}`, nil)
	p.note("subscribed", list.told())
	waiting := text(p.v10Post("SendMessage", v10Text("ask", "", "")), "result/task/id")
	list = p.v10Quiet("SubscribeToTask", `{"id":"`+waiting+`"}`, func(event any, _ func()) {
		if v10State(event) == "TASK_STATE_INPUT_REQUIRED" {
			p.v10Post("SendMessage", v10Text("artifact", `,"taskId":"`+waiting+`"`, ""))
		}
	})
	p.note("subscribed to what waits", list.told()+" "+list.raw)
	p.note("subscribed twice", p.v10Twice())
	// On a slow machine the task may have ended before it is subscribed to.
	working, pieces := false, false
	for range 3 {
		late := text(p.v10Post("SendMessage", v10Text("artifact", "", v10Now)), "result/task/id")
		p.await(200*time.Millisecond, func() bool {
			return text(p.v10Post("GetTask", `{"id":"`+late+`"}`), "result/status/state") != "TASK_STATE_SUBMITTED"
		})
		list = p.v10Quiet("SubscribeToTask", `{"id":"`+late+`"}`, nil)
		working = working || len(list.events) > 0 && text(list.events[0].body, "task/status/state") == "TASK_STATE_WORKING"
		pieces = pieces || strings.Contains(list.raw, "artifactUpdate")
		if working && pieces {
			break
		}
	}
	p.note("subscribed late", fmt.Sprint(working, pieces))
	newest := text(p.v10Post("SendMessage", v10Text("slow 0.1", "", v10Now)), "result/task/id")
	p.note("subscribed without id", fmt.Sprint(newest != "", strings.Contains(p.v10Quiet("SubscribeToTask", `{}`, nil).raw, "-32602")))
}

// v10Twice follows a task that waits by two subscriptions, of which the second answers
// it, and tells how many events each got.
func (p *player) v10Twice() string {
	waiting := text(p.v10Post("SendMessage", v10Text("ask", "", "")), "result/task/id")
	follow := func(begun func()) int {
		return len(p.v10Quiet("SubscribeToTask", `{"id":"`+waiting+`"}`, func(event any, _ func()) {
			if has(event, "task") {
				begun()
			}
		}).events)
	}
	var second sync.WaitGroup
	two := 0
	one := follow(func() {
		second.Go(func() {
			two = follow(func() { p.v10Post("SendMessage", v10Text("blue", `,"taskId":"`+waiting+`"`, "")) })
		})
	})
	second.Wait()
	return fmt.Sprint(one, " and ", two)
}

// v10Two follows a task that waits by two subscriptions, and answers when both have
// begun.
func (p *player) v10Two() {
	id := p.v10Say("question for two", "ask")
	var all sync.WaitGroup
	first, begun, again := make(chan struct{}), false, false
	all.Go(func() {
		p.v10Quiet("SubscribeToTask", `{"id":"`+id+`"}`, func(any, func()) {
			if !begun {
				begun = true
				close(first)
			}
		})
		if !begun { // nothing came
			close(first)
		}
	})
	<-first
	list := p.v10Quiet("SubscribeToTask", `{"id":"`+id+`"}`, func(any, func()) {
		if !again {
			again = true
			p.v10Post("SendMessage", v10Text("blue", `,"taskId":"`+id+`"`, ""))
		}
	})
	all.Wait()
	var states []string
	for _, e := range list.events {
		states = append(states, v10State(e.body))
	}
	p.note("second of two", fmt.Sprint(states))
}

// v10Drops follows tasks that are canceled, and whose reader goes away.
func (p *player) v10Drops() {
	p.v10Stream("stream canceled", `"s"`, v10Text("slow 2", "", ""), func(event any, _ func()) {
		if v10State(event) == "TASK_STATE_WORKING" {
			p.v10Post("CancelTask", `{"id":"`+text(event, "statusUpdate/taskId")+`"}`)
		}
	})
	var both sync.WaitGroup
	for _, id := range []string{"one", "two"} {
		both.Go(func() {
			chunks := 0
			for _, a := range p.v10Quiet("SendStreamingMessage", v10Text("artifact", "", ""), nil).events {
				if has(a.body, "artifactUpdate") {
					chunks++
				}
			}
			p.note("chunks of "+id, fmt.Sprint(chunks))
		})
	}
	both.Wait()
	p.client.CloseIdleConnections()
	var dropped string
	p.v10Quiet("SendStreamingMessage", v10Text("slow 0.6", "", ""), func(event any, drop func()) {
		if dropped == "" {
			dropped = text(event, "task/id")
		}
		drop()
	})
	again := p.v10Quiet("SubscribeToTask", `{"id":"`+dropped+`"}`, nil)
	p.note("subscribed", again.told())
	p.v10Poll("dropped", dropped, 50*time.Millisecond)
}

// v10Several opens several streams of one task, one of which is dropped.
func (p *player) v10Several() {
	task, over := make(chan string, 1), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		defer close(over)
		list := p.v10Quiet("SendStreamingMessage", v10Text("slow 0.5", "", ""), func(event any, _ func()) {
			if id := text(event, "task/id"); id != "" {
				select {
				case task <- id:
				default: // it is known, and a mutant shows the task more than once
				}
			}
		})
		p.note("first stream", list.told())
	})
	id := ""
	select {
	case id = <-task:
	case <-over: // it named no task
	}
	all.Go(func() { p.note("second stream", p.v10Quiet("SubscribeToTask", `{"id":"`+id+`"}`, nil).told()) })
	p.v10Quiet("SubscribeToTask", `{"id":"`+id+`"}`, func(_ any, drop func()) { drop() })
	all.Wait()
}
