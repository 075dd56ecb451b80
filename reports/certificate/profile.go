package certificate

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Profile is what a receiver asks of every certificate: a YAML file. What it does not name
// does not matter. Patterns have * for any characters but a slash.
type Profile struct {
	Target    string              `yaml:"target"`    // pattern of the server's URL; without a path, any path will do
	Dialects  []string            `yaml:"dialects"`  // one of them has to have been judged
	Bindings  []string            `yaml:"bindings"`  // all of them have to have been judged
	Keys      []ProfileKey        `yaml:"keys"`      // whose signatures are accepted
	Versions  []string            `yaml:"versions"`  // patterns of versions of the program; those named have their judgement accepted
	Allowed   []string            `yaml:"allowed"`   // risk classes that the run has to have allowed
	Undecided *int                `yaml:"undecided"` // the largest number of undecided MUST requirements
	Declares  map[string][]string `yaml:"declares"`  // the operator's declarations that are accepted, as patterns
	Waivers   []string            `yaml:"waivers"`   // patterns of the requirements that may be waived
	Nonce     string              `yaml:"nonce"`     // required, or the nonce itself
	Age       string              `yaml:"age"`       // since the run, like 30d or 12h

	file string
	keys []Holder
	age  time.Duration
}

// ProfileKey is a key of a profile: in the profile itself, or in a file whose name it has.
type ProfileKey struct {
	Holder string `yaml:"holder"`
	Key    string `yaml:"key"`
	File   string `yaml:"file"`
}

// nonceRequired means that a nonce has to be given for each certificate.
const nonceRequired = "required"

// ReadProfile reads a profile. An error names the file, the line and what would be right.
// Paths in it are looked up by open.
func ReadProfile(file string, text []byte, open func(name string) ([]byte, error)) (*Profile, error) {
	p := &Profile{file: filepath.Base(file)}
	if err := schema.Strict(file, text, p); err != nil {
		return nil, err
	}
	at := func(err error, place ...any) error {
		return fmt.Errorf("%s:%d: %w", file, schema.LineOf(text, place...), err)
	}
	if p.countConditions() == 0 {
		return nil, at(errors.New("the profile names no condition; the smallest is a target"))
	}
	if p.Target != "" {
		if scheme, host, path := splitURLPattern(p.Target); scheme != "http" && scheme != "https" || host == "" || badPattern(host) || badPattern(path) {
			return nil, at(fmt.Errorf("the target %q is not a pattern of a URL; write it like https://*.acme.example", p.Target), "target")
		}
	}
	for _, l := range []struct {
		name  string
		given []string
		known []string
	}{{"dialects", p.Dialects, schema.Names()}, {"allowed", p.Allowed, riskNames()}, {"versions", p.Versions, nil}, {"waivers", p.Waivers, nil}, {"bindings", p.Bindings, nil}} {
		for i, word := range l.given {
			switch {
			case l.known != nil && !slices.Contains(l.known, word):
				return nil, at(fmt.Errorf("%q is not one of %s", word, strings.Join(l.known, ", ")), l.name, i)
			case word == "" || badPattern(word):
				return nil, at(fmt.Errorf("%q is not a pattern; * matches any characters", word), l.name, i)
			}
		}
	}
	for i, pattern := range p.Versions {
		if err := checkVersionPattern(pattern); err != nil {
			return nil, at(err, "versions", i)
		}
	}
	for what, patterns := range p.Declares {
		if i := slices.IndexFunc(patterns, badPattern); i >= 0 {
			return nil, at(fmt.Errorf("%q is not a pattern; * matches any characters", patterns[i]), "declares", what, i)
		}
	}
	if p.Undecided != nil && *p.Undecided < 0 {
		return nil, at(errors.New("undecided is the largest number of requirements that may be undecided; it is at least 0"), "undecided")
	}
	if p.Nonce != "" && p.Nonce != nonceRequired {
		if err := operator.CheckNonceForm(p.Nonce); err != nil {
			return nil, at(fmt.Errorf("the nonce cannot be used: %w; or write required, and give it with --nonce", err), "nonce")
		}
	}
	if p.Age != "" {
		var err error
		if p.age, err = ParseAge(p.Age); err != nil {
			return nil, at(err, "age")
		}
	}
	for i, k := range p.Keys {
		h, err := k.readKey(open)
		if err == nil && slices.ContainsFunc(p.keys, func(o Holder) bool { return o.Key.ID == h.Key.ID }) {
			err = fmt.Errorf("the key %s is here twice", h.Key.ID)
		}
		if err != nil {
			return nil, at(err, "keys", i)
		}
		p.keys = append(p.keys, h)
	}
	return p, nil
}

func riskNames() (out []string) {
	for _, r := range schema.Risks() {
		out = append(out, string(r))
	}
	return out
}

func badPattern(s string) bool {
	_, err := path.Match(s, "")
	return err != nil
}

func (k ProfileKey) readKey(open func(string) ([]byte, error)) (Holder, error) {
	switch {
	case k.Holder == "":
		return Holder{}, errors.New("the key has no holder; name who signs with it")
	case (k.Key == "") == (k.File == ""):
		return Holder{}, errors.New("give either key, the public key itself, or file, the name of a file with it")
	}
	text := []byte(k.Key)
	if k.File != "" {
		var err error
		if text, err = open(k.File); err != nil {
			return Holder{}, err
		}
	}
	key, err := ReadPublic(text)
	if err != nil {
		return Holder{}, fmt.Errorf("the key of %s: %w", k.Holder, err)
	}
	return Holder{k.Holder, key}, nil
}

// AcceptedKeys returns the keys whose signatures the profile accepts.
func (p *Profile) AcceptedKeys() []Holder { return p.keys }

