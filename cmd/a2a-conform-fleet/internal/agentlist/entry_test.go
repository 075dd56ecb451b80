package agentlist

import (
	"strings"
	"testing"
)

func TestLists(t *testing.T) {
	good := `# agents of the night
agents:
  - target: https://agents.example.com/a
    name: first
    dialect: a2a-0.3,a2a-1.0
    auth: {bearer: "secret:acme"}
    stimuli:
      slow: {text: count, seconds: 2}
  - {target: http://127.0.0.1:9999, stimuli: plain, allow: [heavy]}
  - target: http://127.0.0.1:9998
    declares: {never: [ask]}
`
	targets, notes, err := parseList("agents.yaml", []byte(good))
	if err != nil || len(notes) != 0 || len(targets) != 4 {
		t.Fatal(targets, notes, err)
	}
	if targets[0].Dialect != "a2a-0.3" || targets[1].Dialect != "a2a-1.0" || targets[0].Name != "first" || targets[0].ID == targets[1].ID || targets[2].Dialect != "auto" {
		t.Errorf("%+v", targets)
	}
	for _, c := range []struct{ name, text, slip string }{
		{"no list", "targets: []\n", `agents.yaml:1: unknown key "targets"`},
		{"nobody", "agents: []\n", "agents.yaml:1: the list has no agents"},
		{"no YAML", "agents: [\n", "agents.yaml:1: this is not YAML"},
		{"no target", "agents:\n  - name: a\n", "agents.yaml:2: the entry has no target"},
		{"no URL", "agents:\n  - target: localhost\n", `agents.yaml:2: the target "localhost" is no http or https URL`},
		{"an unknown key", "agents:\n  - target: http://a\n  - name: b\n    target: http://b\n    dialekt: auto\n", `agents.yaml:5: unknown key "dialekt"`},
		{"an unknown dialect", "agents:\n  - target: http://a\n    dialect: a2a-0.4\n", "agents.yaml:3: dialect:"},
		{"a slip deep inside", "agents:\n  - target: http://a\n    allow: [heavy]\n    stimuli:\n      slow: {text: x, seconds: 4000}\n", "agents.yaml:5: stimuli.slow: a run cannot wait 4000 seconds"},
		{"a slip behind keys of its own", "agents:\n  - target: http://a\n    allow:\n      - heavy\n    name: >\n      a long\n      name\n    declares: {never: [everything]}\n", "agents.yaml:8: declares.never"},
		{"a slip behind a merge", "agents:\n  - &a {target: http://a}\n  - <<: *a\n    name: b\n    dialect: a2a-0.3\n    declares: {never: [everything]}\n", "agents.yaml:3: declares.never"},
		{"a number for a name", "agents:\n  - target: http://a\n    name: 5\n", "agents.yaml:3: name must be a string; put it in quotes"},
		{"an unknown risk", "agents:\n  - target: http://a\n    allow: [everything]\n", "agents.yaml:3: allow:"},
		{"a password", "agents:\n  - target: http://u:hunter2@a\n", "agents.yaml:2: target contains a user or password"},
		{"another scheme", "agents:\n  - target: ftp://a\n", "is no http or https URL"},
		{"a word", "agents:\n  - http://a\n", "agents.yaml:2:"},
		{"a credential", "agents:\n  - target: http://a\n    auth:\n      bearer: abcdefgh-ijklm\n", "agents.yaml:4: auth.bearer: a list of agents must not hold a credential itself; write secret:NAME"},
		{"twice, with other settings", "agents:\n  - target: http://a\n  - target: http://a\n    declares: {never: [ask]}\n", "agents.yaml:3: http://a is listed already in line 2, with other settings"},
		{"two slips", "agents:\n  - target: a\n  - target: b\n", `agents.yaml:3: the target "b" is no http or https URL`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := parseList("agents.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.slip) {
				t.Errorf("got %v, want %s", err, c.slip)
			}
		})
	}
	for _, c := range []struct{ name, text, note string }{
		{"twice", "agents:\n  - target: http://a\n  - target: http://a\n", "agents.yaml:3: http://a is listed already in line 2; it is judged once"},
		{"a file", "agents:\n  - target: http://a\n    auth: {bearer: \"file:/etc/passwd\"}\n", "agents.yaml:2: a worker takes credentials from its own secrets.yaml alone"},
		{"a variable", "agents:\n  - target: http://a\n    auth: {bearer: ${HOME}}\n", "so this target will be void"},
		{"a card in a file", "agents:\n  - target: http://a\n    card: ./card.json\n", "card names a file"},
		{"a webhook", "agents:\n  - target: http://a\n    webhook: {listen: \"127.0.0.1:0\"}\n", "only the flags of a worker"},
		{"the key of a card", "agents:\n  - target: http://a\n    cardKey: /etc/passwd\n", "cardKey names a file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			targets, notes, err := parseList("agents.yaml", []byte(c.text))
			if err != nil || len(targets) != 1 || len(notes) != 1 || !strings.Contains(notes[0], c.note) {
				t.Errorf("%v %q %v", targets, notes, err)
			}
		})
	}
}

func FuzzList(f *testing.F) {
	f.Add("agents:\n  - target: http://a\n    auth: {bearer: ${A}}\n    name: x\n")
	f.Add("agents:\n  - {target: http://a, stimuli: plain, dialect: \"a2a-0.3,a2a-1.0\", allow: [heavy]}\n")
	f.Add("agents:\n- &a\n  target: http://a\n- *a\n- <<: *a\n  name: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		targets, _, err := parseList("a.yaml", []byte(text))
		if err != nil && !strings.Contains(err.Error(), "a.yaml") {
			t.Errorf("no file in %v", err)
		}
		seen := map[string]bool{}
		for _, one := range targets {
			if seen[one.ID] {
				t.Errorf("%s is queued twice", one.URL)
			}
			seen[one.ID] = true
			again, _, _, err := ParseEntry(one.Text)
			if err != nil || again.ID != one.ID {
				t.Errorf("%s is another target once it was queued: %v", one.Text, err)
			}
		}
	})
}
