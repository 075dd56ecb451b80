package a2a03

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// What is wrong in one binding may be right in the others: these are defects of the one
// that is given.

// ownTasks makes a mutant that does not know the tasks of other bindings.
func ownTasks(name, binding, called string) front.Mutant {
	key := func(task string) string { return "task over " + binding + " " + task }
	return front.Mutant{Name: name, Summary: "A task that was begun over another binding is unknown over " + called + ".",
		Call: func(c *front.Call) {
			for _, path := range []string{"params/id", "params/taskId", "params/message/taskId"} {
				if task := front.Text(c.Body, path); task != "" && c.Binding == binding && c.Notes.Read(key(task)) == nil {
					front.Put(c.Body, path, "another than "+task)
				}
			}
		},
		Reply: front.Answering(sendMethod, func(x *front.Reply) {
			if x.Binding() == binding {
				x.Server.Notes.Write(key(front.Text(x.Body, "result/id")), true)
			}
		}),
		Event: func(f *front.Frame) {
			if f.Reply.Binding() == binding && f.Method() == streamMethod {
				f.Reply.Server.Notes.Write(key(f.Task()), true)
			}
		}}
}

// over confines an edit to the replies in one binding that are errors of a method.
func over(binding, method string, code int, edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Binding() == binding && x.Answers(method, code) {
			edit(x)
		}
	}
}

// showing is a reply with the task of the call in another state.
func showing(state string) func(*front.Reply) {
	return func(x *front.Reply) {
		t := front.Generic(Server{x.Server}.Task(x.Task(), nil))
		front.Put(t, "status", map[string]any{"state": state})
		x.Succeed(t)
	}
}
