// Command adapter is an adapter for a2a-conform on a2a-go v2: it does with the client of the SDK what the suite asks for, and
// prints as JSON what that saw. docs/adapters.md of a2a-conform describes the commands and the lines.
//
// The variable A2A_TRANSPORT names the binding that it prefers, such as HTTP+JSON.
//
// usage: a2a-conform client -- ./adapter, or by hand: adapter URL TEXT [SECOND]
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
)

// command is one thing that the suite asks for.
type command struct {
	Do, Text, Task string
	Wait           *bool
	After          int
	Since          *time.Time
}

// given is the context of a scenario.
type given struct {
	Scenario, URL string
	Do            []command
	Credentials   map[string]string
}

// line is what is reported, by the names of its members.
type line map[string]any

// adapter plays one scenario.
type adapter struct {
	given
	client *a2aclient.Client
	last   a2a.TaskInfo
	state  string
	whole  map[a2a.ArtifactID]string // the texts of artifacts
	order  []a2a.ArtifactID
	failed bool
}

func (a *adapter) say(l line) {
	if os.Getenv("A2A_CONFORM_KEEP") != "" {
		l["scenario"] = a.Scenario
	}
	text, _ := json.Marshal(l) // of texts, numbers and booleans
	fmt.Println(string(text))
}

// see reports a task, a message or an event.
func (a *adapter) see(event a2a.Event) {
	a.last = event.TaskInfo()
	switch e := event.(type) {
	case *a2a.Message:
		a.state = "message"
		a.say(line{"saw": "message", "id": e.ID, "text": a.textOf(e.Parts), "role": e.Role})
	case *a2a.Task:
		a.whole, a.order = map[a2a.ArtifactID]string{}, nil
		a.say(line{"saw": "task", "id": e.ID, "context": e.ContextID, "state": e.Status.State, "history": len(e.History)})
		for _, artifact := range e.Artifacts {
			a.seeArtifact(artifact, false)
		}
		a.seeStatus(e.Status)
	case *a2a.TaskStatusUpdateEvent:
		a.seeStatus(e.Status)
	case *a2a.TaskArtifactUpdateEvent:
		a.seeArtifact(e.Artifact, e.Append)
	}
}

func (a *adapter) seeStatus(s a2a.TaskStatus) {
	a.state = strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(string(s.State), "TASK_STATE_"), "_", "-"))
	l := line{"saw": "status", "task": a.last.TaskID, "state": s.State}
	if s.Message != nil {
		l["text"], l["role"] = a.textOf(s.Message.Parts), s.Message.Role
	}
	a.say(l)
}

func (a *adapter) seeArtifact(artifact *a2a.Artifact, appended bool) {
	text := a.textOf(artifact.Parts)
	before, known := a.whole[artifact.ID]
	if !known {
		a.order = append(a.order, artifact.ID)
	}
	if !appended {
		before = ""
	}
	a.whole[artifact.ID] = before + text
	a.say(line{"saw": "artifact", "id": artifact.ID, "text": text})
}

// textOf returns the texts of parts, and reports each part.
func (a *adapter) textOf(parts a2a.ContentParts) string {
	var texts []string
	for _, p := range parts {
		kind := "data"
		switch c := p.Content.(type) {
		case a2a.Text:
			kind = "text"
			texts = append(texts, string(c))
		case a2a.Raw:
			kind = "file"
		case a2a.URL:
			kind = "url"
		}
		a.say(line{"saw": "part", "kind": kind})
	}
	return strings.Join(texts, "\n")
}

// read reads a stream, until the application leaves it after some events.
func (a *adapter) read(events iter.Seq2[a2a.Event, error], after int) error {
	defer a.say(line{"saw": "end", "of": "stream"})
	n := 0
	for event, err := range events {
		if err != nil {
			return err
		}
		a.see(event)
		if n++; n == after {
			break
		}
	}
	return nil
}

func (a *adapter) works() bool { return a.state == "submitted" || a.state == "working" }

func (a *adapter) send(ctx context.Context, c command) (err error) {
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(c.Text))
	if c.Task == "last" {
		if message.ContextID = a.last.ContextID; a.state == "input-required" {
			message.TaskID = a.last.TaskID
		}
	}
	a.state, a.whole, a.order = "", map[a2a.ArtifactID]string{}, nil
	request := &a2a.SendMessageRequest{Message: message}
	if c.Wait != nil && !*c.Wait {
		request.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
		answer, err := a.client.SendMessage(ctx, request)
		if err == nil {
			a.see(answer)
		}
		return err
	}
	if err := a.read(a.client.SendStreamingMessage(ctx, request), c.After); err != nil {
		return err
	}
	for looks := 0; c.After == 0 && a.works() && looks < 40; looks++ {
		time.Sleep(500 * time.Millisecond)
		if err := a.get(ctx); err != nil {
			return err
		}
	}
	for _, id := range a.order {
		a.say(line{"saw": "artifact", "id": id, "text": a.whole[id], "assembled": true})
	}
	switch a.state {
	case "failed", "canceled", "rejected":
		a.failed = true
		fallthrough
	case "completed", "message":
		a.say(line{"saw": "end", "of": "task"})
	}
	return nil
}

func (a *adapter) get(ctx context.Context) error {
	task, err := a.client.GetTask(ctx, &a2a.GetTaskRequest{ID: a.last.TaskID})
	if err == nil {
		a.see(task)
	}
	return err
}

