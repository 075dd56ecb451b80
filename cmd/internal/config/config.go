// Package config reads what an operator wrote about a server: the configuration of a run, the
// texts for its agent, and an entry of a fleet's list, which has the same keys. A mistake is an
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
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Keys are those of a configuration. An unknown key is an error with its line.
type Keys struct {
	Target            string           `yaml:"target"`
	Dialect           string           `yaml:"dialect"`
	SDK               string           `yaml:"sdk"` // on which the agent is built: js@1.3.0
	operator.Endpoint `yaml:",inline"` // whose CardKey is a file here, or jku
	// Auth names the variables or files of credentials, never their values.
	Auth     operator.Credentials        `yaml:"auth"`
	Webhook  operator.Webhook            `yaml:"webhook"`
	Declares declaredBehaviours          `yaml:"declares"`
	Stimuli  map[string]conform.Stimulus `yaml:"stimuli"`
}

// credentialPlace is a credential as a configuration has it, and the keys below which it is.
type credentialPlace struct {
	value *string
	path  []any
}

// credentialPlaces returns the members of a configuration that name the place of a credential.
func credentialPlaces(c *operator.Credentials) (out []credentialPlace) {
	for _, of := range []struct {
		below              []any
		bearer, basic, key *string
	}{
		{[]any{"auth"}, &c.Bearer, &c.Basic, &c.APIKey},
		{[]any{"auth", "second"}, &c.OtherIdentity.Bearer, &c.OtherIdentity.Basic, &c.OtherIdentity.APIKey},
		{[]any{"auth", "low"}, &c.RestrictedIdentity.Bearer, &c.RestrictedIdentity.Basic, &c.RestrictedIdentity.APIKey},
	} {
		out = append(out, credentialPlace{of.bearer, append(slices.Clone(of.below), "bearer")}, credentialPlace{of.basic, append(slices.Clone(of.below), "basic")}, credentialPlace{of.key, append(slices.Clone(of.below), "apiKey")})
	}
	return out
}

// declaredBehaviours is the operator's word on what the wire cannot show.
type declaredBehaviours struct {
	Never      []string `yaml:"never"`
	Production bool     `yaml:"production"`
	Cancel     bool     `yaml:"cancel"` // the agent supports cancelling
	// Credentials states that those that are configured are valid.
	Credentials bool `yaml:"credentials"`
	Versions    bool `yaml:"several-versions"` // one URL serves several versions of the protocol
	// WebhookReachable means that the server can and may call the webhooks of the run.
	WebhookReachable bool `yaml:"webhook-reachable"`
	// Authenticated states that calls without credentials are refused.
	Authenticated bool `yaml:"authenticated"`
	// RateLimit is what the server allows a client.
	RateLimit *operator.RateLimit `yaml:"rateLimit"`
	// Timeouts are how long it lets calls and streams go on.
	Timeouts *operator.Timeouts `yaml:"timeouts"`
}

// Behaviours are the words that declares.never takes.
var Behaviours = schema.Behaviours()

// Read reads the file of --config into a target. It returns the sources of the credentials that
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
	for _, of := range credentialPlaces(&c.Auth) {
		value := *of.value
		if m := variableReference.FindStringSubmatch(value); m != nil {
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

// ReadTarget returns the target that a configuration file names.
func ReadTarget(file string) (string, error) {
	text, err := schema.ReadFile(file, schema.MaxFile)
	if err != nil {
		return "", err
	}
	var c Keys
	if err := schema.Strict(file, Quoted(text), &c); err != nil {
		return "", err
	}
	return c.Target, nil
}

// maxTrustHosts bounds the hosts that each address of a card is compared with.
const maxTrustHosts = 1000

// Parse reads a configuration from a text; file is its name in errors. A credential is never part
// of a configuration: its source is given to outside, which returns the value, and is not asked
// for credentials that are left out.
func Parse(file string, text []byte, t *conform.Target, outside func(value string) (string, error)) (err error) {
	var c Keys
	text = Quoted(text)
	if err := schema.Strict(file, text, &c); err != nil {
		return err
	}
	if n := len(c.TrustHosts); n > maxTrustHosts {
		return fmt.Errorf("%s:%d: trustHosts has %d hosts; at most %d are read", file, schema.LineOf(text, "trustHosts"), n, maxTrustHosts)
	}
	line := func(path ...any) int { return schema.LineOf(text, path...) } // which is asked for if something is wrong
	t.URL, t.Dialect, t.Endpoint, t.Credentials, t.Webhook, t.Stimuli = c.Target, c.Dialect, c.Endpoint, c.Auth, c.Webhook, c.Stimuli
	if c.SDK != "" {
		if _, err := schema.FindSDK(c.SDK); err != nil {
			return fmt.Errorf("%s:%d: sdk: %w", file, line("sdk"), err)
		}
		t.SDK = c.SDK
	}
	for _, name := range slices.Sorted(maps.Keys(t.Interfaces)) {
		if t.Interfaces[name] == "" {
			return fmt.Errorf("%s:%d: interfaces.%s has no URL; write it like interfaces: {JSONRPC: http://localhost:9999/rpc}", file, line("interfaces", name), safetext.OneLine(name))
		}
	}
	if t.CardKey, err = CardKey("cardKey", c.CardKey); err != nil {
		return fmt.Errorf("%s:%d: %w", file, line("cardKey"), err)
	}
	t.RateLimit, t.Timeouts = c.Declares.RateLimit, c.Declares.Timeouts
	for _, of := range credentialPlaces(&t.Credentials) {
		if *of.value == "" {
			continue
		}
		if *of.value, err = outside(*of.value); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", file, line(of.path...), formatKeyPath(of.path), err)
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
	for _, of := range []struct {
		word string
		set  bool
	}{
		{"production", c.Declares.Production}, {"cancel", c.Declares.Cancel}, {"credentials", c.Declares.Credentials},
		{"authenticated", c.Declares.Authenticated}, {"several-versions", c.Declares.Versions}, {"webhook-reachable", c.Declares.WebhookReachable},
	} {
		if of.set {
			t.Declarations = append(t.Declarations, of.word)
		}
	}
	return CheckStimuli(file, text, c.Stimuli, c.Declares.Never, "stimuli")
}

// formatKeyPath returns the place of a key as errors show it.
func formatKeyPath(path []any) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(path), "[]"), " ", ".")
}

// CheckStimuli finds mistakes in texts for the agent, which stand below the given keys of a file.
func CheckStimuli(file string, text []byte, stimuli map[string]conform.Stimulus, never []string, below ...string) error {
	mistake := operator.CheckStimuli(stimuli, never)
	if mistake == nil {
		return nil
	}
	var path []any
	for _, key := range mistake.Path(below...) {
		path = append(path, key)
	}
	return fmt.Errorf("%s:%d: %s", file, schema.LineOf(text, path...), mistake.Describe(below...))
}

var variableReference = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)

// FromOutside reads a credential from the environment (${NAME}) or from a file (file:PATH).
func FromOutside(value string) (string, error) {
	if m := variableReference.FindStringSubmatch(value); m != nil {
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
