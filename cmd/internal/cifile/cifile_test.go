package cifile

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestRender reads the files of each system as YAML, and finds in them what the job says.
func TestRender(t *testing.T) {
	for _, c := range []struct {
		system        string
		job           Job
		has, hasNever []string
	}{
		{GitHub, Job{Config: "a2a-conform.yaml", Target: "http://localhost:9999", Local: true, Variables: []string{"A2A_TOKEN"}, Version: "v1.2.3"},
			[]string{"config: a2a-conform.yaml", "a2a-conform/a2a-conform@v1.2.3", "Takes the release", "http://localhost:9999", "A2A_TOKEN: ${{ secrets.A2A_TOKEN }}"}, nil},
		{GitHub, Job{Config: "it's mine.yaml", Target: "https://agent.example.com", Version: "v1.2.4-0.2026"}, []string{"config: 'it''s mine.yaml'", "a2a-conform/a2a-conform@main", "Builds the program"}, []string{"my-agent", "env:", "Takes the release"}},
		{GitLab, Job{Config: "a2a-conform.yaml", Target: "http://localhost:9999\nscript: [evil]", Local: true, Variables: []string{"A", "B"}}, []string{"--config a2a-conform.yaml", "masked: A, B", "cmd/a2a-conform@latest", "A2A_CONFORM_VERSION: \"\""}, []string{"\nscript: [evil]"}},
		{GitLab, Job{Config: "it's mine.yaml", Version: "v1.2.3"}, []string{"A2A_CONFORM_VERSION: \"v1.2.3\"", "A2A_CONFORM_CONFIG: 'it''s mine.yaml'", `--config "$A2A_CONFORM_CONFIG"`}, []string{"my-agent"}},
	} {
		text, err := Render(c.system, c.job)
		if err != nil {
			t.Fatal(err)
		}
		var parsed map[string]any
		if err := yaml.Unmarshal(text, &parsed); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
		if len(parsed) == 0 {
			t.Errorf("there is nothing in\n%s", text)
		}
		for _, want := range c.has {
			if !strings.Contains(string(text), want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		for _, bad := range c.hasNever {
			if strings.Contains(string(text), bad) {
				t.Errorf("%q is in\n%s", bad, text)
			}
		}
	}
	if _, err := Render("jenkins", Job{}); err == nil || !strings.Contains(err.Error(), "github, gitlab, none") {
		t.Errorf("an unknown system: got %v", err)
	}
}
