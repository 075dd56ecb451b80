package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The paths of the interfaces, none of which is the root: a client that posts there has not read
// the card.
const (
	rpcPath  = "/agent/rpc"
	restPath = "/agent/rest"
)

// The names of the bindings, in both dialects.
const (
	jsonRPC  = "JSONRPC"
	httpJSON = "HTTP+JSON"
)

// stage is the scripted server of one play.
type stage struct {
	form    form
	dialect *schema.Dialect
	// dialects are those of all faces, by name.
	dialects map[string]*schema.Dialect
	ids      *operator.IDs
	bases    []string // of the origins; the second is there in every play
	pace     float64  // by which waits are multiplied
	dead     string   // the base of an address at which nothing listens
	canaries *canaries

	streaming bool
	faces     []face
	cardAt    []string                          // further addresses of the card
	places    map[string]place                  // by their addresses
	onCard    func(a *answerWriter, q *request) // instead of the card
	editCard  func(card object)

	secureKeys bool         // the keys of signatures are at the second origin
	keysAt     string       // the address of the keys of signatures; "" for none
	keys       *signingKeys // by which the card is signed; nil unless WithKeys is granted

	on map[string]func(c *call) // what answers an operation, instead of the plain agent
	// intercept answers any call before all else; false if it does not.
	intercept    func(c *call) bool
	editResult   func(c *call, v any) any       // changes each result, and the data of each event
	editEnvelope func(e object)                 // changes each envelope
	writeEvents  func(c *call, events [][]byte) // writes the events of a stream, if not as most servers do
	// bring brings notifications to the first webhook that the client registers; nil for none.
	bring   func(c *courier, t *task)
	courier *courier                 // nil unless WithWebhook is granted
	newID   func(what string) string // makes the ids of tasks and contexts, if they are special
	markers []record.Marker          // all of them are there before the client is started

	mu     sync.Mutex
	tasks  map[string]*task
	order  []*task
	calls  map[string]int // by operation
	writes *protoForm     // how the client wrote its last message, if not like the text
}

// scaleTime returns a time of the script, at the pace of the play.
func (s *stage) scaleTime(d time.Duration) time.Duration {
	if s.pace == 0 {
		return d
	}
	return time.Duration(float64(d) * s.pace)
}

// waitFor lets a time of the script pass. It reports whether the client is still there.
func (c *call) waitFor(d time.Duration) bool { return c.a.waitTime(c.scaleTime(d)) }

// setStage makes the scripted server of a play, for the origins at which it is reached.
func setStage(script *Script, d *schema.Dialect, ids *operator.IDs, bases []string, dead string) *stage {
	s := &stage{form: forms[d.Name], dialect: d, dialects: map[string]*schema.Dialect{d.Name: d}, ids: ids, bases: bases, dead: dead,
		on: map[string]func(*call){}, tasks: map[string]*task{}, calls: map[string]int{}}
	s.faces = []face{s.newRPCFace(), s.newRESTFace()}
	s.secureKeys = script.secureKeys
	s.dropUnknownFaces()
	if staged, is := s.form.(stagedForm); is {
		staged.prepareStage(s)
	}
	if script.set != nil {
		script.set(s)
	}
	s.dropUnknownFaces()
	for i := range s.faces {
		f := &s.faces[i]
		if f.url == "" {
			f.url = s.bases[f.origin] + f.path
		}
		if f.version == "" {
			f.version = f.form.protocolVersion()
		}
		if s.dialects[f.form.dialectName()] == nil {
			if other, err := schema.Load(f.form.dialectName()); err == nil {
				s.dialects[other.Name] = other
			}
		}
	}
	return s
}

// dropUnknownFaces takes away the interfaces of bindings that the dialect does not have.
func (s *stage) dropUnknownFaces() {
	s.faces = slices.DeleteFunc(s.faces, func(f face) bool {
		_, is := s.dialect.Bindings[f.binding]
		return f.binding == httpJSON && !is
	})
}

