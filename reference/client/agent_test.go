package client_test

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/client"
)

type object = map[string]any

// A situation is how an agent behaves when mutants show what is wrong with them.
type situation struct {
	editCard func(s *testAgent, card object)
	document string // in place of the card
	cardAt   string // where the card is, to which the well-known path redirects
	control  string // how long the card may be kept: its Cache-Control; it then has an ETag, too
	serve    func(s *testAgent, w http.ResponseWriter, c receivedCall) bool
	options  func(o *client.Options)
	signed   string        // the card is signed in a way of that name
	secure   string        // serves by TLS, with a certificate of that name
	limit    time.Duration // ends the client
	failing  bool          // the healthy client ends with an error
}

// A testAgent is a scripted agent, which records what the client sends.
type testAgent struct {
	situation
	dialect string
	base    string // the URL of the agent
	other   string // the URL of another origin, which records too
	task    string // the id of the task
	ca      string // the authority of its certificates
	keys    string // that its client has
	signers map[string]*ecdsa.PrivateKey

	mu       sync.Mutex
	requests []string
	lengths  int // fields Content-Length of all requests, as they came
	counts   map[string]int
	started  time.Time
}

// A receivedCall is a call that arrived.
type receivedCall struct {
	op     string
	number int // of its operation, from 1
	id     any
	params object
	r      *http.Request
	inREST bool
}

// talking are the dialects whose agents are found by cards, and talk in messages.
var talking = slices.DeleteFunc(client.Dialects(), func(dialect string) bool { return dialect == "directory-0.1" })

// complete are those of them that have all operations on tasks.
var complete = slices.DeleteFunc(slices.Clone(talking), func(dialect string) bool { return dialect == "core-schema" })

var operations = map[string]string{
	"SendMessage": "send", "SendStreamingMessage": "stream", "GetTask": "get", "CancelTask": "cancel", "SubscribeToTask": "subscribe",
	"ListTasks": "list", "GetExtendedAgentCard": "extended",
	"tasks/send": "send", "tasks/sendSubscribe": "stream", "tasks/pushNotification/set": "set-webhook",
	"message/send": "send", "message/stream": "stream", "tasks/get": "get", "tasks/cancel": "cancel", "tasks/resubscribe": "subscribe",
	"agent/getAuthenticatedExtendedCard": "extended",
	"CreateTaskPushNotificationConfig":   "set-webhook", "tasks/pushNotificationConfig/set": "set-webhook",
}

// start serves the agent for the length of the test.
func (s *testAgent) start(t *testing.T) {
	s.counts, s.started, s.task = map[string]int{}, time.Now(), "Task-"+strings.Repeat("0", 100)+"-A"
	agent := httptest.NewUnstartedServer(http.HandlerFunc(s.handle))
	agent.Listener = lengthCounter{agent.Listener, s}
	agent.Config.Protocols = &http.Protocols{}
	agent.Config.Protocols.SetHTTP1(true)
	agent.Config.Protocols.SetUnencryptedHTTP2(true)
	if s.secure == "" {
		agent.Start()
	} else {
		agent.TLS, s.ca = s.certify(t)
		agent.EnableHTTP2 = true
		agent.Config.Protocols.SetHTTP2(true)
		agent.Config.ErrorLog = log.New(io.Discard, "", 0) // the failed handshakes are seen in what the client prints
		agent.StartTLS()
	}
	s.makeKeys(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.record("other origin", r)
		http.NotFound(w, r)
	}))
	t.Cleanup(func() { agent.CloseClientConnections(); agent.Close(); other.Close() })
	s.base, s.other = agent.URL, other.URL
}

// A lengthCounter counts the fields Content-Length that arrive, of which net/http shows one.
type lengthCounter struct {
	net.Listener
	agent *testAgent
}

// Accept returns the next connection.
func (l lengthCounter) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return countedConn{conn, l.agent}, err
}

type countedConn struct {
	net.Conn
	agent *testAgent
}

// Read reads what arrived; the head of a request comes in one piece.
func (c countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.agent.mu.Lock()
	defer c.agent.mu.Unlock()
	c.agent.lengths += bytes.Count(bytes.ToLower(b[:n]), []byte("\r\ncontent-length:"))
	return n, err
}

// record keeps a request, without what differs from run to run, and returns its body.
func (s *testAgent) record(where string, r *http.Request) []byte {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", where, r.Method, r.URL)
	for _, name := range []string{"If-None-Match", "Content-Type", "Accept", "A2a-Version", "A2a-Extensions", "X-A2a-Extensions", "Authorization", "Cookie", "X-Api-Key", "Traceparent", "X-A2a-Version", "Te"} {
		for _, v := range r.Header[name] {
			fmt.Fprintf(&b, "\n\t%s: %s", name, v)
		}
	}
	fmt.Fprintf(&b, "\n\t%s", body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, b.String())
	return body
}

