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
	unpaid bool     // what it was to be paid for was not paid
	cancel context.CancelFunc
	busy   chan struct{} // closed when the turn begins to take time
	begun  sync.Once
}

// scripts are the behaviours a message can ask for by its first word. Any
// other text is echoed.
var scripts = map[string]func(u *turn, rest string){
	"echo":     (*turn).completeTaskEchoingAnswer,
	"slow":     (*turn).workSlowly,
	"ask":      (*turn).askQuestions,
	"needauth": (*turn).needAuth,
	"reject":   (*turn).rejectOrFailTask,
	"fail":     (*turn).failOnRequest,
	"crash":    (*turn).failWithoutRegularEnd,
	"artifact": (*turn).deliverPiecesAndComplete,
	"remember": (*turn).rememberAndComplete,
	"recall":   (*turn).completeWithMemory,
	"pay":      (*turn).demandPaymentOrEcho,
}

// runScript does the work. A turn on a task that was there already, be it waiting or
// not, has been announced as working.
func (u *turn) runScript(announced, waiting bool) {
	if !announced {
		u.reportWorking("Working on it.")
	}
	leave, ok := u.waitForAgent()
	if !ok {
		return
	}
	defer leave()
	if !u.simulateWork(u.engine.o.Latency) {
		return
	}
	switch {
	case u.unpaid:
		u.demandPaymentOrEcho("")
		return
	case waiting && !u.asksAgain():
		u.completeTaskWithMessage("You answered: " + u.text)
		return
	case waiting:
		u.askOrCompleteWithQuestion()
		return
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(u.text), " ")
	if script, ok := scripts[word]; ok {
		script(u, rest)
		return
	}
	if script, rest := findPrefixScript(u.text); script != nil {
		script(u, rest)
		return
	}
	u.completeTaskEchoingAnswer(u.text)
}

// waitForAgent waits until a serial agent has done all other work. It reports false if the turn was canceled before.
func (u *turn) waitForAgent() (leave func(), ok bool) {
	if !u.engine.o.Serial {
		return func() {}, true
	}
	desk := u.engine.desk
	select {
	case desk <- struct{}{}:
		return func() { <-desk }, true
	default:
	}
	u.begun.Do(func() { close(u.busy) })
	select {
	case desk <- struct{}{}:
		return func() { <-desk }, true
	case <-u.Done():
		return nil, false
	}
}

// completeTaskEchoingAnswer answers at once, of a long text with its beginning. A rich engine shows
// every kind of part.
func (u *turn) completeTaskEchoingAnswer(answer string) {
	if answer = truncateText(answer); answer == "" {
		answer = "(nothing)"
	}
	if u.engine.o.Rich {
		u.deliverArtifact(Artifact{
			Name: "answer", Description: "The answer as plain text.",
			Parts:    []Part{Text(answer)},
			Metadata: map[string]any{"language": "en"},
		})
		u.deliverArtifact(newFileAndDataArtifact(answer))
	}
	u.completeTaskWithMessage(answer)
}

