package mutants

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// A messageEdit changes a message of the protocol when its conditions hold. The fields are
// applied in their order.
type messageEdit struct {
	Operation []method   `yaml:"operation"` // of the call; empty: any
	When      conditions `yaml:"when"`

	// What a response becomes.
	Error  errorCode          `yaml:"error"`  // an error
	Result *jsonValue         `yaml:"result"` // a success with this result
	Empty  *emptyResponse     `yaml:"empty"`  // a response without a body
	Stream bool               `yaml:"stream"` // a stream without events
	Text   string             `yaml:"text"`   // the whole body, in place of JSON
	Code   errorCode          `yaml:"code"`   // the code in an error
	Status int                `yaml:"status"` // of HTTP
	Header map[string]*string `yaml:"header"` // null removes a header
	Hang   bool               `yaml:"hang"`   // the response does not end
	Opened *bool              `yaml:"opened"` // false: no stream is opened

	// What happens with an event of a stream, or with a push notification.
	Skip bool   `yaml:"skip"` // it is not sent
	Hold bool   `yaml:"hold"` // it is sent together with the next
	Stay bool   `yaml:"stay"` // the stream stays open after its last event
	Cut  bool   `yaml:"cut"`  // the stream ends after this event
	Then string `yaml:"then"` // the event is sent again, with this state

	Each   *pointer    `yaml:"each"`   // the patch is about each object in this list
	Within *pointer    `yaml:"within"` // the patch is about each object inside this value
	Patch  []operation `yaml:"patch"`
}

// An emptyResponse replaces a response by one without a body.
type emptyResponse struct {
	Status int    `yaml:"status"`
	Type   string `yaml:"type"`
}

// An operation is one of RFC 6902. It does nothing when what it is about is not there; a
// test that fails ends the patch. A copy may be from another document than the one that is
// edited: from the request, or from the document as it was before the edit.
type operation struct {
	Op    operator  `yaml:"op"`
	Path  pointer   `yaml:"path"`
	From  pointer   `yaml:"from"`
	Of    document  `yaml:"of"`
	Value jsonValue `yaml:"value"`
}

// installEdits gives a mutant the edits of a row.
func (r *row) installEdits(m *front.Mutant) {
	if len(r.Call) > 0 {
		m.Call = func(c *front.Call) {
			applyMessageEdits(r.Call, &moment{request: c, call: &c.Body, body: &c.Body})
		}
	}
	onReply := func(edits []messageEdit) func(*front.Reply) {
		if len(edits) == 0 {
			return nil
		}
		return func(x *front.Reply) { applyMessageEdits(edits, &moment{reply: x, call: &x.Request, body: &x.Body}) }
	}
	if len(r.Reply) > 0 {
		m.Reply = onReply(r.Reply)
	}
	if len(r.REST) > 0 {
		m.REST = onReply(r.REST)
	}
	if len(r.Event) > 0 {
		m.Event = func(f *front.StreamEvent) {
			applyMessageEdits(r.Event, &moment{reply: f.Reply, event: f, call: &f.Reply.Request, body: &f.Body})
		}
	}
	if len(r.Push) > 0 {
		m.Push = func(n *front.PushNotification) { applyMessageEdits(r.Push, &moment{push: n, body: &n.Body}) }
	}
	if len(r.Guard) > 0 {
		m.Guard = func(c *front.Caller) {
			for i := range r.Guard {
				r.Guard[i].applyIfConditionsHold(c)
			}
		}
	}
	if len(r.Engine) > 0 {
		m.Engine = func(o *engine.Options) { setBoolFieldsTrue(&o.Defects, r.Engine) }
	}
	if r.NoRoute != nil {
		m.Route = r.NoRoute
	}
	if r.NoProcedure != "" {
		m.Procedure = Recalled(func(name string) string {
			if path.Base(name) == r.NoProcedure {
				return Nowhere
			}
			return name
		})
	}
	if r.Rate.Requests > 0 {
		m.Rate = front.Rate{Requests: r.Rate.Requests, Window: time.Duration(r.Rate.Window)}
	}
	setBoolFieldsTrue(&m.Registry, r.Registry)
	setBoolFieldsTrue(m, r.Server)
}

// A moment is what passes a door: one of request, reply, event with its reply, and push.
type moment struct {
	request *front.Call
	reply   *front.Reply
	event   *front.StreamEvent
	push    *front.PushNotification
	call    *any // the decoded request; nil for a push notification
	body    *any // what a patch is about
}

// callBody returns the decoded request, or nil.
func (m *moment) callBody() any {
	if m.call == nil {
		return nil
	}
	return *m.call
}

func applyMessageEdits(edits []messageEdit, m *moment) {
	for i := range edits {
		edits[i].applyIfConditionsHold(m)
	}
}

