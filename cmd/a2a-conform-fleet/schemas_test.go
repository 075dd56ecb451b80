package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/allowance"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/cmd/internal/fileschema"
)

// The examples in the guide fit the schemas, and the decoders take them.
func TestExamplesFitTheSchemas(t *testing.T) {
	t.Setenv("A2A_TOKEN", "long-enough-to-hide")
	t.Setenv("ACME_TOKEN", "long-enough-to-hide")
	seen := commandtest.CheckExamples(t, map[string]func(string) error{
		"agents":  func(path string) error { _, _, err := agentlist.ReadFile(path); return err },
		"secrets": func(path string) error { _, err := allowance.ReadSecrets(path); return err },
	}, "README.md", "docs/fleet.md")
	if seen["agents"] == 0 || seen["secrets"] == 0 {
		t.Errorf("only %v examples were found", seen)
	}
}

// What the decoder of a fleet's list refuses, an editor underlines, and the other way round.
func TestAgentsSchema(t *testing.T) {
	s := commandtest.CompileSchema(t, "agents", string(fileschema.All()["agents"]))
	for text, ok := range map[string]bool{
		"agents: [{target: http://a}]": true, "agents: [{target: http://a, stimuli: plain, allow: [heavy], name: b}]": true,
		"agents: [{target: http://a, auth: {bearer: 'secret:b', second: {basic: 'secret:c'}}}]":          true,
		"agents: [{target: http://a, stimuli: {slow: {text: b, seconds: 1}}, declares: {never: [ask]}}]": true,
		"agents: []": false, "agents: [{name: a}]": false, "agents: [{target: http://a, webhook: {listen: '127.0.0.1:0'}, to: b}]": false,
		"agents: [{target: http://a, auth: {bearer: abcdefghijkl}}]": false, "agents: [{target: http://a, stimuli: plane}]": false, "targets: []": false,
	} {
		if err := s.Validate(commandtest.AsJSON(t, text)); (err == nil) != ok {
			t.Errorf("the schema: %s: %v", text, err)
		}
		file := filepath.Join(t.TempDir(), "agents.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := agentlist.ReadFile(file); (err == nil) != ok {
			t.Errorf("the decoder: %s: %v", text, err)
		}
	}
}