// newRPCFace makes the interface of JSON-RPC that most plays offer.
func (s *stage) newRPCFace() face { return face{binding: jsonRPC, form: s.form, path: rpcPath} }

// newRESTFace makes the interface of HTTP+JSON that most plays offer.
func (s *stage) newRESTFace() face { return face{binding: httpJSON, form: s.form, path: restPath} }

// addMarker makes a marker for a text, which is named after what carries it.
func (s *stage) addMarker(in string) {
	s.markers = append(s.markers, record.Marker{Word: makeMarkerWord(s.ids.New()), In: in})
}

// addMarkers makes several markers, whose names are numbered from 1.
func (s *stage) addMarkers(in string, n int) {
	for i := range n {
		s.addMarker(numberMarker(in, i))
	}
}

// numberMarker returns the name of one of several markers.
func numberMarker(in string, i int) string { return fmt.Sprintf("%s-%d", in, i+1) }

// buildCard returns the card of the play.
func (s *stage) buildCard() object {
	var shown []face
	for _, f := range s.faces {
		if !f.hidden {
			shown = append(shown, f)
		}
	}
	card := s.form.writeCard(cardFacts{shown, s.streaming})
	if s.editCard != nil {
		s.editCard(card)
	}
	return card
}

// sighting is what a request is, by its address and what it asks for.
type sighting struct {
	role    string // card, call or stray, another name of an address, or handshake
	op      string
	face    *face
	binding binding.Binding
	sent    binding.Sent
	place   *place
	foreign bool // it is a call of another version than that of the interface
}

// refuseService answers that the server does not have a service of gRPC.
func refuseService(a *answerWriter, _ *request) {
	a.writeWhole(http.StatusOK, append(listTypeFields(grpcMedia), record.Field{Name: "grpc-status", Value: "12"}), nil)
}

// recogniseRequest describes a request of the client.
func (s *stage) recogniseRequest(x *record.Exchange) sighting {
	u, err := url.Parse(x.URL)
	if err != nil {
		return sighting{role: "stray"}
	}
	if len(x.Request.Head) == 0 {
		return sighting{role: "handshake"}
	}
	base := u.Scheme + "://" + u.Host
	if base == s.bases[0] && slices.Contains(s.dialect.Card.Paths, u.Path) || slices.Contains(s.cardAt, base+u.Path) {
		return sighting{role: "card", op: "card"}
	}
	if p, is := s.places[base+u.Path]; is {
		return sighting{role: p.role, place: &p}
	}
	if x.HTTP2 != nil && strings.HasPrefix(u.Path, "/grpc.") { // a service of gRPC itself, such as a health check or reflection
		return sighting{role: "grpc-service", place: &place{"grpc-service", refuseService}}
	}
	for i := range s.faces {
		f := &s.faces[i]
		b := s.findBinding(f)
		if b == nil {
			continue
		}
		if s.isGRPCAt(f, x, base) {
			sent := b.Sent(x)
			return sighting{role: "call", face: f, binding: b, sent: sent, op: sent.Op}
		}
		to, err := url.Parse(f.url)
		if err != nil || f.binding == overGRPC || to.Scheme+"://"+to.Host != base {
			continue
		}
		below, is := strings.CutPrefix(u.EscapedPath(), strings.TrimRight(to.EscapedPath(), "/"))
		switch {
		case f.binding == jsonRPC && (u.EscapedPath() == to.EscapedPath() || below == "/" && to.Path == "" || below == "" && to.Path == "/"):
		case f.binding == httpJSON && is && (below == "" || below[0] == '/'):
		default:
			continue
		}
		found := sighting{role: "call", face: f, binding: b, sent: b.Sent(x)}
		if f.hidden {
			found.role = "redirected"
		}
		if found.sent.Op == "" && f.form.dialectName() != s.dialect.Name { // it may call by the words of the other version
			found.sent = s.findBindingIn(s.dialect, f.binding).Sent(x)
			found.foreign = found.sent.Op != ""
		}
		found.op = found.sent.Op
		return found
	}
	if base == s.bases[0] {
		return s.recogniseFixedPath(x, u.EscapedPath())
	}
	return sighting{role: "stray"}
}

