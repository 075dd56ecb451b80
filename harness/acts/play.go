package acts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// player performs one test.
type player struct {
	c     *conversation.Conversation
	test  *Test
	scope *scope
	left  int                // comparisons
	hook  *conversation.Hook // made when a document needs it
	got   map[string]*answer // what was judged of each step
	notes []string           // about captures that found nothing
	// recorded is the play that is judged again; nil in a run. webhook is the URL of our webhook in it.
	recorded *record.Play
	webhook  string
	began    record.Instant // of the first exchange of a step
	ended    record.Instant // of its last exchange
}

// newPlayer returns the player of a test in a conversation.
func newPlayer(c *conversation.Conversation, t *Test, env Environment) *player {
	p := &player{c: c, test: t, left: maxComparisons, got: map[string]*answer{}}
	p.scope = &scope{test: t, env: env, baseURL: strings.TrimRight(c.RPC, "/"), newID: c.NewID, webhook: p.makeWebhook,
		responses: map[string]*record.Node{}, captured: map[string]map[string]*record.Node{}}
	return p
}

// makeWebhook returns the URL of our webhook, which leads nowhere if the server cannot reach us.
func (p *player) makeWebhook() string {
	if p.recorded != nil {
		return p.webhook
	}
	if p.hook == nil {
		p.hook = conversation.NewHook(p.c, "webhook")
	}
	return p.hook.URL
}

func (p *player) newEvaluator() evaluator { return evaluator{p.scope.resolveExpressions, &p.left} }

// playTest performs the steps of a test until one does not hold.
func (p *player) playTest() *TestResult {
	r := &TestResult{Test: p.test, Result: Passed}
	defer func() { r.Notes = p.notes }()
	if why := p.explainSkip(); why != "" {
		r.Result, r.SkipReason = Skipped, why
		return r
	}
	for i, s := range p.test.Steps {
		if p.c.Stopped() {
			r.setFailure(&Failure{Step: s.ID, Line: s.Line, Message: p.c.Play.Stop, Broken: true})
			break
		}
		p.began, p.ended = -1, -1
		f, unsayable := p.playStep(s)
		step := StepResult{ID: s.ID, Result: Passed, Duration: time.Duration(p.ended - p.began)}
		r.Duration += step.Duration
		switch {
		case unsayable != "":
			step.Result, r.Result, r.SkipReason = Skipped, Skipped, unsayable
		case f != nil:
			f.Step = s.ID
			r.setFailure(f)
			step.Result, step.Failure = r.Result, f
		}
		r.Steps = append(r.Steps, step)
		if r.Result != Passed {
			for _, rest := range p.test.Steps[i+1:] {
				r.Steps = append(r.Steps, StepResult{ID: rest.ID, Result: Skipped})
			}
			return r
		}
	}
	if f := p.checkNamed(p.test.Assertions); f != nil && r.Result == Passed {
		r.setFailure(f)
	}
	return r
}

// explainSkip returns why a test is not performed with this server.
func (p *player) explainSkip() string {
	t := p.test
	kind := transportOf(p.c.CallBinding())
	switch {
	case t.IsClientTest():
		return "it is about a client, and needs a client with an adapter: a2a-conform acts FILE -- COMMAND"
	case t.AssertsNothing():
		return "it asserts nothing, so that no answer could fail it"
	case len(t.Transports) > 0 && !slices.Contains(t.Transports, kind):
		return "it is about " + strings.Join(t.Transports, " and ") + ", and this run calls by " + kind
	}
	if why := p.explainRunnerRequirements(); why != "" {
		return why
	}
	if t.Preconditions != nil {
		if why := p.explainPreconditions(t.Preconditions, kind); why != "" {
			return why
		}
	}
	for _, name := range t.undefined {
		if _, given := p.scope.env.Vars[name]; !given {
			return fmt.Sprintf("it uses {{%s}}, which its document does not define; give --var %[1]s=VALUE", name)
		}
	}
	return ""
}

// explainRunnerRequirements returns what the test needs of us that we do not have.
func (p *player) explainRunnerRequirements() string {
	for _, need := range p.test.RunnerRequirements {
		switch {
		case need == "webhook_endpoint" && p.c.Receiver != nil, need == "auth_credentials" && len(p.c.Secrets) > 0:
		case need == "webhook_endpoint":
			return "it needs a webhook that the server can reach; give --webhook-listen"
		case need == "auth_credentials":
			return "it needs credentials; give --bearer-env, --basic-env, --api-key-env or --header"
		default:
			return "it requires " + need + ", which its steps cannot describe and this runner does not do by itself"
		}
	}
	return ""
}

