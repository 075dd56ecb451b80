package serve

import (
	"fmt"
)

// streams are the scenarios about the form of event streams.
var streams = []Script{
	{Name: "stream", Twin: "hello", Doc: "A stream begins with a task, brings an artifact in fifty chunks and ends with the task.",
		set: func(s *stage) {
			s.streaming = true
			s.word("event-1")
			for i := range 50 {
				s.word(fmt.Sprintf("chunk-%d", i+1))
			}
			s.word("artifact")
			s.on["stream"] = func(c *call) {
				t := c.newTask(working)
				t.artifacts = []artifact{{c.ids.New(), []string{c.text("event-1")}}}
				events := []object{c.form.named("task", c.form.task(t))}
				id := c.ids.New()
				chunks := artifact{id: id}
				for i := range 50 {
					text := fmt.Sprintf("%d:%s ", i+1, c.marked(fmt.Sprintf("chunk-%d", i+1)))
					events = append(events, c.form.chunk(t, id, text, i > 0, i == 49))
					chunks.texts = append(chunks.texts, text)
				}
				t.artifacts = append(t.artifacts, chunks)
				c.stream(append(events, c.finish(t, completed))...)
			}
		}},
}