// recogniseFixedPath describes a request to a path that the dialect has for servers of several agents, whatever their cards name.
func (s *stage) recogniseFixedPath(x *record.Exchange, path string) sighting {
	of := s.dialect.Agents
	i := slices.IndexFunc(s.faces, func(f face) bool { return f.binding == jsonRPC && !f.hidden })
	reads := x.Request.Method() == http.MethodGet || x.Request.Method() == http.MethodHead
	switch {
	case of.List == "":
	case fitsPath(of.Card, path):
		return sighting{role: "card", op: "card"}
	case reads && path == of.List:
		return sighting{role: agentsRole, place: &place{agentsRole, func(a *answerWriter, _ *request) {
			answerDocument(a, object{"agents": []any{s.buildCard()}})
		}}}
	case reads && fitsPath(of.Info, path):
		return sighting{role: agentsRole, place: &place{agentsRole, func(a *answerWriter, _ *request) { answerDocument(a, s.buildCard()) }}}
	case i >= 0 && !reads && (path == s.dialect.RPCPath || fitsPath(of.RPC, path)):
		b := s.findBinding(&s.faces[i])
		sent := b.Sent(x)
		return sighting{role: "call", face: &s.faces[i], binding: b, sent: sent, op: sent.Op}
	}
	return sighting{role: "stray"}
}

// fitsPath reports whether a path is what a pattern has for the name of some agent.
func fitsPath(pattern, path string) bool {
	before, after, named := strings.Cut(pattern, "{name}")
	name, begins := strings.CutPrefix(path, before)
	name, ends := strings.CutSuffix(name, after)
	return named && begins && ends && name != "" && !strings.Contains(name, "/")
}

// findBinding returns the binding of an interface; nil for one that is not served.
func (s *stage) findBinding(f *face) binding.Binding {
	return s.findBindingIn(s.dialects[f.form.dialectName()], f.binding)
}

// findBindingIn returns the binding of a dialect by its name; nil for one that is not served.
func (s *stage) findBindingIn(d *schema.Dialect, name string) binding.Binding {
	if d == nil || name != jsonRPC && name != httpJSON && name != overGRPC {
		return nil
	}
	return binding.ByNameOrDefault(d, name)
}

// call is a request for an operation.
type call struct {
	*stage
	a    *answerWriter
	q    *request
	face *face
	form form // of the interface, which may be another than that of the play
	op   string
	id   json.RawMessage // of the call, in an envelope
	sent binding.Sent
	nth  int // of the calls of this operation, from 1
}

// answerRequest answers a request.
func (s *stage) answerRequest(a *answerWriter, q *request) {
	seen := s.recogniseRequest(&record.Exchange{Dir: record.In, URL: q.address, Request: q.record, HTTP2: q.http2})
	switch {
	case seen.role == "card" && s.onCard != nil:
		s.onCard(a, q)
	case seen.role == "card" && q.Method != http.MethodGet && q.Method != http.MethodHead:
		a.writeWhole(http.StatusMethodNotAllowed, []record.Field{{Name: "Allow", Value: "GET, HEAD"}}, nil)
	case seen.role == "card":
		a.writeWhole(http.StatusOK, listTypeFields("application/json"), encodeJSON(s.buildCard()))
	case seen.face != nil:
		s.answerCall(a, q, seen)
	case seen.place != nil:
		seen.place.answer(a, q)
	default:
		a.writeWhole(http.StatusNotFound, nil, nil)
	}
}