// explainPreconditions returns what the agent card lacks for a test.
func (p *player) explainPreconditions(pre *Preconditions, kind string) string {
	root := p.c.Card.Root()
	if len(pre.Transports) > 0 && !slices.Contains(pre.Transports, kind) {
		return "it needs " + strings.Join(pre.Transports, " or ") + ", and this run calls by " + kind
	}
	for _, c := range pre.Capabilities {
		got := root.At("/capabilities").Member(c.Name)
		want := newNode(c.Value)
		if got == nil && want.Kind == record.Bool && !want.Bool {
			continue // a capability that is absent is not there
		}
		if got == nil || !got.Equal(want) {
			return fmt.Sprintf("the card has %s for capabilities.%s, and the test needs %s", describeNode(got), quoteIfOdd(c.Name), describeNode(want))
		}
	}
	for _, id := range pre.Skills {
		if !hasElement(root.At("/skills"), "id", id) {
			return "the card has no skill with the id " + quoteIfOdd(id)
		}
	}
	for _, uri := range pre.Extensions {
		if !hasElement(root.At("/capabilities/extensions"), "uri", uri) {
			return "the card does not list the extension " + quoteIfOdd(uri)
		}
	}
	return ""
}

// hasElement reports whether an object of a list has a member with that text.
func hasElement(list *record.Node, member, text string) bool {
	return list != nil && slices.ContainsFunc(list.Elems, func(e *record.Node) bool {
		n := e.Member(member)
		return n != nil && n.Kind == record.String && n.String == text
	})
}

// transportOf returns the name of a binding in the words of the grammar.
func transportOf(b binding.Binding) string {
	return map[string]string{schema.KindJSONRPC: "jsonrpc", schema.KindREST: "rest", schema.KindGRPC: "grpc"}[b.Kind()]
}

// playStep performs a step. It returns why the step does not hold, or why this binding cannot express it.
func (p *player) playStep(s *Step) (f *Failure, unsayable string) {
	if s.Inline != nil {
		return p.checkNamed([]*NamedAssertion{s.Inline}), ""
	}
	p.pauseInRun(time.Duration(s.DelayMS) * time.Millisecond)
	attempts, delay := 1, time.Duration(0)
	if s.Repeat != nil {
		attempts, delay = s.Repeat.MaxAttempts, time.Duration(s.Repeat.DelayMS)*time.Millisecond
	}
	var a *answer
	for n := 1; n <= attempts; n++ {
		if n > 1 {
			p.pauseInRun(delayOfAttempt(s.Repeat.Backoff, delay, n-1))
		}
		if p.c.Context.Err() != nil {
			return newTimeUp(s), ""
		}
		a, unsayable, f = p.makeCall(s, n)
		if f != nil || unsayable != "" {
			return f, unsayable
		}
		if s.Repeat == nil {
			break
		}
		done, f := p.checkRepetition(s.Repeat, a, n)
		if f != nil {
			return f, ""
		}
		if done {
			break
		}
	}
	return p.judgeAnswer(s, a), ""
}

// checkRepetition reports whether a step was repeated enough after its nth attempt, and why it does not hold if the condition is
// still not met after the last one.
func (p *player) checkRepetition(r *Repeat, a *answer, n int) (done bool, f *Failure) {
	done, err := p.newEvaluator().checkCondition(r.Until, a.root)
	switch {
	case err != nil:
		return false, newBroken(r.Line, "", err)
	case !done && n == r.MaxAttempts:
		got := followOne(a.root, r.Until.Path.Steps)
		return false, newFailure(&Assertion{Line: r.Line}, r.Until.Path.Text, fmt.Sprintf("such that %s after %d attempts", r.Until.Text, n), got)
	}
	return done, nil
}

// pauseInRun lets time pass before a call. A record has the calls already.
func (p *player) pauseInRun(d time.Duration) {
	if p.recorded == nil && d > 0 {
		p.c.Pause(d)
	}
}

