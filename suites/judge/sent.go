package judge

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// callDescriber describes, in a few words, the call that a text of the server answers.
type callDescriber struct {
	c   *Case
	doc *Document
	by  binding.Binding // in which the call travelled
}

func newCallDescriber(c *Case, said *Document) *callDescriber {
	r := &callDescriber{c: c, doc: said}
	if said != nil && said.Play != nil && said.Step != nil {
		r.by = c.BindingOf(said.Play, said.Step)
	}
	return r
}

// describeCall describes in a few words what we sent, to which a text of the server is the
// answer: the operation, and what is special about the call.
func (r *callDescriber) describeCall() string {
	if r.doc == nil || r.doc.Exchange == nil || r.doc.Step == nil {
		return ""
	}
	x, s := r.doc.Exchange, r.doc.Step
	switch {
	case x.Dir == record.Given:
		return givenFile(x)
	case r.c.OfClient():
		return r.describeScenario()
	case x.Dir == record.In:
		return r.describeCalledWebhook()
	}
	words := ""
	if b, p := r.findProbe(); p != nil {
		words = r.describeProbe(b, p)
	}
	if words == "" {
		words = r.describeRecordedRequest()
	}
	switch by := callers[s.As]; {
	case s.As == record.Nobody && bytes.Contains(x.Request.Head, []byte(record.SecretMark)):
		words += ", with one of the credentials alone"
	case by != "":
		words += ", " + by
	}
	words += r.describeCallsBeforeLiveness()
	return shorten.Visible(shorten.Clip(words, mostSent), mostSent)
}

// callers are the words for whose credentials a call carried.
var callers = map[record.Caller]string{
	record.Nobody: "without credentials", record.Stranger: "with credentials that nobody was given", record.Second: "by another client",
	record.Low: "by a client with few rights", record.ByBearer: "with a bearer token alone", record.ByKey: "with an API key alone", record.ByBasic: "with a basic password alone",
}

// describeCallsBeforeLiveness returns what a look whether the server still serves comes after.
func (r *callDescriber) describeCallsBeforeLiveness() string {
	if r.doc.Step.Role != record.Alive {
		return ""
	}
	malformed := 0
	for i := range r.doc.Play.Steps {
		s := &r.doc.Play.Steps[i]
		if s.Exchange == nil || s.Exchange == r.doc.Exchange || s.Exchange.Start > r.doc.Exchange.Start {
			continue
		}
		if r := s.Exchange.Request.Recipe; r != nil {
			return fmt.Sprintf(", after a call of %d bytes", r.Size)
		}
		if s.Role == record.Probe {
			malformed++
		}
	}
	if malformed == 0 {
		return ""
	}
	return fmt.Sprintf(", after %d malformed or unusual calls", malformed)
}

// describeCalledWebhook names the webhook that the server called.
func (r *callDescriber) describeCalledWebhook() string {
	for i := range r.doc.Play.Steps {
		s := &r.doc.Play.Steps[i]
		if at, ok := r.c.Dialect.Pointer("request", "webhook."+s.Op); ok && s.Exchange != nil && r.c.BindingOf(r.doc.Play, s).Sent(s.Exchange).Params.At(at) != nil {
			return "a delivery to the webhook that " + r.nameMethod(r.doc.Play, s) + " named"
		}
	}
	return "our webhook"
}

func (r *callDescriber) nameMethod(p *record.Play, s *record.Step) string {
	if s.Exchange != nil {
		if named := r.c.BindingOf(p, s).Sent(s.Exchange).Named; named != "" {
			return named
		}
	}
	return cmp.Or(r.c.BindingOf(p, s).Title(s.Op), s.Op)
}

// describeMethodOrUnknown returns the name of a method, marked as unknown if the dialect has no such method.
func (r *callDescriber) describeMethodOrUnknown(by binding.Binding, method string) string {
	for op := range r.c.Dialect.Operations {
		if by.Title(op) == method {
			return method
		}
	}
	return "the unknown method " + shorten.Visible(shorten.Clip(method, 40), 40)
}