// answerCall has the script answer a call, or the plain agent.
func (s *stage) answerCall(a *answerWriter, q *request, seen sighting) {
	c := &call{stage: s, a: a, q: q, face: seen.face, form: seen.face.form, op: seen.op, sent: seen.sent}
	if n := seen.sent.ID; n != nil && seen.sent.Call != nil && n.End <= len(q.record.Body) {
		c.id = json.RawMessage(bytes.Clone(q.record.Body[n.Start:n.End]))
	}
	s.mu.Lock()
	s.calls[c.op]++
	c.nth = s.calls[c.op]
	s.mu.Unlock()
	switch answer := s.on[s.nameAnswer(c.op)]; {
	case c.inGRPC() && !slices.Contains([]string{"", "identity", "gzip"}, q.Header.Get("Grpc-Encoding")):
		fields := []record.Field{{Name: "grpc-status", Value: "12"}, {Name: "grpc-accept-encoding", Value: "identity,gzip"}}
		a.writeWhole(http.StatusOK, append(listTypeFields(grpcMedia), fields...), nil)
	case s.intercept != nil && s.intercept(c):
	case seen.foreign:
		c.sendError("MethodNotFound", "")
	case answer != nil:
		answer(c)
	case seen.binding.Kind() == schema.KindJSONRPC && q.Method != http.MethodPost:
		a.writeWhole(http.StatusMethodNotAllowed, []record.Field{{Name: "Allow", Value: "POST"}}, nil)
	case seen.binding.Kind() == schema.KindJSONRPC && seen.sent.Call == nil, c.inGRPC() && c.op != "" && seen.sent.Call == nil:
		c.sendError("ParseError", "")
	case c.op == "" && seen.sent.Method == nil && seen.binding.Kind() == schema.KindJSONRPC:
		c.sendError("InvalidRequest", "")
	case c.op == "":
		c.sendError("MethodNotFound", "")
	default:
		c.answerPlainly()
	}
}

// sendingMessages is the operation that has an agent work, and gives the result.
const sendingMessages = "send"

// nameAnswer returns the name under which scripts have what answers an operation: that of sending messages for what has an agent
// work, whatever the dialect calls it.
func (s *stage) nameAnswer(op string) string {
	if is := s.dialect.Operation(op); is.Agent && !is.Streams {
		return sendingMessages
	}
	return op
}

// answerPlainly does what the agent does if the script does nothing else: a message makes a task that is done
// at once.
func (c *call) answerPlainly() {
	switch c.nameAnswer(c.op) {
	case sendingMessages:
		c.sendTask(c.newDoneTask())
	case "stream":
		if !c.streaming {
			c.sendError("OperationNotSupported", "")
			return
		}
		c.sendStream(c.buildPlainEvents()...)
	case "get":
		if t := c.findTask(); t != nil {
			c.sendResult(c.buildTask(t))
		}
	case "list":
		tasks := []any{}
		c.editTasks(func() {
			for _, t := range c.order {
				tasks = append(tasks, c.form.writeTask(t))
			}
		})
		c.sendResult(object{"tasks": tasks, "totalSize": len(tasks), "pageSize": max(1, len(tasks)), "nextPageToken": ""})
	case "cancel":
		if c.findTask() != nil {
			c.sendError("TaskNotCancelable", "")
		}
	case "resubscribe":
		if c.findTask() != nil {
			c.sendError("OperationNotSupported", "")
		}
	case "extended-card":
		c.sendError("OperationNotSupported", "")
	default:
		c.sendError("PushNotificationNotSupported", "")
	}
}

// buildTask returns a task as it is sent.
func (c *call) buildTask(t *task) (o object) {
	c.editTasks(func() { o = c.form.writeTask(t) })
	return o
}

// wrapTask returns a task as it answers a message, or begins a stream.
func (c *call) wrapTask(t *task) object { return c.form.wrapNamed("task", c.buildTask(t)) }

// startStream returns the event by which the stream of a task begins.
func (c *call) startStream(t *task) (o object) {
	c.editTasks(func() { o = c.form.writeStreamStart(t, false) })
	return o
}

// resumeStream returns the event by which a subscription to a task begins.
func (c *call) resumeStream(t *task) (o object) {
	c.editTasks(func() { o = c.form.writeStreamStart(t, true) })
	return o
}