// delayOfAttempt returns how long to wait after so many attempts, at most a minute unless the document names more.
func delayOfAttempt(kind string, delay time.Duration, attempts int) time.Duration {
	most := max(delay, time.Minute)
	switch kind {
	case "linear":
		return min(delay*time.Duration(attempts), most)
	case "exponential":
		return min(delay<<min(attempts-1, 20), most)
	}
	return delay
}

// judgeAnswer compares an answer with what a step expects, and keeps what the step captures.
func (p *player) judgeAnswer(s *Step, a *answer) *Failure {
	p.scope.responses[s.ID], p.got[s.ID] = a.wholeAnswer(), a
	if f := p.checkExpectations(s, a); f != nil {
		return f
	}
	values := map[string]*record.Node{}
	p.scope.captured[s.ID] = values
	for _, c := range s.Captures {
		for _, root := range a.captureRoots() {
			if n := followOne(root, c.Path.Steps); n != nil {
				values[c.Name] = n
				break
			}
		}
		if values[c.Name] != nil {
			continue
		}
		lost := fmt.Errorf("capture %s found nothing at %s; look at the spelling of the path", quoteIfOdd(c.Name), quoteShort(c.Path.Text))
		if p.test.strict {
			return newBroken(c.Line, c.Path.Text, lost)
		}
		p.notes = append(p.notes, fmt.Sprintf("%s:%d: step %s: %v", p.test.File, c.Line, s.ID, lost))
	}
	return p.checkNamed(s.Assertions)
}

// leadsNowhere reports whether a path has no element in an answer.
func leadsNowhere(n *record.Node, path Path) bool {
	if n == nil {
		return true
	}
	found, _ := followPath(n, path.Steps)
	return len(found) == 0
}

// checkNamed returns why one of the assertions about sources does not hold.
func (p *player) checkNamed(all []*NamedAssertion) *Failure {
	for _, a := range all {
		n, err := p.scope.findSource(a)
		if err != nil {
			return newBroken(a.Line, a.Source, err)
		}
		if f := p.newEvaluator().checkCollections(a, n); f != nil {
			return f
		}
		if a.None != nil && leadsNowhere(n, a.None.Path) {
			p.notes = append(p.notes, fmt.Sprintf("%s:%d: none of the elements at %s: the path leads to no element; look at its spelling", p.test.File, a.None.Line, quoteShort(a.None.Path.Text)))
		}
	}
	return nil
}

// makeCall makes the call of a step, its nth attempt.
func (p *player) makeCall(s *Step, n int) (a *answer, unsayable string, f *Failure) {
	name := s.ID
	if n > 1 {
		name = fmt.Sprintf("%s-%d", s.ID, n)
	}
	if s.Raw != nil {
		return p.makeRawCall(s, name)
	}
	params, err := p.scope.resolveParams(s.Params)
	if err != nil {
		return nil, "", newBroken(s.Line, "", err)
	}
	operation := s.Operation
	given, _ := params.(map[string]any)
	if extended, ok := given["extended"].(bool); ok && extended && operation == "get_agent_card" {
		operation, given = "get_extended_agent_card", map[string]any{}
	}
	if operation == "get_agent_card" {
		if p.c.CardURL == "" {
			return nil, "the server does not publish its card", nil
		}
		a, f = p.readAnswer(s, "card", p.fetchCard(name))
		return a, "", f
	}
	given = convertParams(operation, given, func() string { return conversation.NewMessageID(p.c) })
	replaceForeignWebhooks(given, operation == "create_push_config", p.makeWebhook(), p.scope.env.Vars[webhookVariable])
	if _, has := given["tenant"]; !has && p.c.Tenant != "" {
		given["tenant"] = p.c.Tenant
	}
	op := wireOperations[operation]
	step := conversation.Step{Name: name, Op: op, Role: record.Main}
	if id, ok := given["id"].(string); ok && p.c.Dialect.Operation(op).About == schema.AboutTask {
		step.Task = id
	}
	if s.Stream != nil && s.Stream.TimeoutMS > 0 {
		step.Timeout = time.Duration(s.Stream.TimeoutMS) * time.Millisecond
	}
	call, err := p.c.EncodeStepWithAlternativeRoutes(&step, binding.Request{Op: op, ID: conversation.NewCallID(p.c, name), Params: given})
	switch {
	case errors.Is(err, binding.ErrNotSayable):
		p.c.RecordInexpressibleStep(step, err.Error())
		return nil, fmt.Sprintf("the step %s cannot be sent: %v", s.ID, err), nil
	case err != nil:
		return nil, "", newBroken(s.Line, "", err)
	}
	a, f = p.readAnswer(s, op, p.sendCall(step, call))
	return a, "", f
}

