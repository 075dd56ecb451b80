package judge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// sent says in a few words what we sent, to which a text of the server is the
// answer: the operation, and what is special about the call.
func (c *Case) sent(said *Said) string {
	if said == nil || said.Exchange == nil || said.Step == nil {
		return ""
	}
	x, s := said.Exchange, said.Step
	switch {
	case x.Dir == record.Given:
		return givenFile(x)
	case x.Dir == record.In:
		return c.delivered(said)
	}
	words := ""
	if b, p := c.probe(said); p != nil {
		words = c.bent(said, b, p)
	}
	if words == "" {
		words = c.asked(said)
	}
	switch by := callers[s.As]; {
	case s.As == record.Nobody && bytes.Contains(x.Request.Head, []byte(record.SecretMark)):
		words += ", with one of the credentials alone"
	case by != "":
		words += ", " + by
	}
	words += c.before(said)
	return shorten.Visible(shorten.Clip(words, mostSent), mostSent)
}

// callers are the words for whose credentials a call carried.
var callers = map[record.Caller]string{
	record.Nobody: "without credentials", record.Stranger: "with credentials that nobody was given", record.Second: "by another client",
	record.Low: "by a client with few rights", record.ByBearer: "with a bearer token alone", record.ByKey: "with an API key alone", record.ByBasic: "with a basic password alone",
}

