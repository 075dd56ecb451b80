package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"golang.org/x/net/http/httpproxy"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// buildTarget turns flags, configuration and argument into a target.
func (f *runFlags) buildTarget(args []string) (conform.Target, error) {
	t := conform.Target{Version: programVersion(), IDs: flagNaming}
	if len(args) == 1 && strings.TrimSpace(args[0]) == "" && !f.self {
		return t, errNoTarget
	}
	if f.config != "" {
		var err error
		if f.sends, err = config.Read(f.config, &t); err != nil {
			return t, err
		}
	}
	if len(args) == 1 {
		t.URL = args[0]
	}
	t.URL = addLoopbackScheme(t.URL)
	configured := t.Dialect
	overlayFields(reflect.ValueOf(&t).Elem(), reflect.ValueOf(f.typed))
	if f.typed.Dialect == "auto" && configured != "" {
		t.Dialect = configured
	}
	if f.cardKey != "" {
		var err error
		if t.CardKey, err = config.CardKey("--card-key", f.cardKey); err != nil {
			return t, err
		}
	}
	if f.self && t.CardKey == "" {
		t.CardKey = string(reference.CardKeys())
	}
	if len(f.rpc) > 0 {
		at, err := readEndpoints(f.rpc)
		if err != nil {
			return t, err
		}
		t.RPC, t.Interfaces = at.any, at.by // and nowhere that the file names
	}
	switch {
	case f.self && t.URL != "":
		return t, fmt.Errorf("--self judges the bundled server, but %s is given as well; leave one of them out", redact.StripSecrets(t.URL))
	case f.self:
		t.Bundled = true
	case t.URL == "" && len(f.rpc) > 0 && t.RPC != "":
		t.URL = t.RPC
	case t.URL == "" && !f.plan && !f.through.Used(): // a plan sends nothing to anybody, and a gateway can be before the bundled server
		return t, errNoTarget
	}
	t.DefaultStimuli = t.DefaultStimuli || t.Bundled
	for _, d := range []struct {
		flag string
		wide bool
	}{{"--timeout", t.Timeout > 0}, {"--deadline", t.Deadline > 0}, {"--concurrency", t.Concurrency > 0}} {
		if !d.wide {
			return t, fmt.Errorf("%s must be more than 0", d.flag)
		}
	}
	if t.MaxMessages < 0 {
		return t, errors.New("--max-messages must not be less than 0; 0 is for as many as it takes")
	}
	if t.MaxMessages > 0 && f.sign != "" {
		return t, errors.New("--max-messages leaves requirements undecided, so that nothing can be certified; leave out --sign or --max-messages")
	}
	if (t.Cert == "") != (t.Key == "") {
		return t, errors.New("--client-cert and --client-key belong together; one of them is missing")
	}
	if t.Wait < 0 {
		return t, errors.New("--wait must not be less than 0")
	}
	if err := f.readFiles(&t.Judging); err != nil {
		return t, err
	}
	if err := f.readCredentials(&t); err != nil {
		return t, err
	}
	if err := f.setAllowedRisks(&t); err != nil {
		return t, err
	}
	if f.schemaFile != "" {
		text, err := schema.ReadFile(f.schemaFile, schema.MaxSchema)
		if err != nil {
			return t, fmt.Errorf("--schema: %w", err)
		}
		t.Schema = &operator.Schema{File: filepath.Base(f.schemaFile), Text: string(text)}
	}
	return t, f.readStimuli(&t)
}

// overlayFields puts the members that a target has over those of another one, also one by one in the
// structs that it consists of.
func overlayFields(to, from reflect.Value) {
	for i := range from.NumField() {
		switch f := from.Field(i); {
		case f.Kind() == reflect.Struct:
			overlayFields(to.Field(i), f)
		case !f.IsZero():
			to.Field(i).Set(f)
		}
	}
}

