package engine

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// turn is the work on one message. Its context ends with cancellation.
type turn struct {
	context.Context
	engine *Engine
	task   *task
	text   string
	reply  string
	modes  []string // what the client accepts; empty: anything
	active []string // extensions
	owing  bool     // what it was to be paid for was not paid
	cancel context.CancelFunc
	busy   chan struct{} // closed when the turn begins to take time
	begun  sync.Once
}

// scripts are the behaviours a message can ask for by its first word. Any
// other text is echoed.
var scripts = map[string]func(u *turn, rest string){
	"echo":     (*turn).echo,
	"slow":     (*turn).slow,
	"ask":      (*turn).ask,
	"needauth": (*turn).needAuth,
	"reject":   (*turn).reject,
	"fail":     (*turn).fail,
	"crash":    (*turn).crash,
	"artifact": (*turn).artifact,
	"remember": (*turn).remember,
	"recall":   (*turn).recall,
	"pay":      (*turn).pay,
}

// run does the work. A turn on a task that was there already, be it waiting or
// not, has been announced as working.
func (u *turn) run(announced, waiting bool) {
	if !announced {
		u.working("Working on it.")
	}
	if !u.sleep(u.engine.o.Latency) {
		return
	}
	switch {
	case u.owing:
		u.pay("")
		return
	case waiting && !u.asksOn():
		u.complete("You answered: " + u.text)
		return
	case waiting:
		u.inquire()
		return
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(u.text), " ")
	if script, ok := scripts[word]; ok {
		script(u, rest)
		return
	}
	u.echo(u.text)
}

// echo answers at once, of a long text with its beginning. A rich engine shows
// every kind of part.
func (u *turn) echo(answer string) {
	if answer = quoted(answer); answer == "" {
		answer = "(nothing)"
	}
	if u.engine.o.Rich {
		u.deliver(Artifact{
			Name: "answer", Description: "The answer as plain text.",
			Parts:    []Part{Text(answer)},
			Metadata: map[string]any{"language": "en"},
		})
		u.deliver(attachments(answer))
	}
	u.complete(answer)
}

// quoted is as much of a text as an answer repeats: a text of a megabyte would come
// back in each of its forms.
func quoted(text string) string {
	const most = 4 << 10
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// attachments holds the kinds of part that an answer in plain text lacks.
func attachments(answer string) Artifact {
	content := base64.StdEncoding.EncodeToString([]byte(answer))
	return Artifact{
		Name: "attachments", Description: "The answer in other forms.", Index: 1,
		Parts: []Part{
			{File: &File{Name: "answer.txt", MIME: "text/plain", Bytes: content}, Metadata: map[string]any{"by": "value"}},
			{File: &File{Name: "answer.png", MIME: "image/png", URI: "https://files.example.com/answer.png"}},
			{Data: []any{"answer", len(answer)}, Metadata: map[string]any{"form": "list"}},
		},
		Metadata: map[string]any{"parts": 3},
	}
}

// slow works for the number of seconds in its argument and reports progress
// four times.
func (u *turn) slow(arg string) {
	seconds, err := strconv.ParseFloat(strings.TrimSpace(arg), 64)
	if err != nil || seconds < 0 || seconds > 3600 {
		u.failed("slow needs a number of seconds from 0 to 3600")
		return
	}
	total := time.Duration(seconds * float64(time.Second))
	for _, progress := range []string{"25%", "50%", "75%"} {
		if !u.sleep(total / 4) {
			return
		}
		u.working("Still working: " + progress)
		u.spoilProgress()
	}
	if u.sleep(total / 4) {
		u.complete("Done after " + total.String() + ".")
	}
}

// ask asks once, or as often as its argument says, each time after the answer to
// the question before.
func (u *turn) ask(times string) {
	if n, err := strconv.Atoi(strings.TrimSpace(times)); err == nil && n <= 100 {
		u.engine.mu.Lock()
		u.task.questions = n - 1
		u.engine.mu.Unlock()
	}
	u.inquire()
}

// asksOn reports whether the agent has a further question, and counts it.
func (u *turn) asksOn() bool {
	u.engine.mu.Lock()
	defer u.engine.mu.Unlock()
	u.task.questions--
	return u.task.questions >= 0
}

func (u *turn) inquire() {
	const question = "Which color do you want?"
	if !u.engine.o.Asks {
		u.complete(question)
		return
	}
	u.finish(Status{State: InputRequired, Message: u.say(question)})
}

// needAuth asks for what another system wants to see first.
func (u *turn) needAuth(string) {
	const need = "I need your login for the calendar."
	if !u.engine.o.Asks {
		u.complete(need)
		return
	}
	m := u.say(need)
	m.Parts = append(m.Parts, Part{Data: map[string]any{"system": "calendar.example.com", "schemes": []any{"OAuth2"}}})
	s := Status{State: InputRequired, Message: m}
	if u.engine.o.Rejects {
		s.State = AuthRequired
	}
	u.finish(s)
}

func (u *turn) reject(string) {
	const why = "The agent does not do such things."
	if !u.engine.o.Rejects {
		u.failed(why)
		return
	}
	u.finish(Status{State: Rejected, Message: u.say(why)})
}

func (u *turn) fail(string) {
	u.failed("The agent was asked to fail.")
}

// crash breaks off in the middle of the work: what follows it can learn no
// regular end.
func (u *turn) crash(string) {
	const why = "The agent broke off."
	u.finish(Status{State: Failed, Message: u.say(why), Failure: why, Broken: true})
}

// artifact delivers one artifact in three pieces, far enough apart for a
// reader to see that each is sent as it arises.
func (u *turn) artifact(string) {
	pieces := []string{"The first piece, ", "the second piece, ", "and the last."}
	for i, text := range pieces {
		if !u.sleep(40 * time.Millisecond) {
			return
		}
		a := Artifact{
			Parts:   []Part{Text(text)},
			Append:  i > 0,
			Last:    i == len(pieces)-1,
			Chunked: true,
		}
		if u.engine.o.Rich {
			a.Name, a.Description = "story.txt", "A story in three pieces."
			a.Metadata = map[string]any{"pieces": len(pieces)}
		}
		u.deliver(a)
		if i == 1 {
			u.working("Almost there.")
		}
	}
	if u.sleep(30 * time.Millisecond) {
		u.complete(strings.Join(pieces, ""))
	}
}

func (u *turn) remember(what string) {
	u.engine.mu.Lock()
	if s := u.session(); s != "" && !u.engine.o.Defects.Forgets {
		u.engine.memory[s] = append(u.engine.memory[s], what)
	}
	u.engine.mu.Unlock()
	u.complete("I will remember it.")
}

func (u *turn) recall(string) {
	u.engine.mu.Lock()
	known := strings.Join(u.engine.memory[u.session()], ", ")
	u.engine.mu.Unlock()
	if known == "" {
		u.complete("I remember nothing.")
		return
	}
	u.complete("I remember: " + known)
}

// sleep is the simulated work. It reports false when the turn was canceled.
func (u *turn) sleep(d time.Duration) bool {
	if d <= 0 {
		return u.Err() == nil
	}
	u.begun.Do(func() { close(u.busy) })
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-u.Done():
		return false
	}
}

