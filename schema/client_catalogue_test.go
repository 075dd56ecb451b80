package schema

import (
	"maps"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

const mistakeClient = `source: A made-up protocol 9.9
requirements:
  - id: ZZ99-CL-TASK-001
    level: MUST
    area: task
    section: "2"
    binding: jsonrpc
    observe: scenario
    needs: [drive, adapter.cancel]
    scenario: [cancel]
    statement: The client must
      send an id.
    look: The id is read.
    fair: It may send more.
    mutant: It sends none.
    check: x/y
  - id: ZZ99-CL-TASK-002
    level: MAY
    finding: true
    area: task
    section: "3"
    observe: passive
    after: [ZZ99-CL-TASK-001]
    statement: The client may wait.
    look: The times are compared.
    check: x/y
    mutants: [hasty]
  - {id: ZZ99-CL-TASK-003, level: MAY, area: task, section: "3", statement: The client may go., unobservable: It is a permission.}
`

// loadClientTexts loads the made-up dialect with the requirements on its clients.
func loadClientTexts(changed map[string]string) (*Dialect, error) {
	texts := mistakeFiles()
	texts["client/task.yaml"] = mistakeClient
	maps.Copy(texts, changed)
	made := fstest.MapFS{}
	for name, text := range texts {
		made[path.Join("zz-9.9", name)] = &fstest.MapFile{Data: []byte(text)}
	}
	d, _, err := loadDialect(made, "zz-9.9", ClientRole)
	return d, err
}

func TestClientRequirementsAreRead(t *testing.T) {
	d, err := loadClientTexts(nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Role != ClientRole || len(d.Requirements) != 3 || d.Requirement("ZZ99-ERR-001") != nil {
		t.Errorf("role %q with %d requirements, want those on clients alone", d.Role, len(d.Requirements))
	}
	r := d.Requirement("ZZ99-CL-TASK-001")
	if r.Statement != "The client must send an id." || r.Observe != ObserveScenario || r.Look == "" || r.Fair == "" || r.Mutant == "" || len(r.Scenario) != 1 || r.Risk != Harmless || r.Tolerant() {
		t.Errorf("got %+v", r)
	}
	if r.File != "schema/zz-9.9/client/task.yaml:3" {
		t.Errorf("it is at %s", r.File)
	}
	if r = d.Requirement("ZZ99-CL-TASK-002"); !r.Tolerant() || len(r.Mutants) > 0 || len(r.Finding) != 1 {
		t.Errorf("a finding is not marked as one: %+v", r)
	}
}

// A mistake in a catalogue of clients ends the load with the file and the line of it.
func TestClientCatalogueMistakes(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"an id of a server", "id: ZZ99-CL-TASK-002", "id: ZZ99-TASK-009", "client/task.yaml:17: ZZ99-TASK-009: the id of a requirement on clients has -CL- in it"},
		{"an id twice", "id: ZZ99-CL-TASK-002", "id: ZZ99-CL-TASK-001", "client/task.yaml:17: ZZ99-CL-TASK-001 is used twice; first at schema/zz-9.9/client/task.yaml:3"},
		{"an observation", "observe: scenario", "observe: scenery", "client/task.yaml:8: ZZ99-CL-TASK-001: unknown observation scenery; did you mean scenario?"},
		{"no observation", "    observe: passive\n", "", "client/task.yaml:17: ZZ99-CL-TASK-002: it names no observation; choose one of passive, scenario, report"},
		{"a need", "adapter.cancel", "adapter.cancl", "client/task.yaml:9: ZZ99-CL-TASK-001: unknown need adapter.cancl; did you mean adapter.cancel?"},
		{"a need of servers", "needs: [drive", "needs: [stimulus.slow", "client/task.yaml:9: ZZ99-CL-TASK-001: unknown need stimulus.slow"},
		{"a scenario", "scenario: [cancel]", "scenario: [cansel]", "client/task.yaml:10: ZZ99-CL-TASK-001: unknown scenario cansel; did you mean cancel?"},
		{"an area", "area: task\n    section: \"2\"", "area: tasc\n    section: \"2\"", "client/task.yaml:5: ZZ99-CL-TASK-001: unknown area tasc; did you mean task?"},
		{"an area of another file", "area: task\n    section: \"2\"", "area: push\n    section: \"2\"", "client/task.yaml:5: ZZ99-CL-TASK-001: a requirement of the area push belongs in push.yaml"},
		{"a binding", "binding: jsonrpc", "binding: json", "client/task.yaml:7: ZZ99-CL-TASK-001: unknown binding json; choose one of any, http, jsonrpc, rest, grpc"},
		{"a prerequisite", "after: [ZZ99-CL-TASK-001]", "after: [ZZ99-CL-TASK-007]", "client/task.yaml:23: ZZ99-CL-TASK-002: unknown requirement ZZ99-CL-TASK-007"},
		{"a member of servers", "    check: x/y\n  - id: ZZ99-CL-TASK-002", "    risk: heavy\n  - id: ZZ99-CL-TASK-002", "client/task.yaml:16: unknown key \"risk\" in requirements[0]"},
		{"nothing to oblige to", "adapter.cancel]\n", "adapter]\n    obliged: true\n", "client/task.yaml:10: ZZ99-CL-TASK-001: only what needs a command of an adapter can oblige clients to have it"},
		{"no look", "    look: The id is read.\n", "", "client/task.yaml:3: ZZ99-CL-TASK-001: look is needed: how it is tested, in a sentence"},
		{"no scenario", "    scenario: [cancel]\n", "", "client/task.yaml:8: ZZ99-CL-TASK-001: only what is passive needs no scenario"},
		{"no way", "    check: x/y\n  - id", "  - id", "client/task.yaml:3: ZZ99-CL-TASK-001: it needs either check or unobservable"},
		{"mutants without a check", "unobservable: It is a permission.", "unobservable: It is a permission., mutants: [hasty]", "client/task.yaml:28: ZZ99-CL-TASK-003: what no check judges has no mutants, follows or unproven"},
		{"a proof and a reason for none", "    mutants: [hasty]\n", "    mutants: [hasty]\n    unproven: It waits.\n", "client/task.yaml:28: ZZ99-CL-TASK-002: it names mutants; leave out unproven"},
		{"an own mutant that follows", "    mutants: [hasty]\n", "    mutants: [hasty]\n    follows: {hasty: It waits.}\n", "client/task.yaml:28: ZZ99-CL-TASK-002: hasty is one of its own mutants; leave it out of follows"},
		{"no reason to follow", "    mutants: [hasty]\n", "    mutants: [hasty]\n    follows: {slow: }\n", "client/task.yaml:28: ZZ99-CL-TASK-002: slow: a reason is needed"},
		{"look at the unobservable", "unobservable: It is", "look: It shows., unobservable: It is", "client/task.yaml:28: ZZ99-CL-TASK-003: what is unobservable has no observe, scenario and look"},
	} {
		if !strings.Contains(mistakeClient, c.old) {
			t.Errorf("%s: there is no %q to be changed", c.name, c.old)
			continue
		}
		_, err := loadClientTexts(map[string]string{"client/task.yaml": strings.Replace(mistakeClient, c.old, c.new, 1)})
		if err == nil || !strings.Contains(err.Error(), "schema/zz-9.9/"+c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	server := map[string]string{"requirements/task.yaml": strings.Replace(mistakeTask, "id: ZZ99-TASK-002", "id: ZZ99-CL-TASK-002", 1)}
	texts := mistakeFiles()
	maps.Copy(texts, server)
	if _, err := loadTexts(texts); err == nil || !strings.Contains(err.Error(), "requirements/task.yaml:4: ZZ99-CL-TASK-002: a requirement on clients belongs in the folder client") {
		t.Errorf("a requirement on clients among those on servers: %v", err)
	}
}

// The catalogues of servers and of clients are two: neither changes the other.
func TestCataloguesOfServersAndClientsAreSeparate(t *testing.T) {
	servers, clients := 0, 0
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := LoadClient(name)
		if err != nil {
			t.Fatal(err)
		}
		servers, clients = servers+len(s.Requirements), clients+len(c.Requirements)
		if s.Role != "" || c.Role != ClientRole || s.Digest == c.Digest || len(s.Operations) != len(c.Operations) {
			t.Errorf("%s: roles %q and %q, digests %s and %s", name, s.Role, c.Role, s.Digest, c.Digest)
		}
		for i := range s.Requirements {
			if IsClient(s.Requirements[i].ID) {
				t.Errorf("%s is among those on servers", s.Requirements[i].ID)
			}
		}
		for i := range c.Requirements {
			r := &c.Requirements[i]
			if strings.Contains(r.ID, "-OWN-") { // it is beyond those
				clients--
			}
			if c.FixText(r.ID) != "" {
				t.Errorf("%s has a fix of servers", r.ID)
			}
			if d, found, err := Find(r.ID); err != nil || found != r || d != c {
				t.Errorf("%s is not found: %v", r.ID, err)
			}
		}
		if c.Shapes() == nil {
			t.Errorf("%s: a dialect of clients has no shapes", name)
		}
	}
	if servers < 1843 || clients != clientRequirements {
		t.Errorf("%d requirements on servers and %d on clients, want at least 1843, and %d", servers, clients, clientRequirements)
	}
}

// clientRequirements is how many requirements on clients the catalogues have.
const clientRequirements = 620

// Each word of the vocabulary is explained to those who meet it.
func TestWordsOfClientRequirementsAreExplained(t *testing.T) {
	for _, o := range observations {
		if text := Observation(o).Explain(); !strings.HasPrefix(text, o+": ") {
			t.Errorf("%s is explained as %q", o, text)
		}
	}
	for need := range clientNeeds {
		if ExplainClientNeed(need) == "" {
			t.Errorf("the need %s has no explanation", need)
		}
	}
	if got := ExplainClientNeed("nothing"); got != "" {
		t.Errorf("an unknown need is explained as %q", got)
	}
}
