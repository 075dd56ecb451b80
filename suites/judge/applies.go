package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

// applies decides what can be decided without looking at the conversation:
// whether the requirement concerns this server and may be judged. It reports
// whether the check should run.
func (c *Case) applies(req *schema.Requirement, r *Result) bool {
	facts := &c.Transcript.Facts
	undecided := func(remedy, format string, args ...any) bool {
		r.Verdict, r.Remedy, r.Reason = Inconclusive, remedy, fmt.Sprintf(format, args...)
		return false
	}
	without := func(format string, args ...any) bool {
		r.Verdict, r.Reason = NotApplicable, fmt.Sprintf(format, args...)
		return false
	}
	if req.Unobservable != "" {
		return without("not observable from outside: %s", req.Unobservable)
	}
	if req.Judged == "later" {
		return without("judged by a later version of this suite")
	}
	for _, word := range req.Operator {
		switch name, negated := strings.CutPrefix(word, "no-"); {
		case negated && slices.Contains(facts.Operator, name):
			return without("the operator declares %s", name)
		case strings.HasPrefix(word, "stimulus."):
			given := strings.TrimPrefix(word, "stimulus.")
			if _, have := facts.Stimuli[given]; !have {
				return without("only where such a message is configured: stimuli: {%s: {text: …, seconds: …}}", given)
			}
		case strings.HasPrefix(word, "schema."):
			if name := strings.TrimPrefix(word, "schema."); c.Given() == nil || !c.Given().Has(name) {
				return without("only where a schema is given that defines %s: --schema FILE", name)
			}
		case strings.HasPrefix(word, "credential."):
			if given := strings.TrimPrefix(word, "credential."); !slices.Contains(facts.Secrets, given) && !slices.Contains(facts.Ways, given) {
				return without("only where such a credential is configured (%s)", given)
			}
		case name == "credential" && len(facts.Secrets) == 0:
			return without("only where a credential is configured")
		case word == "rate-limit" && facts.RateLimit == nil:
			return without("only where the operator says so: declares: {rateLimit: {requests: 5, seconds: 1}}")
		case !negated && name != "credential" && name != "rate-limit" && !slices.Contains(facts.Operator, word):
			return without("only where the operator says so: declares: {%s: true}", word)
		}
	}
	for _, need := range req.Needs {
		name, isStimulus := strings.CutPrefix(need, "stimulus.")
		if isStimulus && slices.Contains(facts.Never, name) {
			return without("the operator declares that the agent never does this: never: [%s]", name)
		}
	}
	if len(req.Claims) > 0 {
		card, ok := c.Card()
		if !ok {
			r.stop = true
			return undecided("", "no agent card could be read, so it is not known whether the server claims %s", strings.Join(req.Claims, ", "))
		}
		card.t = &T{Case: c, Requirement: req, result: r}
		for _, claim := range req.Claims {
			claimed, err := c.claimed(claim, card)
			if err != nil {
				r.Verdict, r.Reason = SuiteError, err.Error()
				return false
			}
			if !claimed {
				return without("%s", claims[strings.TrimPrefix(claim, "no-")].absent(claim))
			}
		}
	}
	for _, id := range req.After {
		p := c.Result(id)
		switch p.Verdict {
		case Fail, Waived:
			if c.spoil(r, p) {
				continue
			}
			fallthrough
		case Inconclusive, SuiteError:
			r.Because = id
			if p.Verdict == Inconclusive && p.Because != "" {
				r.Because = p.Because
			}
			return undecided(p.Remedy, "it rests on %s, which is %s: %s", id, p.Verdict, p.Reason)
		}
	}
	for _, need := range req.Needs {
		if name, ok := strings.CutPrefix(need, "stimulus."); ok {
			if _, have := facts.Stimuli[name]; !have {
				return undecided(fmt.Sprintf("stimuli: {%s: {text: …}}  or  declares: {never: [%s]}", name, name),
					"no message is known that makes this agent show %q", name)
			}
		} else if need == "task" && c.Talks() {
			return without("the agent answers with messages and makes no tasks")
		} else if why := c.Transcript.NoAgent(); need == "agent" && why != "" {
			return without("%s", why)
		} else if need == "webhook" && facts.Webhook == "" {
			return undecided("--webhook-listen HOST:PORT", "the server was given no webhook to deliver to")
		} else if need == "credential" && len(facts.Secrets) == 0 {
			return undecided(CredentialFlags, "no credential is configured")
		} else if cred, ok := strings.CutPrefix(need, "credential."); ok && !slices.Contains(facts.Secrets, cred) {
			return undecided(fmt.Sprintf("auth: {%s: {bearer: ${…}}}", cred), "no %s credential is configured", cred)
		}
	}
	if req.Risk != schema.Harmless && req.Risk != "" && !slices.Contains(facts.Allow, string(req.Risk)) {
		return undecided("--allow "+string(req.Risk), "judging it is of the risk class %s, which was not allowed", req.Risk)
	}
	return true
}