func (u *turn) working(what string) {
	u.finish(u.note(what))
}

// note returns a working status with a message of its own.
func (u *turn) note(what string) Status {
	return Status{State: Working, Message: u.sayAnew(what)}
}

// sayAnew returns a message that is not the reply of the turn, and has an id of its own.
func (u *turn) sayAnew(what string) *Message {
	m := u.say(what)
	m.ID = u.engine.o.NewID()
	return m
}

func (u *turn) complete(answer string) {
	m := u.say(answer)
	if u.engine.o.Rich {
		length := Part{Data: map[string]any{"length": len(answer)}, Metadata: map[string]any{"form": "object"}}
		m.Parts = append(m.Parts, u.acceptable([]Part{length})...)
	}
	u.finish(Status{State: Completed, Message: m})
}

func (u *turn) failed(why string) {
	u.finish(Status{State: Failed, Message: u.say(why), Failure: why})
}

func (u *turn) finish(s Status) {
	u.engine.mu.Lock()
	defer u.engine.mu.Unlock()
	u.engine.update(u, s)
}

// deliver stores and announces a piece of an artifact, without the parts that
// the client does not accept.
func (u *turn) deliver(a Artifact) {
	a.Extensions = u.active
	if a.Parts = u.acceptable(a.Parts); len(a.Parts) == 0 {
		return
	}
	u.engine.mu.Lock()
	defer u.engine.mu.Unlock()
	u.engine.store(u, a)
}

// acceptable returns those parts that are of a type the client accepts.
func (u *turn) acceptable(parts []Part) []Part {
	if len(u.modes) == 0 {
		return parts
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p Part) bool {
		return !slices.ContainsFunc(u.modes, func(mode string) bool { return Accepts(mode, p.mime()) })
	})
}

// Accepts reports whether a type is, or falls under, the mode a client asked
// for, such as text/plain, text/* or */*.
func Accepts(mode, mime string) bool {
	if class, ok := strings.CutSuffix(mode, "/*"); ok {
		return class == "*" || strings.HasPrefix(mime, class+"/")
	}
	return strings.EqualFold(mode, mime)
}

func (p Part) mime() string {
	switch {
	case p.Text != nil:
		return "text/plain"
	case p.File != nil:
		return p.File.MIME
	default:
		return "application/json"
	}
}

// say returns the agent's message that ends the turn.
func (u *turn) say(text string) *Message {
	m := &Message{ID: u.reply, Role: Agent, Parts: []Part{Text(text)}, Time: time.Now().UTC(), Extensions: u.active}
	if u.engine.o.Rich {
		m.Parts[0].Metadata = map[string]any{"language": "en"}
		m.Metadata = map[string]any{"agent": "reference"}
	}
	return m
}
