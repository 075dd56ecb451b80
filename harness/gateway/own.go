package gateway

import (
	"cmp"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// listOwn lists the conversations in which the upstream answers itself: by GET at the place of the card, and in each binding, since a
// gateway can treat each address and each media type in its own way.
func (p *player) listOwn() []conversation {
	out := asker{player: p}.listGets()
	for _, name := range p.sortWays() {
		a := asker{p, name, p.dialect.Bindings[name].Kind}
		if a.kind == schema.KindREST {
			out = append(append(out, a.listGets()...), a.makeTarget())
		}
		out = append(out, a.listPosts()...)
	}
	return out
}

// sortWays returns the bindings in which the server is called, those first that any gateway passes on.
func (p *player) sortWays() []string {
	return slices.SortedFunc(maps.Keys(p.ways), func(a, b string) int { return cmp.Compare(p.rankBinding(a), p.rankBinding(b)) })
}

// asker makes the calls of one binding that the upstream answers itself. Without a binding they are those for the card.
type asker struct {
	*player
	binding string
	kind    string // of the binding
}

// callOwn returns a call that the upstream answers in the way of that name.
func (a asker) callOwn(method, conversation, answer string, header http.Header, body []byte) func(w way, before []*record.Exchange) (client.Call, error) {
	return func(w way, _ []*record.Exchange) (client.Call, error) {
		if a.kind == schema.KindGRPC {
			return a.callOwnGRPC(w, conversation, answer, header, len(body))
		}
		h := header.Clone()
		if h == nil {
			h = http.Header{}
		}
		address := w.belowBase(a.dialect.FirstPath())
		switch {
		case method == http.MethodGet && a.kind == schema.KindREST:
			address = a.belowREST(w, "/tasks/a2a-conform")
		case method == http.MethodPost:
			if h.Get("Content-Type") == "" {
				h.Set("Content-Type", "application/json")
			}
			if a.kind == "" {
				break
			}
			call, err := a.encodeMessage(w, answer, "a2a-conform", oldText)
			if err != nil {
				return client.Call{}, err
			}
			address, _, _ = strings.Cut(call.URL, "?")
		}
		query := answerParam + "=" + answer + "&" + idParam + "=" + url.QueryEscape(a.idOf(conversation, a.binding, w.side))
		return client.Call{Method: method, URL: address + "?" + query, Header: h, Body: body}, nil
	}
}

// belowREST returns an address below that of HTTP+JSON.
func (a asker) belowREST(w way, path string) string {
	return w.belowBase(strings.TrimSuffix(a.ways[a.binding], "/") + path)
}

// encodeMessage writes the call that sends a message with that id and text, or of an answer that is a stream the one that reads it.
func (a asker) encodeMessage(w way, answer, id, text string) (client.Call, error) {
	op := "send"
	if isStreamed(answer) && a.writer.Params["stream"] != nil {
		op = "stream"
	}
	var params map[string]any
	if write := a.writer.Params[op]; write != nil {
		params = write(dialect.Outgoing{Text: text, Message: id, Bare: true})
	}
	return binding.ByNameOrDefault(a.dialect, a.binding).Encode(a.endpointOf(w, a.binding), binding.Request{Op: op, ID: a.nonce, Params: params})
}

// callOwnGRPC returns such a call of gRPC. It asks by the id of its message: a path has no query there, and gateways may leave out
// metadata that they do not know.
func (a asker) callOwnGRPC(w way, conversation, answer string, header http.Header, size int) (client.Call, error) {
	id := answerParam + "=" + answer + ";" + idParam + "=" + a.idOf(conversation, a.binding, w.side) + ";"
	call, err := a.encodeMessage(w, answer, id, "Grüße "+strings.Repeat("0123456789abcdef", size/16))
	for field, values := range header {
		if field != "Content-Type" && field != "Accept" {
			call.Header[field] = values
		}
	}
	return call, err
}

// ownBody is the body of a request that the upstream answers itself: JSON with blanks that no encoder writes.
func ownBody(size int) []byte {
	return []byte(`{"call": "own" , "id":"own",` + "\n\t" + `"with":{"text":"Grüße ` + strings.Repeat("0123456789abcdef", size/16) + `", "amount":1.50e0}}`)
}

// makeOwn makes a conversation of one call that the upstream answers itself.
func (a asker) makeOwn(name, about, method, answer string, header http.Header, body []byte) conversation {
	return conversation{name: name, about: about, binding: a.binding, own: true, steps: []step{{name: "call", call: a.callOwn(method, name, answer, header, body)}}}
}

// markWaiting marks conversations that take seconds: they are held at the same time as others of their kind.
func markWaiting(all ...conversation) []conversation {
	for i := range all {
		all[i].waits = true
	}
	return all
}

// listGets lists the conversations that get something by GET.
func (a asker) listGets() []conversation {
	get := http.MethodGet
	out := []conversation{
		a.makeOwn("answer-hop", "get an answer with fields that are about the connection alone", get, "hop", nil, nil),
		a.makeOwn("intact", "get an answer with no-transform", get, "intact", http.Header{"Accept-Encoding": {"gzip"}}, nil),
		a.makeOwn("coded", "get an answer that is compressed", get, "coded", http.Header{"Accept-Encoding": {"gzip"}}, nil),
		a.makeOwn("large-answer", "get an answer of 2 MiB", get, "large", nil, nil),
	}
	out = append(out, a.listCached()...)
	interim := a.makeOwn("interim", "get an answer that an interim one precedes, and another one on the same connection", get, "interim", nil, nil)
	interim.steps = append(interim.steps, step{name: "next", most: AnswerPause, call: a.callOwn(get, interim.name, "plain", nil, nil)})
	interim.line = true
	return append(out, markWaiting(
		interim,
		a.makeOwn("tail", "get an answer with a field after its body", get, "tail", http.Header{"Te": {"trailers"}}, nil),
		a.makeCached("cache-stale", "get what is fresh for 1 s, and get it again after 2 s", "stale", nil, nil, 2100*time.Millisecond),
	)...)
}

// listPosts lists the conversations that send a message.
func (a asker) listPosts() []conversation {
	post, small := http.MethodPost, ownBody(0)
	extension := cmp.Or(a.dialect.Card.ExtensionHeader, "A2A-Extensions")
	fields := http.Header{"A2a-Version": {"0.3"}, extension: {"https://conform.example.com/ext/trace/v1, https://conform.example.com/ext/provenance/v1"},
		traceName: {trace}, "Tracestate": {"conform=1"}, NoteField: {"one", "two"}, "Cookie": {"a=1; b=2"}, "X-Api-Key": {"conform-key"},
		"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("conform:conform"))}, "Content-Type": {"application/json"}, "Accept": {"application/json"}}
	events := http.Header{"Accept": {"text/event-stream"}}
	out := []conversation{
		a.makeOwn("fields", "send all fields that an agent may need", post, "fields", fields, small),
		a.makeOwn("via", "send a request that passed two intermediaries before", post, "fields", http.Header{"Via": {alphaVia + ", " + betaVia}}, small),
		a.makeOwn("large-request", "send a request of 2 MiB", post, "fields", nil, ownBody(LargeBody)),
		a.makeOwn("drop", "send a request on which the server closes the connection", post, "drop", nil, small),
	}
	for _, status := range []string{"unauthorized", "forbidden", "busy", "broken", "down"} {
		out = append(out, a.makeOwn(status, "get an answer of the agent with a status of an error", post, status, nil, small))
	}
	if a.kind != schema.KindREST { // which gets it by GET
		out = append(out, a.makeOwn("large-answer", "get an answer of 2 MiB", post, "large", nil, small))
	}
	if a.kind != schema.KindGRPC { // what follows has no like in HTTP/2
		hop := http.Header{"Connection": {HopField}, HopField: {"1"}, "Keep-Alive": {"timeout=77"}, "Proxy-Connection": {"keep-alive"}, "Te": {"trailers"}}
		out = append(out, a.makeOwn("hop", "send fields that are about the connection alone", post, "fields", hop, small),
			a.makeOwn("nothing", "get an answer without content", post, "nothing", nil, small),
			conversation{name: "cache-post", about: "send the same message twice", binding: a.binding, own: true, steps: []step{
				{name: "first", call: a.callOwn(post, "cache-post", "post", nil, small)},
				{name: "second", call: a.callOwn(post, "cache-post", "post", nil, small)},
			}})
	}
	return append(out, markWaiting(
		a.makeOwn("events", "read a stream of six events", post, "events", events, small),
		a.makeOwn("cut", "read a stream that the server breaks off", post, "cut", events, small),
		a.makeOwn("quiet", "read a stream in which nothing comes for 3 s", post, "quiet", events, small),
		a.makeOwn("slow", "wait 4 s for an answer", post, "slow", nil, small),
	)...)
}

// makeTarget makes the conversation about the path and the query of HTTP+JSON.
func (a asker) makeTarget() conversation {
	return conversation{name: "target", about: "send a path and a query with encoded characters", binding: a.binding, own: true, steps: []step{{name: "call", call: func(w way, _ []*record.Exchange) (client.Call, error) {
		return client.Call{Method: http.MethodGet, URL: a.belowREST(w, "/tasks/a%2Fb%20c") + "?historyLength=0&note=%2B+%C3%BC&note=2&" +
			answerParam + "=fields&" + idParam + "=" + url.QueryEscape(a.idOf("target", a.binding, w.side))}, nil
	}}}}
}

// makeCached makes a conversation that gets the same twice.
func (a asker) makeCached(name, about, answer string, first, second http.Header, wait time.Duration) conversation {
	return conversation{name: name, about: about, binding: a.binding, own: true, steps: []step{
		{name: "first", call: a.callOwn(http.MethodGet, name, answer, first, nil)},
		{name: "second", wait: wait, call: a.callOwn(http.MethodGet, name, answer, second, nil)},
	}}
}

// listCached lists the conversations about caches.
func (a asker) listCached() []conversation {
	basic := func(user string) http.Header {
		return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(user+":conform"))}}
	}
	version := func(v string) http.Header { return http.Header{"A2a-Version": {v}} }
	out := []conversation{
		a.makeCached("cache-plain", "get twice what may be stored", "plain", nil, nil, 0),
		a.makeCached("cache-no-store", "get twice what must not be stored", "no-store", nil, nil, 0),
		a.makeCached("cache-private", "get twice what a shared cache must not store", "private", nil, nil, 0),
		a.makeCached("cache-no-cache", "get twice what is not to be reused without validation", "no-cache", nil, nil, 0),
		a.makeCached("cache-authorized", "get something as one user, and then as another", "authorized", basic("alice"), basic("bob"), 0),
		a.makeCached("cache-vary", "get something in version 1.0, and then in 0.3", "vary", version("1.0"), version("0.3"), 0),
		a.makeCached("cache-vary-star", "get twice what varies by more than the request", "vary-star", nil, nil, 0),
	}
	if a.kind != "" { // at the place of the card a POST has the address of the GET
		return out
	}
	return append(out, conversation{name: "cache-unsafe", about: "get something, change it by a POST, and get it again", own: true, steps: []step{
		{name: "first", call: a.callOwn(http.MethodGet, "cache-unsafe", "plain", nil, nil)},
		{name: "change", call: a.callOwn(http.MethodPost, "cache-unsafe", "plain", nil, ownBody(0))},
		{name: "second", call: a.callOwn(http.MethodGet, "cache-unsafe", "plain", nil, nil)},
	}})
}
