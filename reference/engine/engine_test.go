package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// say returns a request with one text.
func say(task, text string) Request {
	return Request{Task: task, Session: "s", Message: Message{Role: User, Parts: []Part{Text(text)}}}
}

// follow sends a message and returns the states and the pieces that came of it.
func follow(t *testing.T, e *Engine, r Request) (states []State, pieces int) {
	t.Helper()
	sub, err := e.Send(r)
	if err != nil {
		t.Fatal(err)
	}
	for {
		ev, ok := sub.Next(t.Context())
		if !ok {
			return states, pieces
		}
		if ev.Status != nil {
			states = append(states, ev.Status.State)
		} else {
			pieces++
		}
	}
}

func TestScripts(t *testing.T) {
	e := New(Options{Asks: true, Rejects: true})
	defer e.Close()
	for _, test := range []struct {
		text           string
		end            State
		events, pieces int
	}{
		{"echo hello", Completed, 3, 0},
		{"anything else", Completed, 3, 0},
		{"ask", InputRequired, 3, 0},
		{"fail", Failed, 3, 0},
		{"slow 0.01", Completed, 6, 0},
		{"slow often", Failed, 3, 0},
		{"artifact", Completed, 4, 3},
		{"remember blue", Completed, 3, 0},
		{"recall", Completed, 3, 0},
		{"reject", Rejected, 3, 0},
		{"needauth", AuthRequired, 3, 0},
		{"tck-complete-task now", Completed, 3, 0},
		{"tck-input-required", InputRequired, 3, 0},
		{"tck-reject-task", Rejected, 3, 0},
		{"tck-artifact-text", Completed, 3, 1},
		{"tck-artifact-file", Completed, 3, 1},
		{"tck-artifact-file-url", Completed, 3, 1},
		{"tck-artifact-data", Completed, 3, 1},
		{"tck-long-running", Completed, 3, 1},
		{"tck-multi-turn", InputRequired, 3, 0},
		{"tck-stream-basic", Completed, 3, 1},
		{"tck-stream-chunked", Completed, 4, 3},
		{"tck-task-failure", Failed, 3, 0},
		{"tck-auth-required", AuthRequired, 3, 0},
	} {
		t.Run(test.text, func(t *testing.T) {
			states, pieces := follow(t, e, say(test.text, test.text))
			if len(states) != test.events || states[0] != Submitted || states[len(states)-1] != test.end || pieces != test.pieces {
				t.Errorf("states %v with %d pieces", states, pieces)
			}
			task, err := e.Task(test.text)
			if err != nil || task.Status.State != test.end || len(task.History) != 2 {
				t.Errorf("task %+v, %v", task, err)
			}
		})
	}
}

func TestAnswerContinuesTask(t *testing.T) {
	e := New(Options{Asks: true})
	defer e.Close()
	follow(t, e, say("t", "ask"))
	if states, _ := follow(t, e, say("t", "blue")); len(states) != 2 || states[0] != Working || states[1] != Completed {
		t.Errorf("states %v", states)
	}
	if _, err := e.Send(say("t", "more")); !errors.Is(err, ErrFinished) {
		t.Errorf("a finished task took a message: %v", err)
	}
	if _, err := e.Subscribe("t"); !errors.Is(err, ErrFinished) {
		t.Errorf("a finished task was subscribed to: %v", err)
	}
}

func TestAsksAsOftenAsTold(t *testing.T) {
	e := New(Options{Asks: true})
	defer e.Close()
	for text, questions := range map[string]int{"ask": 1, "ask 1": 1, "ask 3": 3, "ask 0": 1, "ask me": 1, "ask 101": 1} {
		states, _ := follow(t, e, say(text, text))
		asked := 0
		for states[len(states)-1] == InputRequired {
			asked++
			states, _ = follow(t, e, say(text, "blue"))
		}
		if asked != questions || states[len(states)-1] != Completed {
			t.Errorf("%q: %d questions, then %v", text, asked, states)
		}
	}
}