// sendTask answers a message by a task.
func (c *call) sendTask(t *task) { c.sendResult(c.wrapTask(t)) }

// readParam returns a text of the parameters, of which a bounded part is used; "" if there is none.
func readParam(sent binding.Sent, at string) string {
	n := sent.Params.At(at)
	if n == nil || n.Kind != record.String {
		return ""
	}
	return n.String[:min(len(n.String), record.MaxID)]
}

// findTask returns the task that the call is about. If there is none, the call is refused.
func (c *call) findTask() (t *task) {
	c.editTasks(func() {
		if t = c.tasks[readParam(c.sent, "/id")]; t != nil {
			t.looks++
		}
	})
	if t == nil {
		c.sendError("TaskNotFound", "")
	}
	return t
}

// countLooks returns how many calls have read a task.
func (s *stage) countLooks(t *task) (looks int) {
	s.editTasks(func() { looks = t.looks })
	return looks
}

// newTask makes a task in the context of the message, or in a new one.
func (c *call) newTask(s state) *task {
	id := func(what string) string {
		if c.newID != nil {
			return c.newID(what)
		}
		return c.ids.New()
	}
	t := &task{id: id("task"), context: id("context"), state: s, saysID: c.ids.New(), at: formatNow(), over: make(chan struct{}), places: &places{}}
	t.context = cmp.Or(readParam(c.sent, c.form.contextAt()), t.context)
	if c.form.namesTasks() {
		t.id = cmp.Or(readParam(c.sent, c.form.taskAt()), t.id)
	}
	c.keepTask(t)
	return t
}

// keepTask has a task be found by its id, and in lists.
func (s *stage) keepTask(t *task) {
	s.editTasks(func() {
		s.tasks[t.id] = t
		s.order = append(s.order, t)
	})
}

// countTasks returns how many tasks there are.
func (s *stage) countTasks() (n int) {
	s.editTasks(func() { n = len(s.order) })
	return n
}

// editTasks reads or changes tasks while no other call does.
func (s *stage) editTasks(edit func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit()
}

// readState returns the state of a task.
func (s *stage) readState(t *task) (now state) {
	s.editTasks(func() { now = t.state })
	return now
}

// setStatusText sets the text of a task's status.
func (s *stage) setStatusText(t *task, text string) { s.editTasks(func() { t.says = text }) }

// addArtifacts adds artifacts to a task.
func (s *stage) addArtifacts(t *task, more ...artifact) {
	s.editTasks(func() { t.artifacts = append(t.artifacts, more...) })
}

// newWorkingTask makes a task that works, and has the text of the first event of a stream.
func (c *call) newWorkingTask() *task {
	t := c.newTask(working)
	c.addArtifacts(t, artifact{c.ids.New(), []string{c.formatAnswer(numberMarker("event", 0))}})
	return t
}

// completeTask completes a task with the text of the play as its only text, and returns the event of that.
func (c *call) completeTask(t *task) object {
	c.editTasks(func() { t.says, t.artifacts = "", []artifact{{t.saysID, []string{c.formatAnswer("artifact")}}} })
	return c.finishTask(t, completed)
}

// newDoneTask makes a task that is completed, with the text of the play as its artifact.
func (c *call) newDoneTask() *task {
	t := c.newTask(completed)
	c.addArtifacts(t, artifact{c.ids.New(), []string{c.formatAnswer("artifact")}})
	return t
}

// formatAnswer returns what the agent states, with the marker of that name if the play has it.
func (s *stage) formatAnswer(in string) string { return "The answer is " + s.findMarkerWord(in) + "." }

// findMarkerWord returns the marker of that name; "nothing" if the play has none.
func (s *stage) findMarkerWord(in string) string {
	for _, m := range s.markers {
		if m.In == in {
			return m.Word
		}
	}
	return "nothing"
}

// formatNow returns the time as the protocols write it.
func formatNow() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// encodeJSON writes JSON as most servers do.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it is made of maps, lists and texts
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
