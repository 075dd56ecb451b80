package gateway

import (
	"cmp"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// What calls have that shows what becomes of it on the way.
const (
	alphaVia  = "1.0 conform-alpha"
	betaVia   = "1.1 conform-beta"
	traceName = "Traceparent"
	trace     = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	unknownID = "a2a-conform no/such task"
	noVersion = "99.0"
	oldText   = "hello"
)

// listConversations lists what is held, in its order.
func (p *player) listConversations() []conversation {
	all := []conversation{p.cardConversation()}
	for _, name := range slices.SortedFunc(maps.Keys(p.ways), func(a, b string) int { return cmp.Compare(p.rankBinding(a), p.rankBinding(b)) }) {
		all = append(all, p.listOfBinding(name)...)
	}
	if version, older := p.olderVersion(); older != nil {
		all = append(all, p.versionsConversation(version, older))
	}
	if p.cfg.Upstream != nil && len(p.ways) > 0 {
		all = append(all, p.listOwn()...)
	}
	return all
}

// rankBinding sorts the bindings: those first that any gateway passes on.
func (p *player) rankBinding(name string) string {
	return map[string]string{schema.KindJSONRPC: "1", schema.KindREST: "2"}[p.dialect.Bindings[name].Kind] + name
}

// cardConversation gets the card, and gets it again by its ETag.
func (p *player) cardConversation() conversation {
	get := func(w way, header http.Header) (client.Call, error) {
		return client.Call{Method: http.MethodGet, URL: w.belowBase(p.dialect.FirstPath()), Header: header}, nil
	}
	return conversation{name: "card", about: "get the agent card, and get it again by its ETag", steps: []step{
		{name: "get", op: "card", call: func(w way, _ []*record.Exchange) (client.Call, error) {
			return get(w, http.Header{"Accept": {"application/json"}})
		}},
		{name: "again", op: "card", call: func(w way, before []*record.Exchange) (client.Call, error) {
			tag := before[0].Response.Header().Get("Etag")
			if tag == "" {
				return client.Call{}, errors.New("the card came without an ETag")
			}
			return get(w, http.Header{"Accept": {"application/json"}, "If-None-Match": {tag}})
		}},
	}}
}

// listOfBinding lists the conversations with the server itself in one binding.
func (p *player) listOfBinding(name string) []conversation {
	prefix := strings.ToLower(strings.NewReplacer("+", "", "-", "").Replace(name)) + "-"
	operation := func(op string, header http.Header, params func(w way, before []*record.Exchange) (map[string]any, error)) func(way, []*record.Exchange) (client.Call, error) {
		return func(w way, before []*record.Exchange) (client.Call, error) {
			of, err := params(w, before)
			if err != nil {
				return client.Call{}, err
			}
			call, err := p.encodeCall(w, name, op, of, p.nonce)
			if err == nil {
				for field, values := range header {
					call.Header[field] = values
				}
			}
			return call, err
		}
	}
	send := func(op string) func(w way, _ []*record.Exchange) (map[string]any, error) {
		return func(w way, _ []*record.Exchange) (map[string]any, error) {
			if p.writer.Params[op] == nil {
				return nil, errors.New("the protocol has no such operation")
			}
			return p.writer.Params[op](dialect.Outgoing{Text: cmp.Or(p.cfg.Text, "Grüße, 世界"), Message: prefix + op + "-" + string(w.side) + "-" + p.nonce, Bare: true}), nil
		}
	}
	get := func(id func(before []*record.Exchange) string) func(w way, before []*record.Exchange) (map[string]any, error) {
		return func(_ way, before []*record.Exchange) (map[string]any, error) {
			task := id(before)
			if task == "" {
				return nil, errors.New("the message was not answered with a task")
			}
			return p.writer.Params["get"](dialect.Outgoing{Task: task}), nil
		}
	}
	out := []conversation{
		{name: prefix + "task", about: "send a message, and get its task", steps: []step{
			{name: "send", op: "send", call: operation("send", p.extensionHeader(), send("send"))},
			{name: "get", op: "get", call: operation("get", nil, get(func(before []*record.Exchange) string { return p.taskOf(name, before[0]) }))},
		}},
		{name: prefix + "error", about: "get a task that does not exist", steps: []step{
			{name: "get", op: "get", call: operation("get", nil, get(func([]*record.Exchange) string { return unknownID }))},
		}},
	}
	if len(p.dialect.Headers) > 0 {
		header := http.Header{}
		for field := range p.dialect.Headers {
			header.Set(field, noVersion)
		}
		out = append(out, conversation{name: prefix + "version", about: "send a message by a version that the server does not have", steps: []step{
			{name: "send", op: "send", call: operation("send", header, send("send"))},
		}})
	}
	if p.card.Claims("streaming") == card.Yes {
		out = append(out, conversation{name: prefix + "stream", about: "send a message, and read the stream of its task", steps: []step{
			{name: "stream", op: "stream", call: operation("stream", nil, send("stream"))},
		}})
	}
	for i := range out {
		out[i].binding = name
	}
	return out
}

// extensionHeader asks for the extensions that the card declares, as calls of the dialect do.
func (p *player) extensionHeader() http.Header {
	field := p.dialect.Card.ExtensionHeader
	all, _ := p.card.Requestable()
	if field == "" || len(all) == 0 {
		return nil
	}
	return http.Header{field: {strings.Join(all, ", ")}}
}

// taskOf returns the id of the task by which a message was answered; "" if there is none.
func (p *player) taskOf(name string, x *record.Exchange) string {
	result := binding.ByNameOrDefault(p.dialect, name).Decode("send", x).Result.Node
	if held := result.Member("task"); held != nil {
		result = held
	}
	if id := result.Member("id"); id != nil && id.Kind == record.String {
		return id.String
	}
	return ""
}

// olderVersion returns an older version of the protocol that the card offers at the address of the newer one, by JSON-RPC, with its
// dialect; nil if there is none.
func (p *player) olderVersion() (version string, older *schema.Dialect) {
	for _, i := range p.card.Entries() {
		for _, newer := range p.card.Listed() {
			name := newer.Transport()
			if _, called := p.ways[name]; !called || i.URL() != newer.URL() || i.Transport() != name || i.Version() == newer.Version() || p.dialect.Bindings[name].Kind != schema.KindJSONRPC {
				continue
			}
			for _, other := range p.dialect.Detect.Supersedes {
				if d, err := schema.Load(other); err == nil && d.Detect.Fits(i.Version()) {
					return i.Version(), d
				}
			}
		}
	}
	return "", nil
}

// versionsConversation calls an agent by two versions at one address, as callers of both do.
func (p *player) versionsConversation(version string, older *schema.Dialect) conversation {
	name := p.card.Preferred().Transport()
	field := "A2a-Version"
	send := func(d *schema.Dialect, id string, header http.Header) func(w way, _ []*record.Exchange) (client.Call, error) {
		return func(w way, _ []*record.Exchange) (client.Call, error) {
			writer, err := dialect.For(d.Name)
			if err != nil {
				return client.Call{}, err
			}
			params := writer.Params["send"](dialect.Outgoing{Text: cmp.Or(p.cfg.Text, oldText), Message: id + "-" + string(w.side) + "-" + p.nonce, Bare: true})
			call, err := binding.ByNameOrDefault(d, name).Encode(p.endpointOf(w, name), binding.Request{Op: "send", ID: p.nonce, Params: params})
			if err == nil {
				maps.Copy(call.Header, header)
			}
			return call, err
		}
	}
	card := func(version string) func(w way, _ []*record.Exchange) (client.Call, error) {
		return func(w way, _ []*record.Exchange) (client.Call, error) {
			return client.Call{Method: http.MethodGet, URL: w.belowBase(p.dialect.FirstPath()), Header: http.Header{field: {version}}}, nil
		}
	}
	newer := p.card.Preferred().Version()
	return conversation{name: "versions", binding: name, about: "call the agent by version " + version + " and by the newer one at the same address", steps: []step{
		{name: "older", op: "send", call: send(older, "older", http.Header{field: {version}})},
		{name: "newer", op: "send", call: send(p.dialect, "newer", nil)},
		{name: "unnamed", op: "send", call: send(older, "unnamed", nil)},
		{name: "card-newer", op: "card", call: card(newer)},
		{name: "card-older", op: "card", call: card(version)},
	}}
}

// callOwn returns a call that the upstream answers in the way of that name.
func (p *player) callOwn(method, answer string, header http.Header, body []byte) func(w way, _ []*record.Exchange) (client.Call, error) {
	return func(w way, _ []*record.Exchange) (client.Call, error) {
		h := header.Clone()
		if h == nil {
			h = http.Header{}
		}
		address := w.belowBase(p.dialect.FirstPath())
		if method == http.MethodPost || body != nil {
			address = p.endpointOf(w, p.mainBinding())
			if h.Get("Content-Type") == "" {
				h.Set("Content-Type", "application/json")
			}
		}
		return client.Call{Method: method, URL: address + "?" + answerParam + "=" + answer, Header: h, Body: body}, nil
	}
}

// mainBinding returns the binding at whose address the upstream is asked for answers of its own.
func (p *player) mainBinding() string {
	return slices.MinFunc(slices.Collect(maps.Keys(p.ways)), func(a, b string) int { return cmp.Compare(p.rankBinding(a), p.rankBinding(b)) })
}

// ownBody is the body of a request that the upstream answers itself: JSON with blanks that no encoder writes.
func ownBody(size int) []byte {
	return []byte(`{"call": "own" , "id":"own",` + "\n\t" + `"with":{"text":"Grüße ` + strings.Repeat("0123456789abcdef", size/16) + `", "amount":1.50e0}}`)
}

// makeOwn makes a conversation of one call that the upstream answers itself.
func (p *player) makeOwn(name, about, method, answer string, header http.Header, body []byte) conversation {
	return conversation{name: name, about: about, own: true, steps: []step{{name: "call", call: p.callOwn(method, answer, header, body)}}}
}

// listOwn lists the conversations in which the upstream answers itself.
func (p *player) listOwn() []conversation {
	post, get, small := http.MethodPost, http.MethodGet, ownBody(0)
	extension := cmp.Or(p.dialect.Card.ExtensionHeader, "A2A-Extensions")
	fields := http.Header{"A2a-Version": {"0.3"}, extension: {"https://conform.example.com/ext/trace/v1, https://conform.example.com/ext/provenance/v1"},
		traceName: {trace}, "Tracestate": {"conform=1"}, NoteField: {"one", "two"}, "Cookie": {"a=1; b=2"}, "X-Api-Key": {"conform-key"},
		"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("conform:conform"))}, "Content-Type": {"application/json"}, "Accept": {"application/json"}}
	out := []conversation{
		p.makeOwn("fields", "send all fields that an agent may need", post, "fields", fields, small),
		p.makeOwn("hop", "send fields that are about the connection alone", post, "fields", http.Header{"Connection": {HopField}, HopField: {"1"}, "Keep-Alive": {"timeout=77"}, "Proxy-Connection": {"keep-alive"}, "Te": {"trailers"}}, small),
		p.makeOwn("via", "send a request that passed two intermediaries before", post, "fields", http.Header{"Via": {alphaVia + ", " + betaVia}}, small),
		p.makeOwn("answer-hop", "get an answer with fields that are about the connection alone", get, "hop", nil, nil),
		p.makeOwn("intact", "get an answer with no-transform", get, "intact", http.Header{"Accept-Encoding": {"gzip"}}, nil),
		p.makeOwn("nothing", "get an answer without content", post, "nothing", nil, small),
		p.makeOwn("interim", "get an answer that an interim one precedes", get, "interim", nil, nil),
		p.makeOwn("coded", "get an answer that is compressed", get, "coded", http.Header{"Accept-Encoding": {"gzip"}}, nil),
		p.makeOwn("large-request", "send a request of 2 MiB", post, "fields", nil, ownBody(LargeBody)),
		p.makeOwn("large-answer", "get an answer of 2 MiB", get, "large", nil, nil),
		p.makeOwn("drop", "send a request on which the server closes the connection", post, "drop", nil, small),
		p.makeOwn("events", "read a stream of six events", post, "events", http.Header{"Accept": {"text/event-stream"}}, small),
		p.makeOwn("cut", "read a stream that the server breaks off", post, "cut", http.Header{"Accept": {"text/event-stream"}}, small),
	}
	for _, status := range []string{"unauthorized", "forbidden", "busy", "broken", "down"} {
		out = append(out, p.makeOwn(status, "get an answer of the agent with a status of an error", post, status, nil, small))
	}
	if path := p.restPath(); path != "" {
		out = append(out, conversation{name: "target", about: "send a path and a query with encoded characters", own: true, steps: []step{{name: "call", call: func(w way, _ []*record.Exchange) (client.Call, error) {
			return client.Call{Method: get, URL: w.belowBase(path) + "/tasks/a%2Fb%20c?historyLength=0&note=%2B+%C3%BC&note=2&" + answerParam + "=fields"}, nil
		}}}})
	}
	out = append(out, p.listCached()...)
	for _, c := range []conversation{
		p.makeOwn("tail", "get an answer with a field after its body", get, "tail", http.Header{"Te": {"trailers"}}, nil),
		p.makeOwn("quiet", "read a stream in which nothing comes for 3 s", post, "quiet", http.Header{"Accept": {"text/event-stream"}}, small),
		p.makeOwn("slow", "wait 4 s for an answer", post, "slow", nil, small),
		p.makeCached("cache-stale", "get what is fresh for 1 s, and get it again after 2 s", "stale", nil, nil, 2100*time.Millisecond),
	} {
		c.waits = true
		out = append(out, c)
	}
	return out
}

// makeCached makes a conversation that gets the same twice.
func (p *player) makeCached(name, about, answer string, first, second http.Header, wait time.Duration) conversation {
	return conversation{name: name, about: about, own: true, steps: []step{
		{name: "first", call: p.callOwn(http.MethodGet, answer, first, nil)},
		{name: "second", wait: wait, call: p.callOwn(http.MethodGet, answer, second, nil)},
	}}
}

// listCached lists the conversations about caches.
func (p *player) listCached() []conversation {
	basic := func(user string) http.Header {
		return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(user+":conform"))}}
	}
	version := func(v string) http.Header { return http.Header{"A2a-Version": {v}} }
	posted := conversation{name: "cache-post", about: "send the same message twice", own: true, steps: []step{
		{name: "first", call: p.callOwn(http.MethodPost, "post", nil, ownBody(0))},
		{name: "second", call: p.callOwn(http.MethodPost, "post", nil, ownBody(0))},
	}}
	at := func(method string) func(w way, _ []*record.Exchange) (client.Call, error) { // the same address, whatever the method
		return func(w way, _ []*record.Exchange) (client.Call, error) {
			call := client.Call{Method: method, URL: w.belowBase(p.dialect.FirstPath()) + "?" + answerParam + "=plain"}
			if method == http.MethodPost {
				call.Header, call.Body = http.Header{"Content-Type": {"application/json"}}, ownBody(0)
			}
			return call, nil
		}
	}
	unsafe := conversation{name: "cache-unsafe", about: "get something, change it by a POST, and get it again", own: true, steps: []step{
		{name: "first", call: at(http.MethodGet)}, {name: "change", call: at(http.MethodPost)}, {name: "second", call: at(http.MethodGet)},
	}}
	return []conversation{
		p.makeCached("cache-plain", "get twice what may be stored", "plain", nil, nil, 0),
		p.makeCached("cache-no-store", "get twice what must not be stored", "no-store", nil, nil, 0),
		p.makeCached("cache-private", "get twice what a shared cache must not store", "private", nil, nil, 0),
		p.makeCached("cache-no-cache", "get twice what is not to be reused without validation", "no-cache", nil, nil, 0),
		p.makeCached("cache-authorized", "get something as one user, and then as another", "authorized", basic("alice"), basic("bob"), 0),
		p.makeCached("cache-vary", "get something in version 1.0, and then in 0.3", "vary", version("1.0"), version("0.3"), 0),
		p.makeCached("cache-vary-star", "get twice what varies by more than the request", "vary-star", nil, nil, 0),
		posted, unsafe,
	}
}

// restPath returns the path of the calls of HTTP+JSON; "" if the server has none.
func (p *player) restPath() string {
	for name, path := range p.ways {
		if p.dialect.Bindings[name].Kind == schema.KindREST {
			return cmp.Or(strings.TrimSuffix(path, "/"), "/")
		}
	}
	return ""
}
