package gateway

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"strings"

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
	for _, name := range p.sortWays() {
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

// cardConversation gets the card twice, since a server may sign it anew for each caller, and again by its ETag.
func (p *player) cardConversation() conversation {
	get := func(w way, header http.Header) (client.Call, error) {
		return client.Call{Method: http.MethodGet, URL: w.belowBase(p.dialect.FirstPath()), Header: header}, nil
	}
	whole := func(w way, _ []*record.Exchange) (client.Call, error) {
		return get(w, http.Header{"Accept": {"application/json"}})
	}
	return conversation{name: "card", about: "get the agent card twice, and get it again by its ETag", steps: []step{
		{name: "get", op: "card", call: whole},
		{name: "repeat", op: "card", call: whole},
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
	prefix := strings.ToLower(strings.NewReplacer("+", "", "-", "").Replace(name)) + "-" // of the ids of messages
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
			if p.writer.Params["get"] == nil {
				return nil, errors.New("the protocol has no such operation")
			}
			return p.writer.Params["get"](dialect.Outgoing{Task: task}), nil
		}
	}
	out := []conversation{
		{name: "task", about: "send a message, and get its task", steps: []step{
			{name: "send", op: "send", call: operation("send", p.extensionHeader(), send("send"))},
			{name: "get", op: "get", call: operation("get", nil, get(func(before []*record.Exchange) string { return p.taskOf(name, before[0]) }))},
		}},
		{name: "error", about: "get a task that does not exist", steps: []step{
			{name: "get", op: "get", call: operation("get", nil, get(func([]*record.Exchange) string { return unknownID }))},
		}},
	}
	if len(p.dialect.Headers) > 0 {
		header := http.Header{}
		for field := range p.dialect.Headers {
			header.Set(field, noVersion)
		}
		out = append(out, conversation{name: "version", about: "send a message by a version that the server does not have", steps: []step{
			{name: "send", op: "send", call: operation("send", header, send("send"))},
		}})
	}
	if p.card.Claims("streaming") == card.Yes {
		out = append(out, conversation{name: "stream", about: "send a message, and read the stream of its task", steps: []step{
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