// truncateText returns as much of a text as an answer repeats: a text of a megabyte would come
// back in each of its forms.
func truncateText(text string) string {
	const most = 4 << 10
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// newFileAndDataArtifact holds the kinds of part that an answer in plain text lacks.
func newFileAndDataArtifact(answer string) Artifact {
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

// workSlowly works for the number of seconds in its argument and reports progress
// four times.
func (u *turn) workSlowly(secondsText string) {
	seconds, err := strconv.ParseFloat(strings.TrimSpace(secondsText), 64)
	if err != nil || seconds < 0 || seconds > 3600 {
		u.failTask("slow needs a number of seconds from 0 to 3600")
		return
	}
	total := time.Duration(seconds * float64(time.Second))
	for _, progress := range []string{"25%", "50%", "75%"} {
		if !u.simulateWork(total / 4) {
			return
		}
		u.reportWorking("Still working: " + progress)
		u.spoilProgress()
	}
	if u.simulateWork(total / 4) {
		u.completeTaskWithMessage("Done after " + total.String() + ".")
	}
}

// askQuestions asks once, or as often as its argument states, each time after the answer to
// the question before.
func (u *turn) askQuestions(times string) {
	if n, err := strconv.Atoi(strings.TrimSpace(times)); err == nil && n <= 100 {
		u.engine.mu.Lock()
		u.task.questions = n - 1
		u.engine.mu.Unlock()
	}
	u.askOrCompleteWithQuestion()
}

// asksAgain reports whether the agent has a further question, and counts it.
func (u *turn) asksAgain() bool {
	u.engine.mu.Lock()
	defer u.engine.mu.Unlock()
	if u.task.untilFinal {
		return strings.TrimSpace(u.text) != finalAnswer
	}
	u.task.questions--
	return u.task.questions >= 0
}

func (u *turn) askOrCompleteWithQuestion() {
	const question = "Which color do you want?"
	if !u.engine.o.Asks {
		u.completeTaskWithMessage(question)
		return
	}
	u.announceStatus(Status{State: InputRequired, Message: u.newReply(question)})
}

// needAuth asks for what another system wants to see first.
func (u *turn) needAuth(string) {
	const need = "I need your login for the calendar."
	if !u.engine.o.Asks {
		u.completeTaskWithMessage(need)
		return
	}
	m := u.newReply(need)
	m.Parts = append(m.Parts, Part{Data: map[string]any{"system": "calendar.example.com", "schemes": []any{"OAuth2"}}})
	s := Status{State: InputRequired, Message: m}
	if u.engine.o.Rejects {
		s.State = AuthRequired
	}
	u.announceStatus(s)
}

func (u *turn) rejectOrFailTask(string) {
	const why = "The agent does not do such things."
	if !u.engine.o.Rejects {
		u.failTask(why)
		return
	}
	u.announceStatus(Status{State: Rejected, Message: u.newReply(why)})
}

func (u *turn) failOnRequest(string) {
	u.failTask("The agent was asked to fail.")
}

// failWithoutRegularEnd breaks off in the middle of the work: what follows it can learn no
// regular end.
func (u *turn) failWithoutRegularEnd(string) {
	const why = "The agent broke off."
	u.announceStatus(Status{State: Failed, Message: u.newReply(why), Failure: why, Broken: true})
}

// deliverPiecesAndComplete delivers one artifact in three pieces, far enough apart for a
// reader to see that each is sent as it arises.
func (u *turn) deliverPiecesAndComplete(string) {
	pieces := []string{"The first piece, ", "the second piece, ", "and the last."}
	for i, text := range pieces {
		if !u.simulateWork(40 * time.Millisecond) {
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
		u.deliverArtifact(a)
		if i == 1 {
			u.reportWorking("Almost there.")
		}
	}
	if u.simulateWork(30 * time.Millisecond) {
		u.completeTaskWithMessage(strings.Join(pieces, ""))
	}
}

func (u *turn) rememberAndComplete(what string) {
	u.engine.mu.Lock()
	if s := u.memoryKey(); s != "" && !u.engine.o.Defects.Forgets {
		u.engine.memory[s] = append(u.engine.memory[s], what)
	}
	u.engine.mu.Unlock()
	u.completeTaskWithMessage("I will remember it.")
}

func (u *turn) completeWithMemory(string) {
	u.engine.mu.Lock()
	known := strings.Join(u.engine.memory[u.memoryKey()], ", ")
	u.engine.mu.Unlock()
	if known == "" {
		u.completeTaskWithMessage("I remember nothing.")
		return
	}
	u.completeTaskWithMessage("I remember: " + known)
}

// simulateWork is the simulated work. It reports false when the turn was canceled.
func (u *turn) simulateWork(d time.Duration) bool {
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

func (u *turn) reportWorking(what string) {
	u.announceStatus(u.workingStatus(what))
}

// workingStatus returns a working status with a message of its own.
func (u *turn) workingStatus(what string) Status {
	return Status{State: Working, Message: u.newMessage(what)}
}

// newMessage returns a message that is not the reply of the turn, and has an id of its own.
func (u *turn) newMessage(what string) *Message {
	m := u.newReply(what)
	m.ID = u.engine.o.NewID()
	return m
}

func (u *turn) completeTaskWithMessage(answer string) {
	m := u.newReply(answer)
	if u.engine.o.Rich {
		length := Part{Data: map[string]any{"length": len(answer)}, Metadata: map[string]any{"form": "object"}}
		m.Parts = append(m.Parts, u.acceptedParts([]Part{length})...)
	}
	u.announceStatus(Status{State: Completed, Message: m})
}

func (u *turn) failTask(why string) {
	u.announceStatus(Status{State: Failed, Message: u.newReply(why), Failure: why})
}

func (u *turn) announceStatus(s Status) {
	u.engine.mu.Lock()
	defer u.engine.mu.Unlock()
	u.engine.announceStatusIfTurnCurrent(u, s)
}

// deliverArtifact stores and announces a piece of an artifact, without the parts that
// the client does not accept.
func (u *turn) deliverArtifact(a Artifact) {
	a.Extensions = u.active
	if a.Parts = u.acceptedParts(a.Parts); len(a.Parts) == 0 {
		return
	}
	u.engine.mu.Lock()
	defer u.engine.mu.Unlock()
	u.engine.storeAndAnnounceArtifact(u, a)
}

// acceptedParts returns those parts that are of a type the client accepts.
func (u *turn) acceptedParts(parts []Part) []Part {
	if len(u.modes) == 0 {
		return parts
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p Part) bool {
		return !slices.ContainsFunc(u.modes, func(mode string) bool { return Accepts(mode, p.mediaType()) })
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

func (p Part) mediaType() string {
	switch {
	case p.Text != nil:
		return "text/plain"
	case p.File != nil:
		return p.File.MIME
	default:
		return "application/json"
	}
}

// newReply returns the agent's message that ends the turn.
func (u *turn) newReply(text string) *Message {
	m := &Message{ID: u.reply, Role: Agent, Parts: []Part{Text(text)}, Time: time.Now().UTC(), Extensions: u.active}
	if u.engine.o.Rich {
		m.Parts[0].Metadata = map[string]any{"language": "en"}
		m.Metadata = map[string]any{"agent": "reference"}
	}
	return m
}
