package main

import (
	"os"
	"strings"
	"testing"
)

// A run that was given nothing to judge is a slip wherever it is made: where
// somebody watches as where nobody does. It leaves no report that could be
// taken for one.
func TestRunWithoutTarget(t *testing.T) {
	here(t)
	for name, text := range map[string]string{"empty.yaml": "target: \"\"\n", "null.yaml": "target:\n", "other.yaml": "dialect: a2a-0.1\n", "named.yaml": "target: http://127.0.0.1:1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"run"}, {"run", ""}, {"run", "--quiet"}, {"run", "--quiet", ""}, {"run", "--json"}, {"run", "--dialect", "a2a-0.3"}, {"run", "--rpc", ""},
		{"run", "--card", "http://127.0.0.1:1/card.json"}, {"run", "--config", "empty.yaml"}, {"run", "--config", "null.yaml"}, {"run", "--config", "other.yaml"},
		{"run", "--config", "named.yaml", ""}, {"run", "--plan", "--dialect", "a2a-0.1", ""},
	} {
		for _, ci := range []string{"", "0", "false", "1", "true"} {
			t.Run(strings.Join(args, " ")+" CI="+ci, func(t *testing.T) {
				t.Setenv("CI", ci)
				code, out, errs := command(t, args...)
				if code != 2 || out != "" || errs != "a2a-conform: no target: did a variable expand to nothing? use --self\n" {
					t.Errorf("exit %d\n%s%s", code, out, errs)
				}
				if _, err := os.Stat("a2a-report"); err == nil {
					t.Error("reports were written")
				}
			})
		}
	}
}

// What needs no URL on the command line needs none: a target in the
// configuration, and a plan, which sends nothing.
func TestTargetElsewhere(t *testing.T) {
	here(t)
	if err := os.WriteFile("c.yaml", []byte("target: "+served(t, "")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := command(t, "run", "--config", "c.yaml", "--quiet", "--area", "card", "--gate", "no-failures"); code != 0 {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := command(t, "run", "--plan", "--dialect", "a2a-0.1"); code != 0 || !strings.Contains(out, "quick") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
