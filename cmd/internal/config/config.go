// Package config reads what an operator wrote about a server: the configuration of a run, the
// texts for its agent, and an entry of a fleet's list, which has the same keys. A slip is an
// error with the file, the line and the remedy.
package config

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Keys are those of a configuration. An unknown key is an error with its line.
type Keys struct {
	Target   string                      `yaml:"target"`
	Dialect  string                      `yaml:"dialect"`
	Card     string                      `yaml:"card"`
	CardKey  string                      `yaml:"cardKey"` // a file with the public key of who signed the card, or jku
	RPC      string                      `yaml:"rpc"`
	At       map[string]string           `yaml:"interfaces"` // where calls in a binding go, by its name
	Trust    []string                    `yaml:"trustHosts"` // further hosts that are the server's
	Agent    string                      `yaml:"agent"`
	Binding  string                      `yaml:"binding"`
	Auth     auth                        `yaml:"auth"`
	Webhook  webhook                     `yaml:"webhook"`
	Declares declares                    `yaml:"declares"`
	Stimuli  map[string]conform.Stimulus `yaml:"stimuli"`
}

// auth names where credentials are, never what they are.
type auth struct {
	Bearer       string   `yaml:"bearer"`
	Basic        string   `yaml:"basic"`
	APIKey       string   `yaml:"apiKey"`
	APIKeyHeader string   `yaml:"apiKeyHeader"` // in place of X-API-Key
	Second       identity `yaml:"second"`       // another client
	Low          identity `yaml:"low"`          // a client that may not send the stimulus forbidden
}

type identity struct {
	Bearer string `yaml:"bearer"`
	Basic  string `yaml:"basic"`
	APIKey string `yaml:"apiKey"`
}

// webhook says where we receive push notifications.
type webhook struct {
	Listen string `yaml:"listen"`
	URL    string `yaml:"url"`
	Cert   string `yaml:"cert"`
	Key    string `yaml:"key"`
}

// declares is the operator's word on what the wire cannot show.
type declares struct {
	Never      []string `yaml:"never"`
	Production bool     `yaml:"production"`
	Cancel     bool     `yaml:"cancel"` // the agent supports cancelling
	// Credentials says that those that are configured are valid.
	Credentials bool `yaml:"credentials"`
	Versions    bool `yaml:"several-versions"` // one URL serves several versions of the protocol
	// WebhookReachable means that the server can and may call the webhooks of the run.
	WebhookReachable bool `yaml:"webhook-reachable"`
	// Authenticated says that calls without credentials are refused.
	Authenticated bool `yaml:"authenticated"`
	// RateLimit is what the server allows a client.
	RateLimit *conform.RateLimit `yaml:"rateLimit"`
	// Timeouts are how long it lets calls and streams go on.
	Timeouts *conform.Timeouts `yaml:"timeouts"`
}

// Behaviours are the words that declares.never takes.
var Behaviours = schema.Behaviours()