// describeRecordedRequest describes a call by its own bytes and by what came before it.
func (r *callDescriber) describeRecordedRequest() string {
	x, s := r.doc.Exchange, r.doc.Step
	verb, target := requestLine(x)
	call := x.Call().Root
	ours := r.by.Sent(x)
	if ours.Method == nil && ours.Named == "" && x.Request.Recipe == nil {
		return verb + " " + target + describeConditionalHeaders(x)
	}
	words := r.nameMethod(r.doc.Play, s)
	if ours.Framed {
		words = r.describeMethodOrUnknown(r.by, words)
	}
	words = r.addQuery(words)
	if x.Request.Recipe != nil {
		words += fmt.Sprintf(" of %d bytes", x.Request.Recipe.Size)
	}
	if verb != "POST" && ours.Framed {
		words = verb + " of " + words
	}
	if text := r.quoteStimulus(call); text != "" {
		words += " " + text
	}
	about := r.c.DescribeTargetTask(r.doc)
	words += about
	if ours.Framed { // elsewhere each operation has a path of its own
		words += r.describeUnusualPath(x)
	}
	if carries := r.describeExtrasOverPlainCall(); carries != "" {
		words += carries
	} else {
		words += r.describeParameters(about != "")
	}
	if s.Contradicts {
		words += ", in another context than the task's"
	}
	if h := r.c.Dialect.Card.ExtensionHeader; h != "" && x.Request.Header().Get(h) != "" {
		words += ", asking for the extension " + shorten.ShowControls(shorten.Middle(x.Request.Header().Get(h), 0, 26, "…"))
	}
	switch {
	case !ours.Framed || x.Request.Recipe != nil:
	case ours.ID == nil:
		words += ", without an id"
	case ours.Params == nil && ours.Method != nil:
		words += " without params"
	}
	return words
}

