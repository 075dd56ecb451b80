package client

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestMutantsAreSound(t *testing.T) {
	places := []place{atRequest, atResponse, atEvent, atInterface, atHandshake, atSignature, atCredentials, atRetry, atTask, atNotice}
	for _, dialect := range Dialects() {
		seen, at := map[string]bool{}, map[place]int{}
		for _, m := range listMutants(dialect) {
			if m.name == "" || m.summary == "" || (m.request == nil) == (m.habit == nil) || seen[m.name] || !slices.Contains(places, m.place) {
				t.Errorf("%s: mutant %s is incomplete, or named twice", dialect, m.name)
			}
			if (m.request != nil) != (m.place == atRequest) {
				t.Errorf("%s: mutant %s is %s, and does something else", dialect, m.name, m.place)
			}
			if _, err := findVariant(dialect, m.variant); err != nil {
				t.Errorf("%s: mutant %s: %v", dialect, m.name, err)
			}
			seen[m.name] = true
			at[m.place]++
		}
		if d, _ := findDialect(dialect); d.keeps != nil { // which has few requirements
			for name := range d.keeps {
				if _, err := findVariant(dialect, name); err != nil && !seen[name] {
					t.Errorf("%s: there is neither a variant nor a mutant %s", dialect, name)
				}
			}
			continue
		}
		for _, p := range places {
			if d, _ := findDialect(dialect); p == atNotice && d.methods[setWebhook] == "" {
				continue // nothing is notified
			}
			if at[p] == 0 {
				t.Errorf("%s: no mutant differs %s", dialect, p)
			}
		}
		if len(seen) < 100 {
			t.Errorf("%s: %d mutants", dialect, len(seen))
		}
	}
	if got := listMutants("a2a-0.2"); got != nil {
		t.Errorf("%d mutants of a dialect without a client", len(got))
	}
}

func TestVariantsAreNamedOnce(t *testing.T) {
	for _, dialect := range Dialects() {
		names := map[string]bool{}
		for _, v := range Variants(dialect) {
			if names[v.Name] || v.Summary == "" {
				t.Errorf("%s: variant %s", dialect, v.Name)
			}
			names[v.Name] = true
		}
		if !names[defaultVariant] {
			t.Errorf("%s has no variant %s", dialect, defaultVariant)
		}
	}
}

func TestValidateNamesTheChoices(t *testing.T) {
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{Dialect: "x"}, "a2a-0.1, a2a-0.3, a2a-1.0, a2x-0.3, core-schema, directory-0.1, jaf-0.3"},
		{Options{Variant: "x"}, "chatty"},
		{Options{Mutant: "x"}, "role-agent"},
		{Options{Dialect: "a2a-0.3", Mutant: "version-missing"}, "role-agent"},
		{Options{Dialect: "a2a-0.3", Variant: "lists"}, "terse"},
	} {
		if err := test.o.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v does not name %s", test.o, err, test.want)
		}
	}
}

// The client is a reading of its own: not even the bundled server is shared.
func TestImportsTheStandardLibraryAlone(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := strings.Fields(string(out)); len(got) != 1 {
		t.Errorf("imports %v", got)
	}
}

func TestReadRetryAfter(t *testing.T) {
	for value, want := range map[string]bool{"2": true, "0": true, "-1": false, "soon": false, "": false, "99999999999": false, "Mon, 02 Mar 2026 09:00:00 GMT": true} {
		if wait, ok := readRetryAfter(value); ok != want || wait < 0 {
			t.Errorf("%q: %v, %v", value, wait, ok)
		}
	}
}

func TestCleanTextObeysNoTerminal(t *testing.T) {
	if got := cleanText("größer\x1b[31m\r\n\tx\xff"); got != "größer\uFFFD[31m\uFFFD\n\tx\uFFFD" {
		t.Errorf("got %q", got)
	}
}
