package card

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

func load(t testing.TB, name string) *schema.Dialect {
	t.Helper()
	d, err := schema.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// reading is the card with that text.
func reading(t testing.TB, dialect, text string) Card {
	t.Helper()
	root, faults := record.ObserveJSON([]byte(text))
	if root == nil {
		t.Fatalf("%s is no JSON: %v", text, faults)
	}
	return Of(load(t, dialect), root)
}

const rpc = "http://a.example/rpc"

// claimed are the words that a card claims, and those that it leaves open with a
// question mark.
func claimed(c Card) string {
	var out []string
	for _, w := range Words() {
		switch c.CalledAt(rpc).Claims(w) {
		case Yes:
			out = append(out, w)
		case Unclear:
			out = append(out, w+"?")
		}
	}
	return strings.Join(out, " ")
}

// What a card says is found where its dialect has it.
func TestCardsOfAllDialects(t *testing.T) {
	for _, c := range []struct {
		dialect, card, claims, others string
	}{
		{"a2a-0.1", `{"name":"A","url":"https://a.example/","capabilities":{"streaming":true,"pushNotifications":false,"stateTransitionHistory":true},
			"authentication":{"schemes":["Bearer","ApiKey"]},"defaultInputModes":["Text/Plain; charset=utf-8","image/png"],"defaultOutputModes":["text/plain"],
			"skills":[{"examples":["hello","hello","bye"],"inputModes":["application/json"]}],"securitySchemes":{"x":{"type":"oauth2"}}}`,
			"apikey auth bearer file-input history https input-modes json-input several-inputs skills streaming text-input",
			`A https://a.example/ [bearer apikey] [] [text/plain] [hello bye] [] [] image/png`},
		{"a2a-0.3", `{"protocolVersion":"0.3.0","name":"A","url":"http://a.example/grpc","preferredTransport":"GRPC","skills":[],"supportsAuthenticatedExtendedCard":true,
			"additionalInterfaces":[{"url":"http://a.example/grpc","transport":"GRPC"},{"url":"http://a.example/rpc","transport":"JSONRPC"},{"url":"http://a.example/two","transport":"JSONRPC"}],
			"securitySchemes":{"b":{"type":"http","scheme":"Bearer"},"k":{"type":"apiKey","in":"header","name":"X-Key"},"o":{"type":"oauth2"}},"security":[{"k":[],"b":[]},{"o":["x"]}],
			"capabilities":{"streaming":false,"extensions":[{"uri":"https://e.example/v1","required":true},{"uri":"a, b"}]},"defaultInputModes":["*/*"]}`,
			"apikey auth bearer extended-card extensions input-modes interfaces json-input required-extension schemes several-inputs text-input versioned-extension wildcard-input",
			`A http://a.example/rpc [bearer apikey oauth2] [b k o] [] [] [https://e.example/v1] [https://e.example/v1] `},
		{"jaf-0.3", `{"name":"A","url":"http://a.example/a2a/agents/A","capabilities":{"streaming":true,"contextAccumulation":true},"inputModes":["text","data"],
			"authentication":{"required":true,"schemes":["bearer","basic"]},"rateLimit":{"requests":5,"window":1,"burst":-2},"skills":[{}]}`,
			"accumulation auth basic bearer data-input input-modes rate-limit skills streaming text-input",
			`A  [bearer basic] [] [] [] [] [] `},
		{"a2x-0.3", `{"name":"A","protocolVersion":"0.3.0","url":"http://a.example/","skills":[{"inputModes":["application/json"]}],"securitySchemes":{"b":{"type":"http","scheme":"bearer"}},"security":[{"b":[]}],
			"capabilities":{"extensions":[{"uri":"https://x.example/a2a-x402/v0.2","required":true}]}}`,
			"extensions payment required-extension schemes skills",
			`A http://a.example/ [] [b] [] [] [https://x.example/a2a-x402/v0.2] [https://x.example/a2a-x402/v0.2] `},
		{"core-schema", `{"name":"A","url":"http://a.example/","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"authentication":{"schemes":["Bearer"]}}`,
			"input-modes streaming text-input", `A http://a.example/ [] [] [] [] [] [] `},
		{"directory-0.1", `{"name":"A","url":"http://a.example/","capabilities":{"streaming":true}}`, "", `  [] [] [] [] [] [] `},
	} {
		t.Run(c.dialect, func(t *testing.T) {
			card := reading(t, c.dialect, c.card)
			if got := claimed(card); got != c.claims {
				t.Errorf("claims %s\nwant   %s", got, c.claims)
			}
			address, _ := card.Address()
			all, required := card.Requestable()
			got := fmt.Sprint(card.Name(), " ", address, " ", card.Kinds(), " ", card.Defined(), " ", card.OutputModes(), " ", card.Examples(), " ", all, " ", required, " ", card.FileMode())
			if got != c.others {
				t.Errorf("got  %s\nwant %s", got, c.others)
			}
		})
	}
}

// A card that was not read, and an empty one, say nothing.
func TestNoCard(t *testing.T) {
	for _, name := range schema.Names() {
		for what, c := range map[string]Card{"none": Of(load(t, name), nil), "the zero card": {}, "of no dialect": Of(nil, &record.Node{Kind: record.Object})} {
			if got := claimed(c); got != "" {
				t.Errorf("%s, %s: claims %s", name, what, got)
			}
			if _, ok := c.Address(); ok || c.Exists() != (what == "of no dialect") || c.IsOfDialect() {
				t.Errorf("%s, %s: is taken for a card", name, what)
			}
			everything(c)
		}
	}
}

// everything asks a card for all that it may say.
func everything(c Card) (said []any) {
	add := func(v ...any) { said = append(said, v...) }
	for _, w := range Words() {
		add(w, c.Claims(w))
	}
	for _, a := range c.Alternatives() {
		for _, s := range a.Schemes() {
			add(s.Word(), s.Kind(), s.Header())
		}
	}
	for _, i := range c.Interfaces() {
		add(i.URL(), i.URLAt(), i.Transport())
	}
	for _, e := range c.Extensions() {
		add(e.URI(), e.Required())
	}
	address, ok := c.Address()
	limit, states := c.Rate()
	all, required := c.Requestable()
	add(address, ok, limit, states, all, required, c.Name(), c.Demands(), c.Schemes(), c.Kinds(), c.Defined(), c.InputModes(), c.OutputModes(), c.FileMode(), c.Takes("a/b"),
		c.Examples(), c.Preferred().Transport(), len(c.Listed()), c.AgentAddress(), c.MayBe(), c.IsOfDialect())
	return said
}

// wrong are values that stand where something else is due.
var wrong = []string{`null`, `true`, `7`, `1e400`, `""`, `"x"`, `[]`, `[null]`, `[[]]`, `[7,{},"x",{"x":null}]`, `{}`, `{"x":{}}`, `{"0":[null]}`}

// places are all that the dialect says of where a card holds what.
func places(d *schema.Dialect) []string {
	at := d.Card
	out := []string{at.Endpoint, at.Name, at.Skills, at.Modes, at.Outputs, at.Schemes, at.Definitions, at.Extensions, at.Required, at.Rate.Requests, at.Rate.Seconds, at.Rate.Burst,
		at.Interfaces.At, at.Interfaces.Preferred, d.Agents.URL, d.Detect.Version, "/skills/0", "/skills/0/inputModes", "/skills/0/examples", "/securitySchemes/b", "/security/0",
		"/additionalInterfaces/0", "/additionalInterfaces/0/url", "/capabilities/extensions/0", "/capabilities/extensions/0/uri"}
	for _, p := range at.Claims {
		out = append(out, p)
	}
	return slices.DeleteFunc(out, func(p string) bool { return p == "" })
}

// Whatever stands at a place, and instead of what holds it, a card is read without
// a fault of ours, and what was not there is not made up.
func TestWrongTypes(t *testing.T) {
	for _, name := range schema.Names() {
		d := load(t, name)
		for _, p := range places(d) {
			for i := 1; i <= strings.Count(p, "/"); i++ {
				tokens := strings.Split(p, "/")[1 : i+1]
				for _, value := range wrong {
					text := value
					for _, token := range slices.Backward(tokens) {
						if token == "0" {
							text = "[" + text + "]"
						} else {
							text = fmt.Sprintf("{%q:%s}", token, text)
						}
					}
					c := reading(t, name, text)
					everything(c)
					if strings.Contains(value, "x") {
						continue // which may be a name
					}
					if words := fmt.Sprint(c.Name(), c.Kinds(), c.Examples(), c.OutputModes(), c.AgentAddress()); strings.Trim(words, "[ ]") != "" {
						t.Errorf("%s: %s says %s", name, text, words)
					}
				}
			}
		}
		for _, root := range wrong {
			everything(reading(t, name, root))
		}
	}
}

// A list may be as long as a server likes: reading the card costs no more than its
// length. Each entry is looked at a few times for each word, and not once for each
// other entry.
func TestHugeCards(t *testing.T) {
	const many, looks = 10_000, 100
	list := func(entry string) string {
		var all []string
		for i := range many {
			all = append(all, strings.ReplaceAll(entry, "#", fmt.Sprint(i)))
		}
		return strings.Join(all, ",")
	}
	for _, c := range []struct{ dialect, text string }{
		{"a2a-0.1", `{"authentication":{"schemes":[` + list(`"s#"`) + `]},"defaultInputModes":[` + list(`"a/#"`) + `]}`},
		{"a2a-0.1", `{"skills":[{"examples":[` + list(`"say #"`) + `]}]}`},
		{"a2a-0.3", `{"url":"u","additionalInterfaces":[` + list(`{"url":"u#","transport":"T"}`) + `]}`},
		{"a2a-0.3", `{"security":[` + list(`{"s#":[]}`) + `],"securitySchemes":{` + list(`"s#":null`) + `}}`},
		{"a2a-0.3", `{"security":[{` + list(`"s#":null`) + `}],"securitySchemes":{` + list(`"s#":{}`) + `}}`},
		{"a2a-0.3", `{"capabilities":{"extensions":[` + list(`{"uri":"u:#"}`) + `]}}`},
	} {
		n := 0
		everything(reading(t, c.dialect, c.text).Watched(func(string) { n++ }))
		if n > many*looks {
			t.Errorf("%d looks at %s…", n, c.text[:60])
		}
	}
}

// A watched card tells of every place that an answer rests on: another value at a
// place that was not looked at changes nothing.
func TestWatched(t *testing.T) {
	const text = `{"name":"A","url":"https://a.example/","preferredTransport":"JSONRPC","skills":[{"examples":["x"],"inputModes":["a/b"]}],
		"capabilities":{"streaming":true,"pushNotifications":false,"extensions":[{"uri":"u:1","required":true},{"uri":"u:2"}]},"defaultInputModes":["text/plain","image/png"],
		"additionalInterfaces":[{"url":"https://a.example/","transport":"JSONRPC"},{"url":"https://a.example/2","transport":"JSONRPC"}],
		"securitySchemes":{"b":{"type":"http","scheme":"bearer"},"k":{"type":"apiKey","in":"header","name":"X-K"}},"security":[{"b":[]},{"k":[]}]}`
	for _, word := range Words() {
		looked := map[string]bool{}
		c := reading(t, "a2a-0.3", text)
		want := c.Watched(func(p string) { looked[p] = true }).Claims(word)
		if got := c.Claims(word); got != want {
			t.Errorf("%s: %d when watched, %d when not", word, want, got)
		}
		var visit func(at string, n *record.Node)
		visit = func(at string, n *record.Node) {
			for i, e := range n.Elems {
				visit(fmt.Sprint(at, "/", i), e)
			}
			for _, m := range n.Members {
				visit(at+record.Pointer(m.Name), m.Value)
			}
			within := func(p string) bool { return p == at || strings.HasPrefix(p, at+"/") }
			seen := false
			for p := range looked {
				seen = seen || within(p)
			}
			if seen || at == "" {
				return
			}
			for _, other := range wrong {
				changed := reading(t, "a2a-0.3", text[:n.Start]+other+text[n.End:])
				if got := changed.Claims(word); got != want {
					t.Errorf("%s: %s in place of %s makes it %d, which was %d, and nobody looked there", word, other, at, got, want)
				}
			}
		}
		visit("", c.root)
	}
}

// FuzzCardReading reads whatever a server serves as its card, as each dialect has
// it.
func FuzzCardReading(f *testing.F) {
	var dialects []*schema.Dialect
	for _, name := range schema.Names() {
		dialects = append(dialects, load(f, name))
	}
	for _, text := range append(wrong, `{"name":"A","url":"http://a/","capabilities":{"streaming":true,"extensions":[{"uri":"u:1","required":true}]},"authentication":{"schemes":["Bearer",null],"required":"x"}}`,
		`{"security":[{"b":[]},{},null],"securitySchemes":{"b":{"type":"HTTP","scheme":"bearer"}},"additionalInterfaces":[{"url":"x","transport":"JSONRPC"}],"preferredTransport":"GRPC"}`,
		`{"a":1,"a":2,"security":[{"b":[],"b":1}],"rateLimit":{"requests":1e3,"window":99999999999999999999}}`, "{\"name\":\"\xff\\ud800\",\"skills\":[{\"inputModes\":[\"A/B;\"]}]}") {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, _ := record.ObserveJSON(text)
		for _, d := range dialects {
			c := Of(d, root).CalledAt(rpc)
			said := everything(c)
			watched := c.Watched(func(p string) {
				if p != "" && p[0] != '/' {
					t.Errorf("%s: looked at %q, which is no pointer", d.Name, p)
				}
			})
			if !reflect.DeepEqual(everything(watched), said) {
				t.Errorf("%s: a watched card says something else", d.Name)
			}
			for _, i := range c.Interfaces() {
				if n := root.At(i.URLAt()); i.URL() != "" && (n == nil || n.String != i.URL()) {
					t.Errorf("%s: %q does not stand at %s", d.Name, i.URL(), i.URLAt())
				}
			}
			if _, err := json.Marshal(said); err != nil {
				t.Errorf("%s: %v", d.Name, err)
			}
			if c.Demands() != No && d.Card.Required == "" && len(c.Alternatives()) == 0 {
				t.Errorf("%s: credentials are demanded, and no alternative is named", d.Name)
			}
		}
	})
}