func (s *testAgent) handle(w http.ResponseWriter, r *http.Request) {
	body := s.record("agent", r)
	wellKnown := "/.well-known/agent-card.json"
	switch s.dialect {
	case "a2a-0.1", "a2x-0.3", "core-schema":
		wellKnown = "/.well-known/agent.json"
	case "jaf-0.3":
		wellKnown = "/.well-known/agent-card"
	}
	if s.cardAt != "" && r.URL.Path == wellKnown {
		http.Redirect(w, r, s.cardAt, http.StatusFound)
		return
	}
	if r.URL.Path == wellKnown || r.URL.Path == s.cardAt {
		if s.document != "" {
			io.WriteString(w, s.document)
			return
		}
		card := s.card()
		if s.editCard != nil {
			s.editCard(s, card)
		}
		if s.control != "" {
			w.Header().Set("Cache-Control", s.control)
			w.Header().Set("ETag", `"1"`)
		}
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if s.signed != "" {
			s.serveSigned(w, card)
			return
		}
		json.NewEncoder(w).Encode(card)
		return
	}
	if r.URL.Path == "/oauth/token" {
		json.NewEncoder(w).Encode(object{"access_token": "token-of-the-endpoint", "token_type": "Bearer"})
		return
	}
	if s.answerLogin(w, r) {
		return
	}
	if r.URL.Path == "/keys.json" {
		w.Write(s.listKeys())
		return
	}
	if r.Header.Get("Content-Type") == "application/grpc" {
		s.serveGRPC(w, r, body)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/rest/") {
		s.serveCall(w, readREST(r, body))
		return
	}
	var envelope object
	if r.URL.Path == "/notes.txt" || json.Unmarshal(body, &envelope) != nil {
		http.NotFound(w, r)
		return
	}
	method, _ := envelope["method"].(string)
	params, _ := envelope["params"].(object)
	s.serveCall(w, receivedCall{op: operations[method], id: envelope["id"], params: params, r: r})
}

// restOperations are the operations by the ends of the paths of HTTP+JSON.
var restOperations = []struct{ end, op string }{
	{"message:send", "send"}, {"message:stream", "stream"}, {":subscribe", "subscribe"}, {"/tasks", "list"}, {"/tasks/*", "get"},
}

// readREST reads a call in HTTP+JSON.
func readREST(r *http.Request, body []byte) receivedCall {
	c := receivedCall{r: r, inREST: true, params: object{}}
	if json.Unmarshal(body, &c.params) != nil {
		for name, values := range r.URL.Query() {
			c.params[name] = values[0]
		}
	}
	for _, o := range restOperations {
		before, deeper := strings.CutSuffix(o.end, "*")
		if strings.HasSuffix(r.URL.Path, o.end) || deeper && strings.Contains(r.URL.Path, before) {
			c.op = o.op
			break
		}
	}
	return c
}

// hasKinds reports whether objects of the dialect state their kinds.
func (s *testAgent) hasKinds() bool {
	return s.dialect == "a2a-0.3" || s.dialect == "a2x-0.3" || s.hasCompletions()
}

// hasCompletions reports whether agents of the dialect answer by completions.
func (s *testAgent) hasCompletions() bool { return s.dialect == "jaf-0.3" }

// isFirst reports whether the dialect is the first version, in which clients make the ids of tasks.
func (s *testAgent) isFirst() bool { return s.dialect == "a2a-0.1" || s.dialect == "core-schema" }

// serveCall answers a call.
func (s *testAgent) serveCall(w http.ResponseWriter, c receivedCall) {
	s.mu.Lock()
	s.counts[c.op]++
	c.number = s.counts[c.op]
	if id, is := c.params["id"].(string); s.isFirst() && is && (c.op == "send" || c.op == "stream") {
		s.task = id
	}
	s.mu.Unlock()
	if s.serve == nil || !s.serve(s, w, c) {
		s.answer(w, c)
	}
}

func (s *testAgent) card() object {
	card := object{
		"name": "Test agent", "description": "A scripted agent.", "version": "1", "skills": []any{},
		"capabilities":      object{"streaming": true, "pushNotifications": true, "extensions": []any{}},
		"defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
	}
	switch {
	case s.isFirst():
		card["url"] = s.base + "/rpc"
	case s.hasKinds():
		card["protocolVersion"], card["url"] = "0.3.0", s.base+"/rpc"
	default:
		card["supportedInterfaces"] = []any{s.makeInterface("/rpc", "JSONRPC", "1.0")}
	}
	return card
}

