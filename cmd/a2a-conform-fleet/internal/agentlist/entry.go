package agentlist

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Target is one entry of a list: a server that is judged in each round, and how.
type Target struct {
	ID   string          // what the entry is known by from round to round
	Text json.RawMessage // the entry, with its keys in order
	Name string          // the operator's
	URL  string
	// Dialect is one name, or auto.
	Dialect string
	Agent   string

	line int // of the list
}

// identityKey returns what makes two entries the same target in all rounds. What else they say, as
// their texts for the agent, may change without its history being lost.
func (t *Target) identityKey(binding string) string {
	return strings.Join([]string{t.URL, cmp.Or(t.Dialect, "auto"), t.Agent, binding, t.Name}, "\n")
}

// Hostname returns the host of the target's URL: of all hosts of the entry the one that is called for
// sure.
func (t *Target) Hostname() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return CanonicalHostUnifyingLoopback(u.Hostname())
}

// EntryOptions are the keys of an entry that a configuration does not have.
type EntryOptions struct {
	Name  string   `json:"name"`
	Allow []string `json:"allow"`
	// DefaultStimuli is set if the texts for the agent are the word plain, as for run --stimuli.
	DefaultStimuli bool `json:"-"`
}

// ParseEntry reads an entry: its own keys, and the rest, which is a run's configuration.
func ParseEntry(text []byte) (t Target, options EntryOptions, rest []byte, err error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return t, options, nil, fmt.Errorf("the entry is not an object: %w", err)
	}
	for _, key := range []struct {
		name string
		to   any
		is   string
	}{{"name", &options.Name, "a string; put it in quotes"}, {"allow", &options.Allow, "a list of risk classes, such as [heavy]"}} {
		if value, ok := keys[key.name]; ok {
			if json.Unmarshal(value, key.to) != nil {
				return t, options, nil, fmt.Errorf("%s must be %s", key.name, key.is)
			}
			delete(keys, key.name)
		}
	}
	for _, name := range options.Allow {
		if !slices.Contains(schema.Risks(), schema.Risk(name)) {
			return t, options, nil, fmt.Errorf("allow: %s", schema.Unknown("risk class", name, riskNames()))
		}
	}
	if len(options.Name) > maxNameBytes {
		return t, options, nil, fmt.Errorf("name: it has %d bytes; at most %d are kept", len(options.Name), maxNameBytes)
	}
	if string(keys["stimuli"]) == `"plain"` {
		options.DefaultStimuli = true
		delete(keys, "stimuli")
	}
	var seen struct {
		Target, Dialect, Agent, Binding string
	}
	rest, err = json.Marshal(keys)
	if err == nil {
		err = json.Unmarshal(rest, &seen)
	}
	if err != nil {
		return t, options, nil, err
	}
	if u, err := url.Parse(seen.Target); err == nil && u.User != nil {
		return t, options, nil, errors.New("target contains a user or password, and reports would show it; write auth: {basic: \"secret:NAME\"}")
	}
	t = Target{Text: text, Name: options.Name, URL: seen.Target, Dialect: cmp.Or(seen.Dialect, "auto"), Agent: seen.Agent}
	t.ID = hashIdentity(t.identityKey(seen.Binding))
	return t, options, rest, nil
}

// hashIdentity returns the id of the target with an identity.
func hashIdentity(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return hex.EncodeToString(sum[:])[:16]
}

// MaxEntryBytes bounds an entry of the queue, in bytes.
const MaxEntryBytes = 64 << 10

// maxNameBytes bounds the name of an entry, in bytes.
const maxNameBytes = 200

