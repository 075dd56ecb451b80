package main

import (
	"os"
	"strings"
	"testing"
)

// A run that was given nothing to judge is a mistake wherever it is made: where
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
		{"run"}, {"run", ""}, {"run", "--quiet"}, {"run", "--quiet", ""}, {"run", "--json"}, {"run", "--dialect", "a2a-0.3"},
		{"run", "--card", "http://127.0.0.1:1/card.json"}, {"run", "--config", "empty.yaml"}, {"run", "--config", "null.yaml"}, {"run", "--config", "other.yaml"},
		{"run", "--config", "named.yaml", ""}, {"run", "--plan", "--dialect", "a2a-0.1", ""},
	} {
		for _, ci := range []string{"", "0", "false", "1", "true"} {
			t.Run(strings.Join(args, " ")+" CI="+ci, func(t *testing.T) {
				t.Setenv("CI", ci)
				code, out, errs := command(t, args...)
				if code != 2 || out != "" || errs != "a2a-conform: no target URL (is a variable empty?); --self tests the bundled server\n" {
					t.Errorf("exit %d\n%s%s", code, out, errs)
				}
				if _, err := os.Stat("a2a-report"); err == nil {
					t.Error("reports were written")
				}
			})
		}
	}
}

// A flag that a variable leaves empty is a mistake, and not a flag that was left out.
func TestEmptyFlags(t *testing.T) {
	here(t)
	for _, flag := range []string{"--rpc", "--card", "--waivers", "--rerun-failed", "--bearer-env", "--schema", "--stimuli", "--run", "--skip", "--area", "--level", "--allow", "--header"} {
		code, out, errs := command(t, "run", "http://127.0.0.1:1", flag, "")
		if code != 2 || out != "" || !strings.HasPrefix(errs, "a2a-conform: "+flag+" is empty (is a variable empty?)") {
			t.Errorf("%s: exit %d\n%s%s", flag, code, out, errs)
		}
	}
	if code, _, errs := command(t, "probe", "http://127.0.0.1:1", "--bearer-env", ""); code != 2 || !strings.Contains(errs, "--bearer-env is empty") {
		t.Errorf("probe: exit %d\n%s", code, errs)
	}
	if _, err := os.Stat("a2a-report"); err == nil {
		t.Error("reports were written")
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

// Whoever reads one line learns what was judged, and a path that was not used is
// told in each way to read a run.
func TestRunNamesItsTarget(t *testing.T) {
	here(t)
	url := served(t, "")
	const unused = "the path /wrongpath was not used: the card was read from "
	for _, c := range []struct {
		name string
		args []string
		want string // how the line with the verdict begins
		path bool   // the notice is printed
	}{
		{"bundled", []string{"--self", "--dialect", "a2a-0.1", "--quiet"}, "partial: bundled a2a-0.1 reference server: ", false},
		{"a URL", []string{url, "--quiet"}, "partial: " + url + ": ", false},
		{"a wrong path", []string{url + "/wrongpath", "--quiet"}, "partial: " + url + "/wrongpath: ", true},
		{"a wrong path, in full", []string{url + "/wrongpath"}, "PARTIAL ", true},
		{"the bundled server, in full", []string{"--self", "--dialect", "a2a-0.1"}, "PARTIAL ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := command(t, append([]string{"run", "--area", "card"}, c.args...)...)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			last := lines[len(lines)-1]
			if strings.HasPrefix(last, "reports: ") { // after the verdict and the next step
				last = lines[len(lines)-3]
			}
			if code != 3 || !strings.HasPrefix(last, c.want) || strings.Contains(out, unused) != c.path {
				t.Errorf("exit %d\n%s%s", code, out, errs)
			}
			if c.args[0] == "--self" && !strings.Contains(out, "bundled a2a-0.1 reference server") {
				t.Errorf("the bundled server is not named:\n%s", out)
			}
			again, replayed, errs := command(t, "replay", "a2a-report/transcript.har", "--quiet")
			if again != code || strings.Contains(replayed, unused) != c.path {
				t.Errorf("the replay: exit %d\n%s%s", again, replayed, errs)
			}
			if r := read(t, "a2a-report/report.json"); strings.Contains(strings.Join(r.Notices, "\n"), unused) != c.path {
				t.Errorf("report.json has the notices %q", r.Notices)
			}
		})
	}
}