// applyIfConditionsHold edits what passes if the conditions hold.
func (e *messageEdit) applyIfConditionsHold(m *moment) {
	if len(e.Operation) > 0 && !slices.Contains(e.Operation, method(front.Text(m.callBody(), "method"))) || !e.When.areMet(m) {
		return
	}
	var before any
	if slices.ContainsFunc(e.Patch, func(o operation) bool { return o.Of == "before" }) {
		before = front.Generic(*m.body)
	}
	switch {
	case m.event != nil:
		f := m.event
		f.Skip, f.Hold, f.Stay, f.Cut = f.Skip || e.Skip, f.Hold || e.Hold, f.Stay || e.Stay, f.Cut || e.Cut
		if e.Then != "" {
			f.After = []any{f.Status(e.Then)}
		}
	case m.push != nil:
		m.push.Lost = m.push.Lost || e.Skip
		setOrDeleteHeaders(m.push.Header, e.Header)
	case m.request != nil:
		setOrDeleteHeaders(m.request.HTTP.Header, e.Header)
	default:
		e.replaceReplyAndHeaders(m.reply)
	}
	sources := map[document]any{"call": m.callBody(), "before": before}
	patchItem := func(item map[string]any) {
		if item != nil && e.When.Item.hold(item) {
			var body any = item
			e.applyPatch(&body, sources)
		}
	}
	switch {
	case e.Each != nil:
		list, _ := front.At(*m.body, string(*e.Each)).([]any)
		for i := range list {
			patchItem(front.Object(list[i], ""))
		}
	case e.Within != nil:
		front.Walk(front.At(*m.body, string(*e.Within)), patchItem)
	default:
		e.applyPatch(m.body, sources)
	}
}

// applyPatch applies the operations to a document, up to a test that fails.
func (e *messageEdit) applyPatch(body *any, sources map[document]any) {
	for i := range e.Patch {
		if !e.Patch[i].applyUnlessTestFails(body, sources) {
			return
		}
	}
}

// replaceReplyAndHeaders changes what a response is, and its head.
func (e *messageEdit) replaceReplyAndHeaders(x *front.Reply) {
	switch {
	case e.Error != 0:
		x.Decline(int(e.Error))
	case e.Result != nil:
		x.Succeed(front.Generic(e.Result.V))
	case e.Stream:
		x.EmptyStream()
	case e.Empty != nil:
		x.Blank(e.Empty.Status, e.Empty.Type)
	}
	if e.Text != "" {
		x.Raw = []byte(e.Text)
	}
	if e.Code != 0 {
		front.Put(x.Body, "error/code", int(e.Code))
	}
	if e.Status != 0 {
		x.Status = e.Status
	}
	setOrDeleteHeaders(x.Header, e.Header)
	x.Hang = x.Hang || e.Hang
	if e.Opened != nil {
		x.Opens = *e.Opened
	}
}

// setOrDeleteHeaders sets headers, and removes those without a value.
func setOrDeleteHeaders(h http.Header, values map[string]*string) {
	for name, value := range values {
		if value == nil {
			h.Del(name)
		} else {
			h.Set(name, *value)
		}
	}
}

// applyUnlessTestFails changes a document. It reports false for a test that fails.
func (o *operation) applyUnlessTestFails(body *any, sources map[document]any) bool {
	path, value, from := string(o.Path), front.Generic(o.Value.V), *body
	if o.Of != "" {
		from = sources[o.Of]
	}
	switch o.Op {
	case "test":
		return front.At(*body, path) == value
	case "remove":
		front.Drop(*body, path)
		return true
	case "replace":
		if !front.Has(*body, path) {
			return true
		}
	case "copy":
		value = front.At(from, string(o.From))
	case "move":
		if !front.Has(*body, string(o.From)) {
			return true
		}
		value = front.At(*body, string(o.From))
		front.Drop(*body, string(o.From))
	}
	setValue(body, path, value)
	return true
}

// setValue sets a member of an object, an element of an array, or the whole document. The
// name - appends to an array.
func setValue(body *any, path string, value any) {
	parent, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		parent, name = path[:i], path[i+1:]
	}
	list, ok := front.At(*body, parent).([]any)
	if name == "-" {
		front.Put(*body, parent, append(list, value))
	} else if ok && path != "" {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) {
			list[i] = value
		}
	} else if path == "" {
		*body = value
	} else {
		front.Put(*body, path, value)
	}
}

// A guardEdit mistakes who makes a call.
type guardEdit struct {
	Operation []method `yaml:"operation"` // of the call; empty: any
	When      struct {
		Path    *string            `yaml:"path"`    // of the URL
		Header  map[string]*string `yaml:"header"`  // of the request; "": it has none
		Claimed bool               `yaml:"claimed"` // the caller shows a credential
		Unknown bool               `yaml:"unknown"` // … that belongs to no client
		Client  string             `yaml:"client"`
	} `yaml:"when"`
	Open   bool    `yaml:"open"`   // calls without a credential pass
	Client *string `yaml:"client"` // the caller is this client; "": a stranger
	Owner  *string `yaml:"owner"`  // the task is this client's
}

func (e *guardEdit) applyIfConditionsHold(c *front.Caller) {
	w := e.When
	if len(e.Operation) > 0 && !slices.Contains(e.Operation, method(c.Method)) ||
		w.Path != nil && c.HTTP.URL.Path != *w.Path || !hasWantedHeaders(c.HTTP.Header, w.Header) ||
		w.Claimed && c.Credential == "" || w.Unknown && c.Client != "" || w.Client != "" && c.Client != w.Client {
		return
	}
	if e.Open && c.Credential == "" {
		c.Client, c.Owner = "first", ""
	}
	if e.Client != nil {
		c.Client = *e.Client
	}
	if e.Owner != nil {
		c.Owner = *e.Owner
	}
}
