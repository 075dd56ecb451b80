package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// answer is what can be told of a claim. A card that lacks what should hold the
// claim, or has something else there than a boolean, says neither yes nor no.
type answer int

const (
	no answer = iota
	yes
	unclear
)

func sure(is bool) answer {
	if is {
		return yes
	}
	return no
}

// claim is one of the closed words a requirement may ask of the card.
type claim struct {
	has  func(c *Case, card Value) answer
	what string // what the card would claim
}

func (cl claim) absent(word string) string {
	if strings.HasPrefix(word, "no-") {
		return "the card claims " + cl.what
	}
	return "the card does not claim " + cl.what
}

// claims are the closed words. A word with "no-" in front is its opposite.
var claims = map[string]claim{
	"streaming":    {flag("streaming"), "streaming"},
	"push":         {flag("push"), "push notifications"},
	"history":      {flag("history"), "a state transition history"},
	"accumulation": {flag("accumulation"), "that context accumulates"},
	"auth": {func(c *Case, card Value) answer {
		if required := c.Dialect.Card.Required; required != "" {
			return c.stated("auth", card, required)
		}
		if c.Dialect.Card.Schemes == "" {
			return no
		}
		all := card.At(c.Dialect.Card.Schemes).Elems()
		nothing := func(e Value) bool { return e.IsObject() && len(e.Members()) == 0 } // an alternative that wants nothing
		return sure(len(all) > 0 && !slices.ContainsFunc(all, nothing))
	}, "that credentials are demanded"},
	"bearer":     {scheme("bearer"), "the scheme bearer"},
	"apikey":     {scheme("apikey"), "the scheme apikey"},
	"basic":      {scheme("basic"), "the scheme basic"},
	"rate-limit": {func(c *Case, card Value) answer { _, ok := CardRate(c.Dialect, card); return sure(ok) }, "a rate limit"},
	"https": {func(c *Case, card Value) answer {
		return sure(strings.HasPrefix(card.At(c.Dialect.Card.Endpoint).Text(), "https:"))
	}, "an https endpoint"},
	"json-input": {mode(func(m string) bool { return m == "application/json" || strings.Contains(m, "*") }), "application/json among its input modes"},
	"file-input": {mode(func(m string) bool { return fileMode(m) }), "a concrete MIME type of files among its input modes"},
	"data-input": {mode(func(m string) bool { return m == "data" }), "data among its input modes"},
	"text-input": {mode(func(m string) bool { return m == "text" || strings.HasPrefix(m, "text/") || m == "*/*" }), "text among its input modes"},
	"several-inputs": {func(c *Case, card Value) answer {
		return mode(func(m string) bool { return m == "application/json" || strings.Contains(m, "*") || fileMode(m) })(c, card)
	}, "a type of input beside text"},
	"extended-card": {flag("extended-card"), "an extended card"},
	"extensions":    {func(c *Case, card Value) answer { return sure(len(extensionsOf(c, card)) > 0) }, "an extension"},
	"required-extension": {func(c *Case, card Value) answer {
		return sure(slices.ContainsFunc(extensionsOf(c, card), func(e Value) bool { return e.At("/required").True() }))
	}, "an extension that every client must ask for"},
	"payment": {func(c *Case, card Value) answer {
		word := c.Dialect.Card.Payment
		return sure(word != "" && slices.ContainsFunc(extensionsOf(c, card), func(e Value) bool {
			return e.At("/required").True() && strings.Contains(e.At("/uri").Text(), word)
		}))
	}, "a required extension for payments"},
	"schemes": {func(c *Case, card Value) answer {
		at := c.Dialect.Card.Definitions
		return sure(at != "" && len(card.At(at).Members()) > 0)
	}, "a security scheme"},
	"interfaces": {func(c *Case, card Value) answer {
		at := c.Dialect.Card.Interfaces
		return sure(at.At != "" && slices.ContainsFunc(card.At(at.At).Elems(), func(e Value) bool {
			return e.At(at.Transport).Is(at.Speaks) && !e.At(at.URL).Is(c.Transcript.Facts.RPC)
		}))
	}, "a second endpoint of the transport"},
	"input-modes":    {func(c *Case, card Value) answer { return sure(card.At(c.Dialect.Card.Modes).Exists()) }, "input modes"},
	"wildcard-input": {mode(func(m string) bool { return strings.Contains(m, "*") }), "a wildcard among its input modes"},
	"skills":         {func(c *Case, card Value) answer { return sure(len(card.At(c.Dialect.Card.Skills).Elems()) > 0) }, "a skill"},
}