// credentialName is what the names of variables look like that hold credentials, and what no credential
// looks like: it is capitals with a word for what the variable holds.
var credentialName = regexp.MustCompile(`^[A-Z0-9_]{0,32}(TOKEN|KEY|SECRET|PASS|AUTH|CRED|BEARER|BASIC|USER|LOGIN|JWT)[A-Z0-9_]{0,12}$`)

// readVariable returns the credential that is in a variable of the environment. If there is none, what
// was given in place of its name may be the credential itself, and so is printed only if it cannot be.
func readVariable(flag, name string) (string, error) {
	if value := os.Getenv(name); value != "" {
		return value, nil
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "$"), "{"), "}")
	switch {
	case credentialName.MatchString(bare) && bare != name:
		return "", fmt.Errorf("%s takes the name of an environment variable without $ and braces: %[1]s %[2]s", flag, bare)
	case credentialName.MatchString(name):
		return "", fmt.Errorf("%s: the environment variable %s is not set", flag, name)
	}
	return "", fmt.Errorf("%s takes the name of an environment variable that is set, and never the credential itself: export A2A_TOKEN=…, then %[1]s A2A_TOKEN", flag)
}

func (f *runFlags) readCredentials(t *conform.Target) error {
	for _, c := range []struct {
		flag, variable string
		to             *string
	}{{"--bearer-env", f.bearerEnv, &t.Bearer}, {"--basic-env", f.basicEnv, &t.Basic}, {"--api-key-env", f.apiKeyEnv, &t.APIKey}} {
		if c.variable == "" {
			continue
		}
		var err error
		if *c.to, err = readVariable(c.flag, c.variable); err != nil {
			return err
		}
	}
	if t.Basic != "" && !strings.Contains(t.Basic, ":") {
		return errors.New("--basic-env: the value is not of the form user:password")
	}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return errors.New("--header: the value is not of the form 'Name: value'") // it may be a secret
		}
		if t.Header == nil {
			t.Header = http.Header{}
		}
		t.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return nil
}

func (f *runFlags) setAllowedRisks(t *conform.Target) error {
	if f.allowDisruptive {
		t.Allow = schema.Risks()
		return nil
	}
	allowed, err := cli.ParseRisks(f.allow)
	t.Allow = append(t.Allow, allowed...)
	return err
}

// readStimuli reads the stimuli flag.
func (f *runFlags) readStimuli(t *conform.Target) error {
	switch f.stimuli {
	case "":
	case "plain":
		t.DefaultStimuli = true
	case "tck":
		t.Stimuli = operator.KitStimuli()
	case "acts":
		t.Stimuli = operator.PrefixStimuli()
	default:
		text, err := schema.ReadFile(f.stimuli, schema.MaxFile)
		if err != nil {
			return fmt.Errorf("--stimuli: %w; give plain, tck, acts or a YAML file", err)
		}
		own := map[string]conform.Stimulus{}
		if err := schema.Strict(f.stimuli, text, &own); err != nil {
			return err
		}
		if err := config.CheckStimuli(f.stimuli, text, own, nil); err != nil {
			return err
		}
		t.Stimuli = own
	}
	return nil
}

// printProxyHintIfUnreachable prints how to use the proxy that the environment names, if the server could not be
// reached without it.
func printProxyHintIfUnreachable(w io.Writer, t conform.Target, o *conform.Outcome) {
	if o == nil || o.Report.Verdict != report.Unreachable {
		return
	}
	if hint := describeUnusedProxy(t); hint != "" {
		fmt.Fprintln(w, "hint: "+hint)
	}
}

// describeUnusedProxy names the variable with the proxy that other programs would use for a target; ""
// if there is none, or if the run used it.
func describeUnusedProxy(t conform.Target) string {
	to, err := url.Parse(t.URL)
	if err != nil || t.Proxy != "" {
		return ""
	}
	if via, err := httpproxy.FromEnvironment().ProxyFunc()(to); via == nil && err == nil {
		return ""
	}
	name := strings.ToUpper(to.Scheme) + "_PROXY"
	if os.Getenv(name) == "" {
		name = strings.ToLower(name)
	}
	return "the variable " + name + " names a proxy, which is used only with --proxy env"
}