// rawOperation is the operation of a raw step in the record. No dialect has one of that name.
const rawOperation = "raw"

// makeRawCall sends a request as a document has it, to the address of the interface or, if the path is a well-known
// one, to the server. It has the operator's credentials unless it is about credentials.
func (p *player) makeRawCall(s *Step, name string) (a *answer, unsayable string, f *Failure) {
	kind := transportOf(p.c.CallBinding())
	if kind == "grpc" {
		return nil, "the step " + s.ID + " is a request of HTTP, and this run calls by gRPC", nil
	}
	address, foreign, err := p.resolveAddress(s.Raw.Path)
	if err != nil {
		return nil, "", newBroken(s.Raw.Line, "", err)
	}
	header := http.Header{}
	for _, h := range s.Raw.Headers {
		value, err := p.newEvaluator().resolveText(h.Value.(string))
		if err != nil {
			return nil, "", newBroken(s.Raw.Line, "", err)
		}
		if !client.FieldValue(value) {
			return nil, "", newBroken(s.Raw.Line, "", fmt.Errorf("the value of the header %s cannot be sent; correct its variables", h.Name))
		}
		header.Set(h.Name, value)
	}
	body, err := p.encodeRawBody(s.Raw)
	if err != nil {
		return nil, "", newBroken(s.Raw.Line, "", err)
	}
	step := conversation.Step{Name: name, Op: rawOperation, Role: record.Main, URL: address, Header: header}
	if foreign || p.isAboutCredentials() {
		step.As = record.Nobody
	}
	if s.Stream != nil && s.Stream.TimeoutMS > 0 {
		step.Timeout = time.Duration(s.Stream.TimeoutMS) * time.Millisecond
	}
	a, f = p.readAnswer(s, rawOperation, p.sendCall(step, client.Call{Method: s.Raw.Method, URL: address, Header: http.Header{}, Body: body}))
	return a, "", f
}

// isAboutCredentials reports whether the raw steps of a test bring their own credentials, or none on purpose.
func (p *player) isAboutCredentials() bool {
	return slices.Contains(p.test.Tags, "auth") || slices.Contains(p.test.RunnerRequirements, "auth_credentials")
}

// resolveAddress returns the URL of a raw step. foreign is set if it is the operator's own and not the server's.
func (p *player) resolveAddress(path string) (address string, foreign bool, err error) {
	path, err = p.newEvaluator().resolveText(path)
	if err != nil {
		return "", false, err
	}
	named, given := p.scope.env.Vars[baseURLVariable]
	switch {
	case strings.HasPrefix(path, "/.well-known/"):
		return strings.TrimRight(p.c.Base, "/") + path, false, nil
	case path == "/":
		return p.c.RPC, false, nil
	case strings.HasPrefix(path, "/"):
		return p.scope.baseURL + path, false, nil
	case strings.HasPrefix(path, p.scope.baseURL+"/"), path == p.scope.baseURL:
		return path, false, nil
	case given && hostOf(path) != "" && hostOf(path) == hostOf(named):
		return path, !p.c.Own(path), nil
	}
	return "", false, fmt.Errorf("the path %s leads to another host; give --var %s=URL if it may be called", quoteShort(path), baseURLVariable)
}

// encodeRawBody returns the body of a raw step. A push configuration in it leads to our webhook.
func (p *player) encodeRawBody(raw *Raw) ([]byte, error) {
	ours, named := p.makeWebhook(), p.scope.env.Vars[webhookVariable]
	if raw.BodyRaw != nil {
		text, err := p.newEvaluator().resolveText(*raw.BodyRaw)
		lower := strings.ToLower(text)
		if err == nil && strings.Contains(lower, "pushnotification") && strings.Contains(lower, "http") && !strings.Contains(text, ours) && named == "" {
			return nil, fmt.Errorf("body_raw has a push configuration; write {{%s}} as its url, or give --var %[1]s=URL", webhookVariable)
		}
		return []byte(text), err
	}
	if !raw.HasBody {
		return nil, nil
	}
	value, err := p.scope.resolveParams(raw.Body)
	if err != nil {
		return nil, err
	}
	replaceForeignWebhooks(value, raw.configuresWebhook(), ours, named)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}