// ParseAge reads a time such as 30d, 12h or 90m.
func ParseAge(s string) (time.Duration, error) {
	var n int
	var rest string
	d, err := time.ParseDuration(s)
	if k, _ := fmt.Sscanf(s, "%d%s", &n, &rest); k == 2 && rest == "d" && n < 100*365 {
		d, err = time.Duration(n)*24*time.Hour, nil
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is no age; write it like 30d or 12h", s)
	}
	return d, nil
}

// acceptsVersion reports whether the profile names a version, so that the receiver takes its
// judgement for his own. A pattern that every version fits, such as *, names none.
func (p *Profile) acceptsVersion(version string) bool {
	if p == nil {
		return false
	}
	return slices.ContainsFunc(p.Versions, func(pattern string) bool {
		return namesVersion(pattern) && matchesAny([]string{pattern}, version)
	})
}

// countConditions counts what a profile asks for.
func (p *Profile) countConditions() (n int) {
	for _, asked := range []bool{p.Target != "", p.Dialects != nil, p.Bindings != nil, p.Keys != nil, p.Versions != nil, p.Allowed != nil,
		p.Undecided != nil, p.Declares != nil, p.Waivers != nil, p.Nonce != "", p.Age != ""} {
		if asked {
			n++
		}
	}
	return n
}

// checkAndCountConditions holds a certificate against the profile, and counts its conditions.
func (p *Profile) checkAndCountConditions(v *Verification, t *record.Transcript, made Tool, e Expect) (int, error) {
	r := v.Report
	undecided := r.Summary[string(schema.Must)].Inconclusive
	switch {
	case p.Target != "" && !targetMatches(p.Target, r.Target.URL):
		return 0, fmt.Errorf("target: the run is about %s, and %s is asked for", shortenText(r.Target.URL), p.Target)
	case p.Dialects != nil && !slices.Contains(p.Dialects, r.Target.Dialect):
		return 0, fmt.Errorf("dialects: the run judged %s, and one of %s is asked for", r.Target.Dialect, strings.Join(p.Dialects, ", "))
	case p.Keys != nil && !slices.ContainsFunc(p.keys, func(h Holder) bool { return h.Key.ID == v.Signer.Key.ID }):
		return 0, fmt.Errorf("keys: it is signed by %s, whose key the profile does not have", v.Signer)
	case p.Versions != nil && !matchesAny(p.Versions, made.Version):
		return 0, fmt.Errorf("versions: it was made by version %s, and %s is asked for", shortenText(made.Version), strings.Join(p.Versions, ", "))
	case p.Undecided != nil && undecided > *p.Undecided:
		return 0, fmt.Errorf("undecided: %d MUST requirements could not be decided, and at most %d may be", undecided, *p.Undecided)
	case p.Nonce == nonceRequired && e.Nonce == "":
		return 0, errors.New("nonce: one is asked for; give the one that you gave to the signer, with --nonce")
	}
	for _, b := range p.Bindings {
		if !slices.Contains(r.Target.Bindings, b) {
			return 0, fmt.Errorf("bindings: the run did not judge %s, only %s", b, strings.Join(r.Target.Bindings, ", "))
		}
		if countDecided(r, b) == 0 {
			return 0, fmt.Errorf("bindings: no requirement was decided by %s", b)
		}
	}
	for _, risk := range p.Allowed {
		if !slices.Contains(t.Facts.Allow, risk) {
			return 0, fmt.Errorf("allowed: the run did not allow conversations of the risk class %s", risk)
		}
	}
	if p.Declares != nil {
		for _, what := range slices.Sorted(maps.Keys(r.Target.Declares)) {
			for _, word := range r.Target.Declares[what] {
				if !matchesAny(p.Declares[what], word) {
					return 0, fmt.Errorf("declares: the operator declared %s: %s, which the profile does not accept", what, shortenText(word))
				}
			}
		}
	}
	if p.Waivers != nil {
		for _, res := range r.Results {
			if res.Verdict == report.Waived && !matchesAny(p.Waivers, res.ID) {
				return 0, fmt.Errorf("waivers: %s is waived, which the profile does not accept", res.ID)
			}
		}
	}
	if p.Nonce != "" && p.Nonce != nonceRequired {
		if _, err := t.CheckNonce(p.Nonce); err != nil {
			return 0, fmt.Errorf("nonce: the run was made without the profile's: %w", err)
		}
	}
	if err := checkNotOlderThan(r.Run.StartedAt, e.Now, p.age); err != nil {
		return 0, fmt.Errorf("age: %w", err)
	}
	return p.countConditions(), nil
}

// matchesAny reports whether one of some patterns fits a word.
func matchesAny(patterns []string, word string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, word)
		return ok
	})
}

// splitURLPattern takes the pattern of a URL apart, whose port may be *.
func splitURLPattern(pattern string) (scheme, host, path string) {
	scheme, rest, _ := strings.Cut(pattern, "://")
	host, path, _ = strings.Cut(rest, "/")
	if path != "" {
		path = "/" + strings.TrimSuffix(path, "/")
	}
	scheme, host = strings.ToLower(scheme), strings.ToLower(host)
	return scheme, strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme]), path
}

// targetMatches reports whether a URL fits a pattern. Its parts are compared one by one, so
// that no host can be named in a path.
func targetMatches(pattern, address string) bool {
	scheme, host, path := splitURLPattern(pattern)
	u, err := url.Parse(plainURL(address))
	if err != nil || u.User != nil || scheme != u.Scheme || !matchesAny([]string{host}, u.Host) {
		return false
	}
	return path == "" || matchesAny([]string{path}, u.Path)
}