// describeConditionalHeaders names the headers that ask for a document only if it has changed.
func describeConditionalHeaders(x *record.Exchange) string {
	var given []string
	for _, name := range []string{"If-None-Match", "If-Modified-Since"} {
		if x.Request.Header().Get(name) != "" {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		return ""
	}
	return " with " + strings.Join(given, " and ")
}

// describeUnusualPath names the path of a call that went elsewhere than most.
func (r *callDescriber) describeUnusualPath(x *record.Exchange) string {
	usual, err := url.Parse(r.c.Transcript.Facts.RPC)
	if _, target := requestLine(x); err == nil && r.c.Transcript.Facts.RPC != "" && target != cmp.Or(usual.RequestURI(), "/") && !r.c.Dialect.ByMethod {
		return " at " + target
	}
	return ""
}

func requestLine(x *record.Exchange) (verb, target string) {
	line, _, _ := bytes.Cut(x.Request.Head, []byte("\n"))
	f := strings.Fields(string(line))
	if len(f) < 2 {
		return "a call to", shorten.Visible(x.URL, 80)
	}
	return f[0], shorten.Visible(f[1], 80)
}

// quoteStimulus returns the message of a call, as the operator or the dialect words it. Some
// messages go on with a word that is new in every run.
func (r *callDescriber) quoteStimulus(call *record.Node) string {
	best := ""
	for _, found := range call.Find("text") {
		for _, name := range slices.Sorted(maps.Keys(r.c.Transcript.Facts.Stimuli)) {
			s := r.c.Transcript.Facts.Stimuli[name]
			for _, text := range []string{s.Text, s.Answer} {
				if len(text) > len(best) && strings.HasPrefix(found.Node.String, text) {
					best = text
				}
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("%q", shorten.Visible(shorten.Clip(best, 30), 30))
}

// DescribeTargetTask returns about which task a call is: one that the conversation knows, with its
// last state, or one that never was.
func (c *Case) DescribeTargetTask(said *Document) string {
	type call struct {
		of *record.Exchange
		as *record.Step
	}
	key := call{said.Exchange, said.Step}
	words, found := c.targets.Load(key)
	if !found {
		words, _ = c.targets.LoadOrStore(key, newCallDescriber(c, said).describeTask())
	}
	return words.(string)
}

func (r *callDescriber) describeTask() string {
	x, s := r.doc.Exchange, r.doc.Step
	params := r.by.Sent(x).Params
	makes := r.c.Dialect.Operation(s.Op).Agent
	id := ""
	for _, at := range []string{"/id", "/taskId", "/message/taskId"} {
		if n := params.At(at); n != nil && n.Kind == record.String && n.String != "" {
			id = n.String
			break
		}
	}
	if id == "" {
		return ""
	}
	state, of, known, open := "", "", false, false
	for i := range r.doc.Play.Steps {
		o := &r.doc.Play.Steps[i]
		if o.Exchange == nil || o.Exchange == x || o.Exchange.Dir != record.Out || o.Exchange.Start > x.Start {
			continue
		}
		sends, named := r.c.Dialect.Operation(o.Op).Agent, hasIDInRequest(o.Exchange, id)
		if named && !r.showsTaskExists(o) {
			continue
		}
		if sends && named {
			known = known || !makes || o.Exchange.End <= x.Start
		}
		if !bytes.Contains(o.Exchange.Response.Body, []byte(id)) {
			continue
		}
		if sends && of == "" {
			of = r.quoteStimulus(o.Exchange.Call().Root)
		}
		known = true
		if o.Exchange.End > x.Start {
			open = open || o.Exchange.IsStream()
			continue
		}
		if now := r.lastTaskStateAnsweredTo(o, r.doc.Play); now != "" {
			state = now
		}
	}
	preposition := " of "
	if makes {
		preposition = " to "
	}
	if of == fmt.Sprintf("%q", r.c.Transcript.Facts.Stimuli["quick"].Text) {
		of = ""
	} else if of != "" {
		of = " (" + of + ")" // what made it is part of what it is to show
	}
	switch {
	case !known && makes:
		return "" // the client names the task
	case !known:
		return " of an unknown task"
	case open && r.c.Dialect.Operation(s.Op).Streams:
		return preposition + "a task whose stream is open" + of
	case open:
		return preposition + "a task at work" + of
	case state != "":
		return preposition + "a task in state " + shorten.Visible(shorten.Clip(state, 30), 30) + of
	}
	return preposition + "a task made before" + of
}

// describeExtrasOverPlainCall returns what a call has that its plain counterpart lacks.
func (r *callDescriber) describeExtrasOverPlainCall() string {
	s, params := r.doc.Step, r.by.Sent(r.doc.Exchange).Params
	twin := r.doc.Play.Step(s.Twin)
	if twin == nil {
		twin = r.doc.Play.Step("plain")
	}
	if s.Role != record.Probe || twin == nil || twin.Exchange == nil || twin.Exchange == r.doc.Exchange || twin.Op != s.Op || params == nil {
		return ""
	}
	var more []parameter
	collectAddedParameters(params, r.by.Sent(twin.Exchange).Params, "", &more)
	return r.listParameters(more)
}

// collectAddedParameters lists what one value has and another lacks.
func collectAddedParameters(n, base *record.Node, at string, out *[]parameter) {
	switch {
	case base == nil:
		*out = append(*out, parameter{at, formatNode(n)})
	case n.Kind == record.Object && base.Kind == record.Object:
		for _, m := range n.Members {
			collectAddedParameters(m.Value, base.Member(m.Name), at+record.Pointer(m.Name), out)
		}
	case n.Kind == record.Array && base.Kind == record.Array:
		for i, e := range n.Elems {
			if i < len(base.Elems) {
				collectAddedParameters(e, base.Elems[i], fmt.Sprintf("%s/%d", at, i), out)
				continue
			}
			*out = append(*out, parameter{fmt.Sprintf("%s/%d", at, i), formatNode(e)})
		}
	case n.Kind != base.Kind:
		*out = append(*out, parameter{at, formatNode(n)})
	}
}

// hasIDInRequest reports whether a call of ours names an id.
func hasIDInRequest(x *record.Exchange, id string) bool {
	return bytes.Contains(x.Request.Body, []byte(id)) || strings.Contains(x.URL, url.PathEscape(id))
}

// showsTaskExists reports whether the answer to a call that names a task shows that there is such a task:
// it shows a state, or the call sent a message and was not refused. Any other answer, such as a
// refusal, may only repeat the id of the call.
func (r *callDescriber) showsTaskExists(s *record.Step) bool {
	if !r.c.Dialect.Operation(s.Op).Agent {
		return r.lastTaskStateAnsweredTo(s, r.doc.Play) != ""
	}
	has := func(present func(binding.Answer) bool) bool {
		return slices.ContainsFunc(r.c.readAnswers(s, r.doc.Play), func(v Value) bool { return present(v.interpretAsAnswer()) })
	}
	return has(func(a binding.Answer) bool { return a.Result.Present() }) || !has(func(a binding.Answer) bool { return a.Failure.Present() })
}

// lastTaskStateAnsweredTo returns the state that an answer named last.
func (r *callDescriber) lastTaskStateAnsweredTo(s *record.Step, p *record.Play) (state string) {
	for _, v := range r.c.readAnswers(s, p) {
		if now := v.Result().Read("task.state"); now.IsString() {
			state = now.Text()
		}
	}
	return state
}

// findProbe returns the entry of the catalogue that a step sent, if it is one: what it bends
// is there.
func (r *callDescriber) findProbe() (*schema.Block, *schema.Probe) {
	i := slices.IndexFunc(r.c.Dialect.Blocks, func(b schema.Block) bool { return b.Name == r.doc.Play.Scenario })
	if i < 0 || r.doc.Step.Role != record.Probe {
		return nil, nil
	}
	b := &r.c.Dialect.Blocks[i]
	j := slices.IndexFunc(b.Probes, func(p schema.Probe) bool { return p.Name == r.doc.Step.Name })
	if j < 0 {
		return nil, nil
	}
	return b, &b.Probes[j]
}

// describeProbe describes in what a probe differs from the valid call, in its own words if it
// has any.
func (r *callDescriber) describeProbe(b *schema.Block, p *schema.Probe) string {
	by := r.by
	op := cmp.Or(p.Op, b.Op)
	method := by.Title(op)
	if p.Title != "" {
		return method + " " + p.Title
	}
	var changes []string
	switch {
	case p.Raw != nil:
		method = describeRawBody(p)
	case (p.Task == "fresh" || p.Task == "" && b.Task == "fresh") && !slices.ContainsFunc(p.Patch, func(o schema.PatchOp) bool { return namesTask(p, o) }):
		preposition := "of"
		if r.c.Dialect.Operation(op).Agent {
			preposition = "to"
		}
		changes = append(changes, preposition+" an unknown task")
	}
	var set []parameter
	for _, o := range p.Patch {
		switch name, is := o.Value.(string); {
		case p.On == schema.OnEnvelope && o.Path == "/method" && o.Op == "replace" && is:
			method = r.describeMethodOrUnknown(by, name)
		case p.Bends() == schema.OnParams && setsNamedParameter(o):
			set = append(set, parameter{o.Path, formatValue(o.Value)})
		default:
			changes = append(changes, r.describePatch(p, o))
		}
	}
	method, set = r.fillPathAndQuery(method, set)
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		changes = append(changes, fmt.Sprintf("with %s: %s", name, strings.ReplaceAll(p.Headers[name], schema.NewID, "a new id")))
	}
	if p.Method != "" {
		method = p.Method + " of " + method
	}
	words := method + r.listParameters(set)
	for i, change := range changes {
		if i > 0 && strings.HasPrefix(changes[i-1], "with") {
			words += " and"
			if first, rest, _ := strings.Cut(change, " "); first == "with" && strings.HasPrefix(changes[i-1], "with ") {
				change = rest
			}
		}
		words += " " + change
	}
	return words
}

// describePatch returns what one operation of a patch does to the valid call.
func (r *callDescriber) describePatch(p *schema.Probe, o schema.PatchOp) string {
	var at string
	switch path := strings.TrimSuffix(o.Path, "/-"); {
	case p.Bends() == schema.OnParams:
		at = r.spellParameterForBinding(path)
	case path == "/id": // not to be taken for the task's
		at = "JSON-RPC id"
	default:
		at = strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", ".")
	}
	value := formatValue(o.Value)
	switch {
	case o.Op == "remove":
		return "without " + at
	case strings.HasSuffix(o.Path, "/-"):
		return "with " + value + " among " + at
	case value == "{}" && at == "the message":
		return "{}"
	case value == "{}" && (p.Bends() == schema.OnParams || at == "params"):
		return "with " + strings.Replace("empty "+at, "empty the ", "an empty ", 1)
	}
	return "with " + at + " = " + value
}

// mostSent bounds the words about what was sent, in characters.
const mostSent = 120