// CredentialFlags are the flags by which an operator names a credential.
const CredentialFlags = "--bearer-env, --basic-env or --api-key-env"

// claim is one of the closed words a requirement may ask of the card.
type claim struct {
	has  func(c *Case, card Value) bool
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
	"auth": {func(c *Case, card Value) bool {
		if required := c.Dialect.Card.Required; required != "" {
			return card.At(required).True()
		}
		if c.Dialect.Card.Schemes == "" {
			return false
		}
		all := card.At(c.Dialect.Card.Schemes).Elems()
		nothing := func(e Value) bool { return e.IsObject() && len(e.Members()) == 0 } // an alternative that wants nothing
		return len(all) > 0 && !slices.ContainsFunc(all, nothing)
	}, "that credentials are demanded"},
	"bearer":     {scheme("bearer"), "the scheme bearer"},
	"apikey":     {scheme("apikey"), "the scheme apikey"},
	"basic":      {scheme("basic"), "the scheme basic"},
	"rate-limit": {func(c *Case, card Value) bool { _, ok := CardRate(c.Dialect, card); return ok }, "a rate limit"},
	"https": {func(c *Case, card Value) bool {
		return strings.HasPrefix(card.At(c.Dialect.Card.Endpoint).Text(), "https:")
	}, "an https endpoint"},
	"json-input": {mode(func(m string) bool { return m == "application/json" || strings.Contains(m, "*") }), "application/json among its input modes"},
	"file-input": {mode(func(m string) bool { return fileMode(m) }), "a concrete MIME type of files among its input modes"},
	"data-input": {mode(func(m string) bool { return m == "data" }), "data among its input modes"},
	"text-input": {mode(func(m string) bool { return m == "text" || strings.HasPrefix(m, "text/") || m == "*/*" }), "text among its input modes"},
	"several-inputs": {func(c *Case, card Value) bool {
		return mode(func(m string) bool { return m == "application/json" || strings.Contains(m, "*") || fileMode(m) })(c, card)
	}, "a type of input beside text"},
	"extended-card": {flag("extended-card"), "an extended card"},
	"extensions":    {func(c *Case, card Value) bool { return len(extensionsOf(c, card)) > 0 }, "an extension"},
	"required-extension": {func(c *Case, card Value) bool {
		return slices.ContainsFunc(extensionsOf(c, card), func(e Value) bool { return e.At("/required").True() })
	}, "an extension that every client must ask for"},
	"payment": {func(c *Case, card Value) bool {
		word := c.Dialect.Card.Payment
		return word != "" && slices.ContainsFunc(extensionsOf(c, card), func(e Value) bool {
			return e.At("/required").True() && strings.Contains(e.At("/uri").Text(), word)
		})
	}, "a required extension for payments"},
	"schemes": {func(c *Case, card Value) bool {
		at := c.Dialect.Card.Definitions
		return at != "" && len(card.At(at).Members()) > 0
	}, "a security scheme"},
	"interfaces": {func(c *Case, card Value) bool {
		at := c.Dialect.Card.Interfaces
		return at.At != "" && slices.ContainsFunc(card.At(at.At).Elems(), func(e Value) bool {
			return e.At(at.Transport).Is(at.Speaks) && !e.At(at.URL).Is(c.Transcript.Facts.RPC)
		})
	}, "a second endpoint of the transport"},
	"input-modes":    {func(c *Case, card Value) bool { return card.At(c.Dialect.Card.Modes).Exists() }, "input modes"},
	"wildcard-input": {mode(func(m string) bool { return strings.Contains(m, "*") }), "a wildcard among its input modes"},
	"skills":         {func(c *Case, card Value) bool { return len(card.At(c.Dialect.Card.Skills).Elems()) > 0 }, "a skill"},
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

func flag(name string) func(*Case, Value) bool {
	return func(c *Case, card Value) bool {
		p, ok := c.Dialect.Card.Claims[name]
		return ok && card.At(p).True()
	}
}

// scheme is the claim that callers may show who they are in that way.
func scheme(name string) func(*Case, Value) bool {
	return func(c *Case, card Value) bool {
		return c.Dialect.Card.Schemes != "" && slices.ContainsFunc(card.At(c.Dialect.Card.Schemes).Elems(),
			func(v Value) bool { return strings.EqualFold(v.Text(), name) })
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

func mode(is func(string) bool) func(*Case, Value) bool {
	return func(c *Case, card Value) bool {
		return slices.ContainsFunc(InputModes(c.Dialect, card), is)
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

func (c *Case) claimed(word string, card Value) (bool, error) {
	name, negated := strings.CutPrefix(word, "no-")
	cl, ok := claims[name]
	if !ok {
		return false, fmt.Errorf("the catalogue claims %q, which is none of %s", word, strings.Join(Claims(), ", "))
	}
	return cl.has(c, card) != negated, nil
}

// Claimed reports whether the card makes all the claims; false without a card.
func (c *Case) Claimed(words ...string) bool {
	card, ok := c.Card()
	for _, w := range words {
		if is, err := c.claimed(w, card); !ok || err != nil || !is {
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