// makeInterface returns an interface of the card.
func (s *testAgent) makeInterface(path, binding, version string) object {
	url := path
	if strings.HasPrefix(path, "/") {
		url = s.base + path
	}
	if s.hasKinds() || s.isFirst() {
		return object{"url": url, "transport": binding}
	}
	return object{"url": url, "protocolBinding": binding, "protocolVersion": version}
}

// setInterfaces gives the card these interfaces, in this order.
func (s *testAgent) setInterfaces(card object, all ...object) {
	if s.isFirst() {
		card["url"] = all[0]["url"]
		return
	}
	if s.hasKinds() {
		card["url"], card["preferredTransport"], card["additionalInterfaces"] = all[0]["url"], all[0]["transport"], all
		return
	}
	card["supportedInterfaces"] = all
}

// answer is how the agent answers if the situation has no other answer.
func (s *testAgent) answer(w http.ResponseWriter, c receivedCall) {
	switch c.op {
	case "send":
		if s.isFirst() || s.dialect == "a2x-0.3" { // whose agents do not wait
			s.reply(w, c, s.wrap("task", s.taskIn("working")))
			return
		}
		configuration, _ := c.params["configuration"].(object)
		if configuration["returnImmediately"] == true || configuration["blocking"] == false {
			s.reply(w, c, s.wrap("task", s.taskIn("working")))
			return
		}
		s.reply(w, c, s.wrap("task", s.taskIn("completed")))
	case "stream":
		s.stream(w, c, s.wrap("task", s.taskIn("working")), s.chunk("grö", false), s.chunk("ßer", true), s.status("completed", true))
	case "get":
		if c.number == 1 {
			s.reply(w, c, s.taskIn("working"))
			return
		}
		s.reply(w, c, s.taskIn("completed"))
	case "subscribe":
		if s.isFirst() {
			s.stream(w, c, s.chunk("größer", false), s.status("completed", true))
			return
		}
		s.stream(w, c, s.wrap("task", s.taskIn("completed")))
	case "cancel":
		s.reply(w, c, s.taskIn("canceled"))
	case "list":
		result := object{"tasks": []any{s.taskIn("completed")}, "nextPageToken": ""}
		if c.params["pageToken"] == nil {
			result["nextPageToken"] = "next"
		}
		s.reply(w, c, result)
	case "extended":
		s.reply(w, c, s.card())
	default:
		s.refuse(w, c, http.StatusOK, -32601)
	}
}

// wrap puts a result into the member that the dialect has for it.
func (s *testAgent) wrap(member string, v object) object {
	if s.isFirst() {
		return v
	}
	if status, _ := v["status"].(object); s.hasCompletions() && member == "task" && status["state"] == "completed" {
		return object{"kind": "completion", "taskId": v["id"], "contextId": v["contextId"], "message": status["message"], "final": true}
	}
	if s.hasKinds() {
		kinds := map[string]string{"task": "task", "message": "message", "statusUpdate": "status-update", "artifactUpdate": "artifact-update"}
		v["kind"] = kinds[member]
		return v
	}
	return object{member: v}
}

func (s *testAgent) state(name string) string {
	if s.isFirst() && name == "auth-required" { // which it does not have
		return "input-required"
	}
	if s.hasKinds() || s.isFirst() {
		return name
	}
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

func (s *testAgent) text(text string) object {
	if s.isFirst() {
		return object{"type": "text", "text": text}
	}
	if s.hasKinds() {
		return object{"kind": "text", "text": text}
	}
	return object{"text": text}
}

func (s *testAgent) taskIn(state string) object {
	v := object{"id": s.task, "contextId": "Context-B", "status": object{"state": s.state(state)}}
	if s.isFirst() {
		v["sessionId"] = v["contextId"]
		delete(v, "contextId")
	}
	if state == "completed" && s.hasCompletions() {
		v["status"] = object{"state": state, "message": object{"kind": "message", "messageId": "m", "role": "agent", "contextId": "Context-B", "parts": []any{s.text("größer")}}}
	} else if state == "completed" {
		v["artifacts"] = []any{object{"artifactId": "a", "parts": []any{s.text("größer")}}}
	}
	if s.hasKinds() {
		v["kind"] = "task"
	}
	return v
}

func (s *testAgent) status(state string, final bool) object {
	if s.hasCompletions() && state == "completed" {
		return s.wrap("task", s.taskIn(state))
	}
	if s.isFirst() {
		return object{"id": s.task, "status": object{"state": state}, "final": final}
	}
	v := object{"taskId": s.task, "contextId": "Context-B", "status": object{"state": s.state(state)}}
	if s.dialect == "a2a-0.3" {
		v["final"] = final
	}
	return s.wrap("statusUpdate", v)
}

func (s *testAgent) chunk(text string, appended bool) object {
	if s.hasCompletions() {
		return object{"kind": "partial-completion", "taskId": s.task, "final": false, "message": object{"kind": "message", "messageId": "m", "role": "agent", "contextId": "Context-B", "parts": []any{s.text(text)}}}
	}
	if s.isFirst() {
		return object{"id": s.task, "artifact": object{"index": 0, "append": appended, "parts": []any{s.text(text)}}}
	}
	return s.wrap("artifactUpdate", object{"taskId": s.task, "contextId": "Context-B", "append": appended,
		"artifact": object{"artifactId": "a", "parts": []any{s.text(text)}}})
}

// message is a result that is a message.
func (s *testAgent) message(parts ...object) object {
	if s.hasCompletions() {
		v := s.status("completed", true)
		v["message"].(object)["parts"] = parts
		return v
	}
	if s.isFirst() { // whose results are tasks
		v := s.taskIn("completed")
		v["artifacts"] = []any{object{"parts": parts}}
		return v
	}
	role := "ROLE_AGENT"
	if s.hasKinds() {
		role = "agent"
	}
	return s.wrap("message", object{"messageId": "m", "role": role, "parts": parts})
}

// reply answers a call with a result.
func (s *testAgent) reply(w http.ResponseWriter, c receivedCall, result any) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, s.data(c, result))
}