// SecretReference is how an entry names a secret of the worker.
var SecretReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^secret:([A-Za-z0-9][A-Za-z0-9._-]{0,63})$`) })

// ForeignCredential are credentials that a run's own configuration may name, and no entry: they would
// be those of whoever runs the worker.
var ForeignCredential = regexp.MustCompile(`^(file:|\$\{[A-Za-z_][A-Za-z0-9_]*\}$)`)

// ReadFile reads the agents of a file. The notes are about settings that are valid, but have
// another effect than their author may expect.
func ReadFile(file string) (targets []Target, notes []string, err error) {
	text, err := schema.ReadFile(file, MaxBytes)
	if err != nil {
		return nil, nil, err
	}
	return parseList(file, text)
}

func parseList(file string, text []byte) (targets []Target, notes []string, err error) {
	text = config.Quoted(text)
	var mistakes []string
	list := &listReader{file: file, lines: lineCursor{text: text, line: 1}, checked: map[string]bool{}}
	seen := map[string]*Target{}
	count := 0
	for n, err := range listNodes(file, text) {
		if err != nil {
			return nil, nil, err
		}
		count++
		of, more, err := list.parseEntryPerDialect(n)
		if err != nil {
			mistakes = append(mistakes, err.Error())
			if len(mistakes) == maxErrors {
				mistakes = append(mistakes, fmt.Sprintf("%s: there may be more; these come first", file))
				break
			}
			continue
		}
		notes = append(notes, more...)
		for _, t := range of {
			first := seen[t.ID]
			switch {
			case first == nil:
				targets = append(targets, t)
				seen[t.ID] = &targets[len(targets)-1]
			case bytes.Equal(first.Text, t.Text):
				notes = append(notes, fmt.Sprintf("%s:%d: %s is listed already in line %d; it is judged once", file, t.line, redact.StripSecrets(t.URL), first.line))
			default:
				mistakes = append(mistakes, fmt.Sprintf("%s:%d: %s is listed already in line %d, with other settings; remove one of the two, or give each a name of its own", file, t.line, redact.StripSecrets(t.URL), first.line))
			}
		}
	}
	switch {
	case len(mistakes) > 0:
		return nil, nil, fmt.Errorf("%s", strings.Join(mistakes, "\n"))
	case count == 0:
		return nil, nil, fmt.Errorf("%s:1: the list has no agents; write it like agents: [{target: http://localhost:9999}]", file)
	}
	return targets, notes, nil
}

// maxErrors is how many mistakes of a list are reported at once.
const maxErrors = 20

// lineOfError returns the line of the key that the error about an entry begins with, or that of the entry.
func lineOfError(n *yaml.Node, err error) int {
	name, _, _ := strings.Cut(err.Error(), " ")
	name = strings.TrimSuffix(name, ":")
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i].Line
		}
	}
	return n.Line
}

// listReader reads the entries of a list.
type listReader struct {
	file  string
	lines lineCursor
	// checked are configurations, without their targets, in which nothing was wrong or remarkable.
	checked map[string]bool
}

// maxCheckedConfigs is how many configurations are remembered. Most lists have few that differ in
// more than their targets.
const maxCheckedConfigs = 100

// checkEntry reads the configuration of an entry as a run would.
func (l *listReader) checkEntry(n *yaml.Node, rest []byte, outside func(string) (string, error)) error {
	key, err := removeMember(rest, "target")
	if err != nil || l.checked[string(key)] {
		return err
	}
	looked := false
	err = config.Parse(l.file, rest, &conform.Target{}, func(value string) (string, error) {
		looked = true
		return outside(value)
	})
	if err != nil {
		return relocateError(l.file, n, &l.lines, err, outside)
	}
	if !looked && len(l.checked) < maxCheckedConfigs {
		l.checked[string(key)] = true
	}
	return nil
}

// parseEntryPerDialect reads one entry of a list, which represents a target in each of its dialects.
func (l *listReader) parseEntryPerDialect(n *yaml.Node) (out []Target, notes []string, err error) {
	file := l.file
	var v map[string]any
	if n.Kind != yaml.MappingNode && n.Kind != yaml.AliasNode || n.Decode(&v) != nil {
		return nil, nil, fmt.Errorf("%s:%d: an agent is a map of keys; write it like - target: http://localhost:9999", file, n.Line)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, nil, fmt.Errorf("%s:%d: the entry cannot be written as JSON: %w", file, n.Line, err)
	}
	if len(text) > MaxEntryBytes {
		return nil, nil, fmt.Errorf("%s:%d: the entry has %d bytes; at most %d are queued", file, n.Line, len(text), MaxEntryBytes)
	}
	t, _, rest, err := ParseEntry(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s:%d: %w", file, lineOfError(n, err), err)
	}
	if t.URL == "" {
		return nil, nil, fmt.Errorf("%s:%d: the entry has no target; write it like - target: http://localhost:9999", file, n.Line)
	}
	if u, err := url.Parse(t.URL); err != nil || u.Host == "" || !IsWebScheme(u.Scheme) {
		return nil, nil, fmt.Errorf("%s:%d: the target %q is no http or https URL; write it like http://localhost:9999", file, n.Line, redact.StripSecrets(t.URL))
	}
	if key, _ := v["cardKey"].(string); key != "" && key != record.KeysFromHeader {
		notes = append(notes, fmt.Sprintf("%s:%d: cardKey names a file; no worker reads a file for an entry, so this target will be void", file, n.Line))
		if rest, err = removeMember(rest, "cardKey"); err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", file, n.Line, err)
		}
	}
	if card, _ := v["card"].(string); card != "" && !strings.Contains(card, "://") {
		notes = append(notes, fmt.Sprintf("%s:%d: card names a file; no worker reads a file for an entry, so this target will be void", file, n.Line))
	}
	if _, asks := v["webhook"]; asks {
		notes = append(notes, fmt.Sprintf("%s:%d: webhook: only the flags of a worker allow push notifications, so this target will be void", file, n.Line))
	}
	outside := func(value string) (string, error) {
		switch {
		case SecretReference().MatchString(value):
		case ForeignCredential.MatchString(value):
			notes = append(notes, fmt.Sprintf("%s:%d: a worker takes credentials from its own secrets.yaml alone, so this target will be void; write secret:NAME", file, n.Line))
		default:
			return "", fmt.Errorf("a list of agents must not hold a credential itself; write secret:NAME, and put the credential into the worker's secrets.yaml")
		}
		return "", nil
	}
	if err := l.checkEntry(n, rest, outside); err != nil {
		return nil, nil, err
	}
	dialects, err := parseDialects(t.Dialect)
	if err != nil {
		return nil, nil, fmt.Errorf("%s:%d: %w", file, lineOfError(n, err), err)
	}
	for _, d := range dialects {
		one := t
		if len(dialects) > 1 {
			v["dialect"] = d
			text, err := json.Marshal(v)
			if err != nil {
				return nil, nil, err
			}
			if one, _, _, err = ParseEntry(text); err != nil {
				return nil, nil, err
			}
		}
		one.line = n.Line
		out = append(out, one)
	}
	return out, notes, nil
}

// removeMember returns an object without one of its members.
func removeMember(text []byte, member string) ([]byte, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, err
	}
	delete(keys, member)
	return json.Marshal(keys)
}

func parseDialects(names string) (out []string, err error) {
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name != "auto" && !slices.Contains(schema.Names(), name) {
			return nil, fmt.Errorf("dialect: %s", schema.Unknown("dialect", name, append(schema.Names(), "auto")))
		}
		out = append(out, name)
	}
	return out, nil
}

// relocateError returns an error about an entry with the line of the list: the entry is read again from
// the list's own text, whose lines are those of the file.
func relocateError(file string, n *yaml.Node, lines *lineCursor, err error, outside func(string) (string, error)) error {
	indent := n.Column - 1
	var text []byte
	first := true
	for l := range bytes.Lines(lines.textFrom(n.Line)) {
		l = bytes.TrimRight(l, "\r\n")
		if !first && len(bytes.TrimSpace(l)) > 0 && len(l)-len(bytes.TrimLeft(l, " ")) < indent {
			break // the next entry
		}
		text, first = append(append(text, l[min(indent, len(l)):]...), '\n'), false
		if len(text) > maxPartBytes {
			break
		}
	}
	text = entryOptionLines.ReplaceAllFunc(text, func(own []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(own, []byte("\n"))) })
	// If the entry cannot be read apart from the list, as with anchors, its first line has to do.
	if again := config.Parse(file, text, &conform.Target{}, outside); again != nil && !strings.Contains(again.Error(), "this is not YAML") {
		return moveLines(file, again, n.Line-1)
	}
	_, what, _ := strings.Cut(err.Error(), ": ")
	return fmt.Errorf("%s:%d: %s", file, n.Line, what)
}

// moveLines adds to the lines that an error about a file begins with.
func moveLines(file string, err error, by int) error {
	out := strings.Split(err.Error(), "\n")
	for i, line := range out {
		rest, is := strings.CutPrefix(line, file+":")
		if number, what, found := strings.Cut(rest, ":"); is && found {
			if n, err := strconv.Atoi(number); err == nil {
				out[i] = fmt.Sprintf("%s:%d:%s", file, n+by, what)
			}
		}
	}
	return errors.New(strings.Join(out, "\n"))
}

// riskNames returns the names of the risk classes.
func riskNames() (out []string) {
	for _, r := range schema.Risks() {
		out = append(out, string(r))
	}
	return out
}

// entryOptionLines finds the lines of an entry's own keys.
var entryOptionLines = regexp.MustCompile(`(?m)^(?:name|allow):.*(?:\n(?: +|- ).*)*|^stimuli: *"?plain"?`)

// CanonicalHostUnifyingLoopback is one spelling of a host. This machine has one, too.
func CanonicalHostUnifyingLoopback(host string) string {
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	}
	switch host = strings.TrimSuffix(strings.ToLower(host), "."); host {
	case "localhost", "::1":
		return "127.0.0.1"
	}
	return host
}

// IsWebScheme reports whether a URL scheme is http or https.
func IsWebScheme(scheme string) bool { return scheme == "http" || scheme == "https" }