// before says what a look whether the server still serves comes after.
func (c *Case) before(said *Said) string {
	if said.Step.Role != record.Alive {
		return ""
	}
	malformed := 0
	for i := range said.Play.Steps {
		s := &said.Play.Steps[i]
		if s.Exchange == nil || s.Exchange == said.Exchange || s.Exchange.Start > said.Exchange.Start {
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

// delivered names the webhook that the server called.
func (c *Case) delivered(said *Said) string {
	for i := range said.Play.Steps {
		s := &said.Play.Steps[i]
		if at, ok := c.Dialect.Pointer("request", "webhook."+s.Op); ok && s.Exchange != nil && c.by(said.Play, s).Sent(s.Exchange).Params.At(at) != nil {
			return "a delivery to the webhook that " + c.method(said.Play, s) + " named"
		}
	}
	return "our webhook"
}

func (c *Case) method(p *record.Play, s *record.Step) string {
	if s.Exchange != nil {
		if named := c.by(p, s).Sent(s.Exchange).Named; named != "" {
			return named
		}
	}
	if m := c.by(p, s).Title(s.Op); m != "" {
		return m
	}
	return s.Op
}

// named is a method's name, and says so where the dialect has no such method.
func (c *Case) named(by binding.Binding, method string) string {
	for op := range c.Dialect.Operations {
		if by.Title(op) == method {
			return method
		}
	}
	return "the unknown method " + shorten.Visible(shorten.Clip(method, 40), 40)
}

// asked describes a call by its own bytes and by what was said before it.
func (c *Case) asked(said *Said) string {
	x, s := said.Exchange, said.Step
	verb, target := requestLine(x)
	call := x.Call().Root
	ours := c.by(said.Play, said.Step).Sent(x)
	if ours.Method == nil && ours.Named == "" && x.Request.Recipe == nil {
		return verb + " " + target + conditions(x)
	}
	words := c.method(said.Play, s)
	if ours.Framed {
		words = c.named(c.by(said.Play, said.Step), words)
	}
	words = c.withQuery(said, words)
	if x.Request.Recipe != nil {
		words += fmt.Sprintf(" of %d bytes", x.Request.Recipe.Size)
	}
	if verb != "POST" && ours.Framed {
		words = verb + " of " + words
	}
	if text := c.stimulus(call); text != "" {
		words += " " + text
	}
	about := c.about(said)
	words += about
	if ours.Framed { // elsewhere each operation has a path of its own
		words += c.path(x)
	}
	if carries := c.carries(said); carries != "" {
		words += carries
	} else {
		words += c.settings(said, about != "")
	}
	if s.Contradicts {
		words += ", in another context than the task's"
	}
	if h := c.Dialect.Card.ExtensionHeader; h != "" && x.Request.Header().Get(h) != "" {
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

// conditions names the headers that ask for a document only if it has changed.
func conditions(x *record.Exchange) string {
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

// path names the path of a call that went elsewhere than most.
func (c *Case) path(x *record.Exchange) string {
	usual, err := url.Parse(c.Transcript.Facts.RPC)
	if _, target := requestLine(x); err == nil && c.Transcript.Facts.RPC != "" && target != cmp.Or(usual.RequestURI(), "/") && !c.Dialect.ByMethod {
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

// stimulus is the message of a call, as the operator or the dialect words it. Some
// messages go on with a word that is new in every run.
func (c *Case) stimulus(call *record.Node) string {
	best := ""
	for _, found := range call.Find("text") {
		for _, name := range slices.Sorted(maps.Keys(c.Transcript.Facts.Stimuli)) {
			s := c.Transcript.Facts.Stimuli[name]
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

// about says about which task a call is: one that the conversation knows, with its
// last state, or one that never was.
func (c *Case) about(said *Said) string {
	type call struct {
		of *record.Exchange
		as *record.Step
	}
	key := call{said.Exchange, said.Step}
	words, found := c.asking.Load(key)
	if !found {
		words, _ = c.asking.LoadOrStore(key, c.aboutTask(said))
	}
	return words.(string)
}

func (c *Case) aboutTask(said *Said) string {
	x, s := said.Exchange, said.Step
	params := c.by(said.Play, said.Step).Sent(x).Params
	makes := c.Dialect.Operation(s.Op).Agent
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
	for i := range said.Play.Steps {
		o := &said.Play.Steps[i]
		if o.Exchange == nil || o.Exchange == x || o.Exchange.Dir != record.Out || o.Exchange.Start > x.Start {
			continue
		}
		mentions := bytes.Contains(o.Exchange.Response.Body, []byte(id))
		sends := c.Dialect.Operation(o.Op).Agent
		if sends && bytes.Contains(o.Exchange.Request.Body, []byte(id)) {
			known = known || !makes || o.Exchange.End <= x.Start
		}
		if sends && of == "" && mentions {
			of = c.stimulus(o.Exchange.Call().Root)
		}
		if !mentions {
			continue
		}
		known = true
		if o.Exchange.End > x.Start {
			open = open || o.Exchange.IsStream()
			continue
		}
		if now := c.lastState(o, said.Play); now != "" {
			state = now
		}
	}
	preposition := " of "
	if makes {
		preposition = " to "
	}
	if of != "" && of != fmt.Sprintf("%q", c.Transcript.Facts.Stimuli["quick"].Text) {
		of = " (" + of + ")" // what made it is part of what it is to show
	} else {
		of = ""
	}
	switch {
	case !known && makes:
		return "" // the client names the task
	case !known:
		return " of an unknown task"
	case open && c.Dialect.Operation(s.Op).Streams:
		return preposition + "a task whose stream is open" + of
	case open:
		return preposition + "a task at work" + of
	case state != "":
		return preposition + "a task in state " + shorten.Visible(shorten.Clip(state, 30), 30) + of
	}
	return preposition + "a task made before" + of
}

// carries says what a call has that the plain one beside it lacks.
func (c *Case) carries(said *Said) string {
	s, params := said.Step, c.by(said.Play, said.Step).Sent(said.Exchange).Params
	twin := said.Play.Step(s.Twin)
	if twin == nil {
		twin = said.Play.Step("plain")
	}
	if s.Role != record.Probe || twin == nil || twin.Exchange == nil || twin.Exchange == said.Exchange || twin.Op != s.Op || params == nil {
		return ""
	}
	var more []setting
	added(params, c.by(said.Play, said.Step).Sent(twin.Exchange).Params, "", &more)
	return c.spell(said, more)
}

// added lists what one value has and another lacks.
func added(n, base *record.Node, at string, out *[]setting) {
	switch {
	case base == nil:
		*out = append(*out, setting{at, written(n)})
	case n.Kind == record.Object && base.Kind == record.Object:
		for _, m := range n.Members {
			added(m.Value, base.Member(m.Name), at+record.Pointer(m.Name), out)
		}
	case n.Kind == record.Array && base.Kind == record.Array:
		for i, e := range n.Elems {
			if i < len(base.Elems) {
				added(e, base.Elems[i], fmt.Sprintf("%s/%d", at, i), out)
				continue
			}
			*out = append(*out, setting{fmt.Sprintf("%s/%d", at, i), written(e)})
		}
	case n.Kind != base.Kind:
		*out = append(*out, setting{at, written(n)})
	}
}

// lastState is the state that an answer named last.
func (c *Case) lastState(s *record.Step, p *record.Play) (state string) {
	texts := []*Said{}
	if s.Exchange.IsStream() {
		texts = c.events(s.Exchange, s, p)
	} else if s.Exchange.Answered() {
		texts = append(texts, c.body(s.Exchange, s, p))
	}
	t := &T{Case: &Case{Dialect: c.Dialect}, result: &Result{}}
	for _, text := range texts {
		v := Value{t: t, said: text, node: text.Root}
		if now := v.Result().Read("task.state"); now.IsString() {
			state = now.Text()
		}
	}
	return state
}

func written(n *record.Node) string {
	text, err := json.Marshal(n.Interface())
	if err != nil {
		return "?"
	}
	return shorten.Visible(shorten.Clip(string(text), 50), 50)
}
