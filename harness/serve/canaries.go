package serve

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// grantedCanaries are the kinds that a client is given, each with the variable that has it.
var grantedCanaries = [][2]string{{record.BearerCanary, "A2A_CONFORM_BEARER"}, {record.BasicCanary, "A2A_CONFORM_BASIC"}, {record.KeyCanary, "A2A_CONFORM_API_KEY"},
	{record.ClientIDCanary, "A2A_CONFORM_CLIENT_ID"}, {record.ClientSecretCanary, "A2A_CONFORM_CLIENT_SECRET"}}

// canaries are the credentials that were made up for one start of the client.
type canaries struct {
	start  string            // SCENARIO.NUMBER
	values map[string]string // by kind
}

// canaryMark begins every canary: few texts have it, so that looking for many canaries takes little time.
const canaryMark = "zqx7"

// makeCanary makes up a value that cannot be guessed.
func makeCanary() string { return canaryMark + strings.ToLower(rand.Text()) }

// makeCanaries makes up credentials of some kinds for one start.
func makeCanaries(start string, kinds []string) *canaries {
	c := &canaries{start: start, values: map[string]string{}}
	for _, kind := range kinds {
		c.values[kind] = makeCanary()
		if kind == record.BasicCanary {
			c.values[kind] = makeCanary() + ":" + makeCanary()
		}
	}
	return c
}

// listSecrets returns the canaries as secrets, each by the name that its mark has. The password of a user is one by itself too.
func (c *canaries) listSecrets() (out []redact.Secret) {
	for _, kind := range slices.Sorted(maps.Keys(c.values)) {
		name, value := c.start+"."+kind, c.values[kind]
		out = append(out, redact.Secret{Name: name, Value: value})
		if _, password, two := strings.Cut(value, ":"); two {
			out = append(out, redact.Secret{Name: name, Value: password})
		}
	}
	return out
}

// listGranted returns what the client is given, by kind; nil for nothing.
func (c *canaries) listGranted() map[string]string {
	if c == nil {
		return nil
	}
	out := maps.Clone(c.values)
	delete(out, record.TokenCanary)
	return out
}

// describeStart notes which credentials the client was given.
func (c *canaries) describeStart(run *record.ClientRun) {
	if c != nil {
		run.Start, run.Granted = c.start, slices.Sorted(maps.Keys(c.listGranted()))
	}
}

// maxStarts is how many starts of one scenario have canaries of their own: the first one, one more if that was disturbed,
// and one that confirms a fault. Those of a client that is used by hand share the first ones.
const maxStarts = 3

// canaryPool has the canaries of all starts of a run.
type canaryPool struct {
	sets  map[string]*canaries // by start
	seeks *redact.Redactor     // finds all of them
}

// newCanaryPool makes up the canaries of the scenarios that grant some.
func newCanaryPool(scripts []Script) *canaryPool {
	p := &canaryPool{sets: map[string]*canaries{}}
	var secrets []redact.Secret
	for _, s := range scripts {
		for n := range maxStarts {
			if len(s.Grants) == 0 {
				break
			}
			set := makeCanaries(fmt.Sprintf("%s.%d", s.Name, n+1), s.Grants)
			p.sets[set.start] = set
			secrets = append(secrets, set.listSecrets()...)
		}
	}
	p.seeks = redact.NewRedactor(secrets)
	return p
}

// listSecrets returns all canaries of the run.
func (p *canaryPool) listSecrets() (out []redact.Secret) {
	for _, start := range slices.Sorted(maps.Keys(p.sets)) {
		out = append(out, p.sets[start].listSecrets()...)
	}
	return out
}

// chooseSet returns the canaries of the nth start of a scenario, from 0; nil if it grants none.
func (p *canaryPool) chooseSet(scenario string, nth int) *canaries {
	if p == nil {
		return nil
	}
	return p.sets[fmt.Sprintf("%s.%d", scenario, min(nth, maxStarts-1)+1)]
}

// findCanaries returns the canaries in a text, each as the start that it was made for and its kind.
func (p *canaryPool) findCanaries(text []byte) (out []record.Sighting) {
	for _, name := range p.seeks.FindNames(text) {
		i := strings.LastIndexByte(name, '.')
		out = append(out, record.Sighting{Kind: name[i+1:], Of: name[:i]})
	}
	return out
}

// lookFor adds the canaries of a text that is in one place of a request.
func (p *canaryPool) lookFor(out []record.Sighting, text, in, name string) []record.Sighting {
	for _, s := range p.findCanaries([]byte(text)) {
		s.In, s.Name = in, name
		s.Whole = p.isWhole(s, text)
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// isWhole reports whether a text is one canary and nothing else: as it is, or in a field for credentials after the name of a
// scheme, with user and password in base64 (RFC 7617).
func (p *canaryPool) isWhole(s record.Sighting, text string) bool {
	if s.Name == "" {
		return false
	}
	value := p.sets[s.Of].values[s.Kind]
	text = strings.TrimSpace(text)
	if s.In == record.InHeader && textproto.CanonicalMIMEHeaderKey(s.Name) == "Authorization" {
		scheme, rest, _ := strings.Cut(text, " ")
		text = strings.TrimSpace(rest)
		if strings.EqualFold(scheme, "basic") {
			plain, err := base64.StdEncoding.DecodeString(text)
			return err == nil && string(plain) == value
		}
	}
	return text == value
}

// findSightings returns the places of a request in which canaries are.
func (p *canaryPool) findSightings(q *request) (out []record.Sighting) {
	if p == nil || len(p.sets) == 0 {
		return nil
	}
	path, query, _ := strings.Cut(q.Target, "?")
	out = p.lookFor(out, path, record.InPath, "")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		out = p.lookFor(p.lookFor(out, value, record.InQuery, name), name, record.InQuery, "")
	}
	head := q.record.Header()
	for _, name := range slices.Sorted(maps.Keys(head)) {
		for _, value := range head[name] {
			if name != "Cookie" {
				out = p.lookFor(p.lookFor(out, value, record.InHeader, name), name, record.InHeader, "")
			}
		}
	}
	for _, c := range (&http.Request{Header: head}).Cookies() {
		out = p.lookFor(out, c.Value, record.InCookie, c.Name)
	}
	if len(out) == 0 { // what no reader takes for a cookie
		out = p.lookFor(out, strings.Join(head["Cookie"], "; "), record.InCookie, "")
	}
	out = p.lookFor(out, string(q.record.Trailer), record.InTrailer, "")
	return p.lookInBody(out, q.record.Body, head.Get("Content-Type"))
}

// lookInBody adds the canaries of a body: those of a form by the names of its parameters.
func (p *canaryPool) lookInBody(out []record.Sighting, body []byte, mediaType string) []record.Sighting {
	if kind, _, _ := mime.ParseMediaType(mediaType); kind == "application/x-www-form-urlencoded" {
		if form, err := url.ParseQuery(string(body)); err == nil {
			for _, name := range slices.Sorted(maps.Keys(form)) {
				for _, value := range form[name] {
					out = p.lookFor(out, value, record.InBody, name)
				}
			}
			return out
		}
	}
	return p.lookFor(out, string(body), record.InBody, "")
}

// findPrinted returns the canaries that a client printed, each as the start that it was made for and its kind.
func (p *canaryPool) findPrinted(outputs ...*output) (names []string) {
	if p == nil {
		return nil
	}
	for _, o := range outputs {
		o.mu.Lock()
		found := p.seeks.FindNames(o.kept.Bytes())
		o.mu.Unlock()
		for _, name := range found {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