// Read reads the file of --config into a target. It tells where the credentials come from that
// it sends.
func Read(file string, t *conform.Target) (sends []string, err error) {
	text, err := schema.ReadFile(file, schema.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	if err := Parse(file, text, t, FromOutside); err != nil {
		return nil, err
	}
	var c Keys
	if err := schema.Strict(file, Quoted(text), &c); err != nil {
		return nil, err
	}
	for _, value := range []string{c.Auth.Bearer, c.Auth.Basic, c.Auth.APIKey, c.Auth.Second.Bearer, c.Auth.Second.Basic, c.Auth.Second.APIKey,
		c.Auth.Low.Bearer, c.Auth.Low.Basic, c.Auth.Low.APIKey} {
		if m := variable.FindStringSubmatch(value); m != nil {
			value = "the variable " + m[1]
		} else if name, ok := strings.CutPrefix(value, "file:"); ok {
			value = "the file " + name
		}
		if value != "" && !slices.Contains(sends, value) {
			sends = append(sends, value)
		}
	}
	return sends, nil
}

// mostTrustHosts bounds the hosts that each address of a card is compared with.
const mostTrustHosts = 1000

// Parse reads a configuration from a text; file is what errors call it. A credential never
// stands in a configuration itself: what stands there is given to outside, which knows where
// it is, and is not asked for credentials that are left out.
func Parse(file string, text []byte, t *conform.Target, outside func(value string) (string, error)) (err error) {
	var c Keys
	text = Quoted(text)
	if err := schema.Strict(file, text, &c); err != nil {
		return err
	}
	if n := len(c.Trust); n > mostTrustHosts {
		return fmt.Errorf("%s:%d: trustHosts has %d hosts; at most %d are read", file, schema.LineOf(text, "trustHosts"), n, mostTrustHosts)
	}
	line := func(path ...any) int { return schema.LineOf(text, path...) } // which is asked for where something is wrong
	t.URL, t.Dialect, t.Card, t.RPC, t.Agent, t.Binding, t.Stimuli = c.Target, c.Dialect, c.Card, c.RPC, c.Agent, c.Binding, c.Stimuli
	t.Interfaces, t.TrustHosts = c.At, c.Trust
	for _, name := range slices.Sorted(maps.Keys(t.Interfaces)) {
		if t.Interfaces[name] == "" {
			return fmt.Errorf("%s:%d: interfaces.%s has no URL; write it like interfaces: {JSONRPC: http://localhost:9999/rpc}", file, line("interfaces", name), reports.OneLine(name))
		}
	}
	if t.CardKey, err = CardKey("cardKey", c.CardKey); err != nil {
		return fmt.Errorf("%s:%d: %w", file, line("cardKey"), err)
	}
	t.Webhook = conform.Webhook(c.Webhook)
	t.KeyHeader, t.RateLimit, t.Timeouts = c.Auth.APIKeyHeader, c.Declares.RateLimit, c.Declares.Timeouts
	for _, of := range []struct {
		name  string
		given identity
		to    [3]*string
	}{
		{"", identity{c.Auth.Bearer, c.Auth.Basic, c.Auth.APIKey}, [3]*string{&t.Bearer, &t.Basic, &t.APIKey}},
		{"second", c.Auth.Second, [3]*string{&t.Second.Bearer, &t.Second.Basic, &t.Second.APIKey}},
		{"low", c.Auth.Low, [3]*string{&t.Low.Bearer, &t.Low.Basic, &t.Low.APIKey}},
	} {
		for i, value := range []string{of.given.Bearer, of.given.Basic, of.given.APIKey} {
			if value == "" {
				continue
			}
			key := []string{"bearer", "basic", "apiKey"}[i]
			path, name := []any{"auth", key}, key
			if of.name != "" {
				path, name = []any{"auth", of.name, key}, of.name+"."+key
			}
			if *of.to[i], err = outside(value); err != nil {
				return fmt.Errorf("%s:%d: auth.%s: %w", file, line(path...), name, err)
			}
		}
	}
	if l := t.RateLimit; l != nil {
		if err := l.Check(); err != nil {
			return fmt.Errorf("%s:%d: declares.rateLimit %w", file, schema.LineOf(text, "declares", "rateLimit"), err)
		}
	}
	if l := t.Timeouts; l != nil {
		if err := l.Check(); err != nil {
			return fmt.Errorf("%s:%d: declares.timeouts %w", file, schema.LineOf(text, "declares", "timeouts"), err)
		}
	}
	for i, word := range c.Declares.Never {
		if !slices.Contains(Behaviours, word) && word != "quick" { // which only some protocols can do without
			return fmt.Errorf("%s:%d: declares.never: %q is not one of %s", file, schema.LineOf(text, "declares", "never", i), word, strings.Join(Behaviours, ", "))
		}
	}
	t.Never = c.Declares.Never
	if c.Declares.Production {
		t.Words = append(t.Words, "production")
	}
	if c.Declares.Cancel {
		t.Words = append(t.Words, "cancel")
	}
	if c.Declares.Credentials {
		t.Words = append(t.Words, "credentials")
	}
	if c.Declares.Authenticated {
		t.Words = append(t.Words, "authenticated")
	}
	if c.Declares.Versions {
		t.Words = append(t.Words, "several-versions")
	}
	if c.Declares.WebhookReachable {
		t.Words = append(t.Words, "webhook-reachable")
	}
	return CheckStimuli(file, text, c.Stimuli, c.Declares.Never, "stimuli")
}

// CheckStimuli finds slips in texts for the agent, which stand below the given keys of a file.
func CheckStimuli(file string, text []byte, stimuli map[string]conform.Stimulus, never []string, below ...string) error {
	line := func(name string, more ...any) int {
		var path []any
		for _, b := range append(slices.Clone(below), name) {
			path = append(path, b)
		}
		return schema.LineOf(text, append(path, more...)...)
	}
	slip := func(name, format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s%s", file, line(name), strings.Join(append(slices.Clone(below), name), "."), fmt.Sprintf(format, args...))
	}
	for _, name := range slices.Sorted(maps.Keys(stimuli)) {
		s := stimuli[name]
		if name != "quick" && !slices.Contains(Behaviours, name) {
			return fmt.Errorf("%s:%d: stimuli: %q is not one of quick, %s", file, line(name), name, strings.Join(Behaviours, ", "))
		}
		if slices.Contains(never, name) {
			return slip(name, " is given, but declares.never says that the agent never does this; leave one of them out")
		}
		if !(s.Seconds >= 0) || s.Seconds > 3600 {
			return slip(name, ": a run cannot wait %v seconds; give 0 to 3600", s.Seconds)
		}
		if s.Payment != nil && name != "pay" {
			return slip(name, " has a payment, and only the stimulus pay can have one")
		}
		if _, err := s.Payment.Kept(); err != nil {
			return fmt.Errorf("%s:%d: stimuli.%s.payment cannot be sent as JSON: %w", file, line(name, "payment"), name, err)
		}
		if s.Text == "" {
			return slip(name, " has no text")
		}
	}
	return nil
}

var variable = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)

// FromOutside reads a credential from the environment (${NAME}) or from a file (file:PATH).
func FromOutside(value string) (string, error) {
	if m := variable.FindStringSubmatch(value); m != nil {
		if v := os.Getenv(m[1]); v != "" {
			return v, nil
		}
		return "", fmt.Errorf("the environment variable %s is not set", m[1])
	}
	if name, ok := strings.CutPrefix(value, "file:"); ok {
		text, err := schema.ReadFile(name, schema.MaxCredential)
		if err != nil {
			return "", err
		}
		if value := strings.TrimSpace(string(text)); value != "" {
			return value, nil
		}
		return "", fmt.Errorf("the file %s is empty, but should hold a credential", name)
	}
	return "", fmt.Errorf("the configuration file must not hold a credential itself; write ${NAME} for an environment variable or file:PATH")
}