// refuse answers a call with an error.
func (s *testAgent) refuse(w http.ResponseWriter, c receivedCall, status, code int) {
	s.refuseWith(w, c.id, status, object{"code": code, "message": "no"})
}

func (s *testAgent) refuseWith(w http.ResponseWriter, id any, status int, e object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": id, "error": e})
}

// data is the JSON text of an event.
func (s *testAgent) data(c receivedCall, result any) string {
	whole := any(object{"jsonrpc": "2.0", "id": c.id, "result": result})
	if c.inREST {
		whole = result
	}
	b, _ := json.Marshal(whole)
	return string(b)
}

// stream answers a call with events, each flushed by itself.
func (s *testAgent) stream(w http.ResponseWriter, c receivedCall, results ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, r := range results {
		fmt.Fprintf(w, "data: %s\n\n", s.data(c, r))
		w.(http.Flusher).Flush()
	}
}

// pieces answers a call with bytes, each piece flushed by itself.
func (s *testAgent) pieces(w http.ResponseWriter, pause time.Duration, pieces ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i, p := range pieces {
		if i > 0 {
			time.Sleep(pause)
		}
		io.WriteString(w, p)
		w.(http.Flusher).Flush()
	}
}

// events are the data of a whole stream: the task, an artifact with a marker, the end.
func (s *testAgent) events(c receivedCall) []string {
	return []string{s.data(c, s.wrap("task", s.taskIn("working"))), s.data(c, s.chunk("größer", false)), s.data(c, s.status("completed", true))}
}

// body joins the events of a stream, each written by a function.
func (s *testAgent) body(c receivedCall, write func(data string) string) string {
	var b strings.Builder
	for _, d := range s.events(c) {
		b.WriteString(write(d))
	}
	return b.String()
}

var (
	uuids  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	hexes  = regexp.MustCompile(`00-[0-9a-f]{32}-[0-9a-f]{16}-01`)
	proofs = regexp.MustCompile(`code_challenge=[A-Za-z0-9_-]{43}`)
	hooks  = regexp.MustCompile(`http://127\.0\.0\.1:\d+/<id`)
	times  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d(:|%3A)\d\d(:|%3A)\d\d`)
)

// describeRun returns what can be observed of a run.
func (s *testAgent) describeRun(code int, stdout, stderr string, took time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf("%s\nfields Content-Length: %d\nexit code %d, longer than its limit: %v\nstdout: %s\nstderr: %s", strings.Join(s.requests, "\n"), s.lengths, code, s.limit > 0 && took > s.limit*3/4, stdout, stderr)
	var names []string
	text = uuids.ReplaceAllStringFunc(text, func(id string) string {
		i := slices.Index(names, id)
		if i < 0 {
			i, names = len(names), append(names, id)
		}
		return fmt.Sprintf("<id %d>", i)
	})
	text = proofs.ReplaceAllString(text, "code_challenge=<challenge>")
	text = hooks.ReplaceAllString(text, "<webhook>/<id")
	text = times.ReplaceAllString(hexes.ReplaceAllString(text, "<trace>"), "<time>")
	return strings.NewReplacer(s.base, "<agent>", s.other, "<other>", s.base[strings.Index(s.base, "//")+2:], "<agent host>").Replace(text)
}