// Claims lists the closed words.
func Claims() []string {
	var out []string
	for w := range claims {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

func flag(name string) func(*Case, Value) answer {
	return func(c *Case, card Value) answer {
		p, ok := c.Dialect.Card.Claims[name]
		if !ok {
			return no
		}
		return c.stated(name, card, p)
	}
}

// stated reads a claim that is a boolean. Where the card is unclear, the cards of
// the server's single agents decide, or what it did.
func (c *Case) stated(name string, card Value, pointer string) answer {
	is := c.onCard(card, pointer)
	if is != unclear {
		return is
	}
	told := map[answer]bool{}
	for _, s := range c.said {
		if s.isCard() && s.Step.Agent != "" {
			told[c.onCard(Value{t: card.t, said: s, node: s.Root}, pointer)] = true
		}
	}
	switch {
	case told[yes] && !told[no]:
		return yes
	case told[no] && !told[yes]:
		return no
	}
	return c.shown(name)
}

// onCard is what one card says at a place for a boolean.
func (c *Case) onCard(card Value, pointer string) answer {
	v := card.At(pointer)
	holder := pointer[:strings.LastIndexByte(pointer, '/')]
	switch {
	case v.True():
		return yes
	case v.node != nil && v.node.Kind != wire.Bool && v.node.Kind != wire.Null:
		return unclear
	case holder == "" || card.At(holder).IsObject():
		return no
	case card.At(holder).Exists(), c.Dialect.CardHas(holder):
		return unclear
	}
	return no
}

// shown is what the server's behaviour says of a claim.
func (c *Case) shown(name string) answer {
	for _, p := range c.Transcript.Plays {
		for _, s := range p.Steps {
			x := s.Exchange
			switch {
			case s.Invalid || x == nil || x.Dir != wire.Out:
			case name == "streaming" && s.Op == "stream" && x.IsStream(),
				name == "push" && s.Op == "push-set" && x.Answered() && x.Reply().Root.Member("result") != nil,
				name == "auth" && s.As != "" && x.Status() == 401:
				return yes
			}
		}
	}
	return unclear
}

// scheme is the claim that callers may show who they are in that way.
func scheme(name string) func(*Case, Value) answer {
	return func(c *Case, card Value) answer {
		return sure(c.Dialect.Card.Schemes != "" && slices.ContainsFunc(card.At(c.Dialect.Card.Schemes).Elems(),
			func(v Value) bool { return strings.EqualFold(v.Text(), name) }))
	}
}

// Rate is a rate limit as a card states it.
type Rate struct {
	Requests, Burst int
	Seconds         float64
}

// CardRate reads the rate limit of a card; ok is false if it has none that
// means something.
func CardRate(d *schema.Dialect, card Value) (r Rate, ok bool) {
	at := d.Card.Rate
	if at.Requests == "" {
		return r, false
	}
	window := 0
	r.Requests, _ = card.At(at.Requests).Int()
	window, _ = card.At(at.Seconds).Int()
	r.Burst, _ = card.At(at.Burst).Int()
	r.Seconds, r.Burst = float64(window), max(0, r.Burst)
	return r, r.Requests > 0 && window > 0
}

func mode(is func(string) bool) func(*Case, Value) answer {
	return func(c *Case, card Value) answer {
		return sure(slices.ContainsFunc(InputModes(c.Dialect, card), is))
	}
}

// InputModes are the media types the card says the agent takes, those of its
// skills included.
func InputModes(d *schema.Dialect, card Value) []string {
	var out []string
	add := func(v Value) {
		for _, e := range v.Elems() {
			m, _, _ := strings.Cut(strings.ToLower(e.Text()), ";")
			out = append(out, strings.TrimSpace(m))
		}
	}
	if d.Card.Modes != "" {
		add(card.At(d.Card.Modes))
		for _, s := range card.At(d.Card.Skills).Elems() {
			add(s.At("/inputModes"))
		}
	}
	return out
}

func fileMode(m string) bool {
	kind, _, ok := strings.Cut(m, "/")
	return ok && !strings.Contains(m, "*") && kind != "text" && m != "application/json"
}

func (c *Case) claimed(word string, card Value) (answer, error) {
	name, negated := strings.CutPrefix(word, "no-")
	cl, ok := claims[name]
	if !ok {
		return no, fmt.Errorf("the catalogue claims %q, which is none of %s", word, strings.Join(Claims(), ", "))
	}
	is := cl.has(c, card)
	if negated && is != unclear {
		is = sure(is == no)
	}
	return is, nil
}

// Claimed reports whether the card makes all the claims; false without a card.
func (c *Case) Claimed(words ...string) bool {
	card, ok := c.Card()
	for _, w := range words {
		if is, err := c.claimed(w, card); !ok || err != nil || is != yes {
			return false
		}
	}
	return ok
}

// Talks reports whether the agent answered all that was sent to it by messages
// that stand for themselves, and no task was ever seen.
func (c *Case) Talks() bool {
	if c.Dialect.Kind == "" {
		return false
	}
	messages := 0
	for _, s := range c.said {
		if s.Kind != ReplyText && s.Kind != EventText {
			continue
		}
		result := Value{said: s, node: s.Root, bare: s.Bare}.At("/result")
		switch kind := result.At(c.Dialect.Kind); {
		case result.node == nil:
		case kind.Is("message"):
			messages++
		case kind.node != nil || s.Op == "get" || s.Op == "send":
			return false
		}
	}
	return messages > 0
}

func extensionsOf(c *Case, card Value) []Value {
	if c.Dialect.Card.Extensions == "" {
		return nil
	}
	return card.At(c.Dialect.Card.Extensions).Elems()
}