func TestAsksUntilFinalAnswer(t *testing.T) {
	e := New(Options{Asks: true})
	defer e.Close()
	follow(t, e, say("t", "tck-multi-turn start"))
	for _, answer := range []string{"more", "and more", "done"} {
		states, _ := follow(t, e, say("t", answer))
		if want := map[bool]State{true: Completed, false: InputRequired}[answer == "done"]; states[len(states)-1] != want {
			t.Errorf("%q: %v", answer, states)
		}
	}
}

func TestCancel(t *testing.T) {
	e := New(Options{})
	defer e.Close()
	sub, err := e.Send(say("t", "slow 60"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Send(say("t", "more")); !errors.Is(err, ErrBusy) {
		t.Errorf("a working task took a message: %v", err)
	}
	if task, err := e.Cancel("t"); err != nil || task.Status.State != Canceled {
		t.Errorf("canceled: %+v, %v", task, err)
	}
	sub.Settle(t.Context(), time.Hour)
	if _, err := e.Cancel("t"); !errors.Is(err, ErrFinished) {
		t.Errorf("canceled twice: %v", err)
	}
	if _, err := e.Cancel("u"); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown task was canceled: %v", err)
	}
}

func TestSettleLosesPatience(t *testing.T) {
	e := New(Options{})
	defer e.Close()
	sub, err := e.Send(say("t", "slow 60"))
	if err != nil {
		t.Fatal(err)
	}
	sub.Settle(t.Context(), time.Millisecond)
	if task, _ := e.Task("t"); task.Status.State != Working {
		t.Errorf("state %s", task.Status.State)
	}
}

func TestDeliveriesFollowTheConfiguration(t *testing.T) {
	var mu sync.Mutex
	got := make(map[string][]State)
	e := New(Options{Deliver: func(_ context.Context, p Push, task Task, _ Event) error {
		mu.Lock()
		defer mu.Unlock()
		got[p.URL] = append(got[p.URL], task.Status.State)
		return nil
	}})
	r := say("t", "slow 0.2")
	r.Push = &Push{URL: "a"}
	sub, err := e.Send(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.SetPush("t", &Push{URL: "b"}); err != nil {
		t.Fatal(err)
	}
	sub.Settle(t.Context(), time.Hour)
	e.work.Wait()
	e.Close()
	mu.Lock()
	defer mu.Unlock()
	if b := got["b"]; got["a"][0] != Submitted || b[len(b)-1] != Completed {
		t.Errorf("deliveries %v", got)
	}
}

func TestSeveralConfigurations(t *testing.T) {
	var mu sync.Mutex
	got := make(map[string]State)
	e := New(Options{Deliver: func(_ context.Context, p Push, task Task, _ Event) error {
		mu.Lock()
		defer mu.Unlock()
		got[p.URL] = task.Status.State
		return errors.New("the receiver is ill")
	}})
	r := say("t", "slow 0.1")
	r.Push = &Push{URL: "a"}
	sub, err := e.Send(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Push{{ID: "b", URL: "old"}, {ID: "b", URL: "b"}, {ID: "c", URL: "c"}} {
		if kept, err := e.SetPush("t", &p); err != nil || kept.ID != p.ID || kept.URL != p.URL {
			t.Errorf("kept %+v, %v", kept, err)
		}
	}
	if err := e.DeletePush("t", "c"); err != nil {
		t.Error(err)
	}
	if list, err := e.Pushes("t"); err != nil || len(list) != 2 || list[0].ID != "t" || list[1].URL != "b" {
		t.Errorf("configurations %+v, %v", list, err)
	}
	sub.Settle(t.Context(), time.Hour)
	e.work.Wait()
	e.Close()
	mu.Lock()
	defer mu.Unlock()
	if got["a"] != Completed || got["b"] != Completed || got["old"] == Completed || got["c"] == Completed {
		t.Errorf("deliveries %v", got)
	}
}

func TestAcceptedModes(t *testing.T) {
	for mode, want := range map[string]bool{"text/plain": true, "TEXT/plain": true, "text/*": true, "*/*": true, "text/html": false, "image/*": false} {
		if Accepts(mode, "text/plain") != want {
			t.Errorf("%s: %v", mode, !want)
		}
	}
}