// session is the one to which the credentials of the scenario belong.
const session = a2aclient.SessionID("scenario")

// store returns the credentials by the names of the schemes on a card. What the SDK makes of them is its own affair.
func (a *adapter) store(card *a2a.AgentCard) *a2aclient.InMemoryCredentialsStore {
	store := a2aclient.NewInMemoryCredentialsStore()
	for name, scheme := range card.SecuritySchemes {
		credential := ""
		switch s := scheme.(type) {
		case a2a.HTTPAuthSecurityScheme:
			credential = a.Credentials["bearer"]
			if strings.EqualFold(s.Scheme, "basic") {
				credential = base64.StdEncoding.EncodeToString([]byte(a.Credentials["basic"]))
			}
		case a2a.APIKeySecurityScheme:
			credential = a.Credentials["key"]
		}
		if credential != "" {
			store.Set(session, name, a2aclient.AuthCredential(credential))
		}
	}
	return store
}

// use has a card be the one by which the agent is called.
func (a *adapter) use(ctx context.Context, card *a2a.AgentCard, err error) error {
	if err == nil {
		a.say(line{"saw": "card", "name": card.Name})
		options := []a2aclient.FactoryOption{a2aclient.WithCallInterceptors(&a2aclient.AuthInterceptor{Service: a.store(card)})}
		if prefers := os.Getenv("A2A_TRANSPORT"); prefers != "" {
			options = append(options, a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{a2a.TransportProtocol(prefers)}}))
		}
		a.client, err = a2aclient.NewFromCard(ctx, card, options...)
	}
	return err
}

func (a *adapter) do(ctx context.Context, c command) error {
	switch c.Do {
	case "stop": // it takes effect on the command before it
	case "card":
		card, err := agentcard.DefaultResolver.Resolve(ctx, a.URL)
		return a.use(ctx, card, err)
	case "extended-card":
		card, err := a.client.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
		return a.use(ctx, card, err)
	case "send", "stream":
		return a.send(ctx, c)
	case "get":
		return a.get(ctx)
	case "cancel":
		task, err := a.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a.last.TaskID})
		if err == nil {
			a.see(task)
		}
		return err
	case "subscribe":
		if a.works() {
			return a.read(a.client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: a.last.TaskID}), 0)
		}
	case "list":
		for token := ""; ; {
			page, err := a.client.ListTasks(ctx, &a2a.ListTasksRequest{PageToken: token, StatusTimestampAfter: c.Since})
			if err != nil {
				return err
			}
			for _, task := range page.Tasks {
				a.say(line{"saw": "task", "id": task.ID, "state": task.Status.State})
			}
			if token = page.NextPageToken; token == "" {
				return nil
			}
		}
	default:
		a.say(line{"cannot": c.Do})
	}
	return nil
}

// codes are the errors of the SDK by their codes.
var codes = map[int]error{-32700: a2a.ErrParseError, -32600: a2a.ErrInvalidRequest, -32601: a2a.ErrMethodNotFound, -32602: a2a.ErrInvalidParams, -32603: a2a.ErrInternalError,
	-32001: a2a.ErrTaskNotFound, -32002: a2a.ErrTaskNotCancelable, -32003: a2a.ErrPushNotificationNotSupported, -32004: a2a.ErrUnsupportedOperation,
	-32005: a2a.ErrUnsupportedContentType, -32006: a2a.ErrInvalidAgentResponse, -32007: a2a.ErrExtendedCardNotConfigured}

// play does all commands of a context, and returns the exit code.
func play(ctx context.Context, g given) int {
	a := &adapter{given: g}
	if g.Do[0].Do != "card" {
		g.Do = append([]command{{Do: "card"}}, g.Do...)
	}
	for i, c := range g.Do {
		if i+1 < len(g.Do) && g.Do[i+1].Do == "stop" {
			c.After = g.Do[i+1].After
		}
		if err := a.do(ctx, c); err != nil {
			a.failed = true
			l := line{"saw": "error", "message": err.Error()}
			for code, is := range codes {
				if errors.Is(err, is) {
					l["code"], l["name"] = code, is.Error()
				}
			}
			a.say(l)
			if a.client == nil {
				break
			}
		}
	}
	if a.failed {
		return 1
	}
	return 0
}

// parse reads a context.
func parse(text []byte) (g given) {
	if err := json.Unmarshal(text, &g); err != nil || len(g.Do) == 0 {
		fmt.Fprintln(os.Stderr, "that is no context:", err)
		os.Exit(2)
	}
	return g
}

func main() {
	ctx := a2aclient.AttachSessionID(context.Background(), session)
	if os.Getenv("A2A_CONFORM_KEEP") != "" { // one process for all scenarios
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			g := parse(in.Bytes())
			exit := play(ctx, g)
			(&adapter{given: g}).say(line{"saw": "end", "of": "scenario", "exit": exit})
		}
		return
	}
	if text := os.Getenv("A2A_CONFORM_CONTEXT"); text != "" {
		os.Exit(play(ctx, parse([]byte(text))))
	}
	g := given{URL: os.Args[1]}
	for _, text := range os.Args[2:] {
		if text != "" {
			g.Do = append(g.Do, command{Do: "send", Text: text, Task: "last"})
		}
	}
	os.Exit(play(ctx, g))
}
