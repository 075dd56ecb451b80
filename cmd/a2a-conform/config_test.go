package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
)

// Credentials are read from where the file says they are, quoted or not.
func TestConfiguredIdentities(t *testing.T) {
	dir := here(t)
	t.Setenv("ONE", "first-token")
	t.Setenv("TWO", "second-token")
	file := dir + "/a.yaml"
	for name, text := range map[string]string{
		"in blocks":        "auth:\n  bearer: ${ONE}\n  second:\n    apiKey: \"${TWO}\"\n  apiKeyHeader: X-Door\n",
		"in braces":        "auth: {bearer: ${ONE}, second: {apiKey: ${TWO}}, apiKeyHeader: X-Door}\n",
		"in quoted braces": "auth: {bearer: \"${ONE}\", second: {apiKey: '${TWO}'}, apiKeyHeader: X-Door}\n",
	} {
		if err := os.WriteFile(file, []byte("target: http://127.0.0.1:1\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		var target conform.Target
		if _, err := config.Read(file, &target); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if target.Bearer != "first-token" || target.OtherIdentity.APIKey != "second-token" || target.KeyHeader != "X-Door" || strings.Contains(target.RestrictedIdentity.Bearer, "token") {
			t.Errorf("%s: %+v", name, target)
		}
	}
}

// Whoever runs a configuration of another's is told before anything is sent where
// it has which of his secrets sent.
func TestConfigurationTellsWhatItSends(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"variables and files": {"target: http://127.0.0.1:1/a?token=abcdefghijk\nrpc: http://127.0.0.1:1/rpc\nauth:\n  bearer: ${ONE_TOKEN}\n  second: {apiKey: 'file:key.txt'}\n",
			"target http://127.0.0.1:1/a?…, http://127.0.0.1:1/rpc, credentials: the variable ONE_TOKEN, the file key.txt\n"},
		"none": {"target: http://127.0.0.1:1\n", "target http://127.0.0.1:1, no credentials\n"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "theirs.yaml")
			for path, text := range map[string]string{file: c.text, filepath.Join(dir, "key.txt"): "the-key-in-the-file"} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range []string{"run", "probe"} {
				run := newChild(t, command, "--config", file)
				run.Dir = dir
				run.Env = append(run.Env, "ONE_TOKEN=first-token")
				run.Run()
				said := run.Errors.String()
				if !strings.HasPrefix(said, file+": "+c.want) {
					t.Errorf("%s begins with %.300q, want %q", command, said, c.want)
				}
				for _, secret := range []string{"first-token", "the-key-in-the-file", "abcdefghijk"} {
					if strings.Contains(said, secret) {
						t.Errorf("%s says %q", command, said)
					}
				}
			}
		})
	}
}

// A payment keeps every digit, and one that is no JSON is a mistake with its line.
func TestConfiguredPayment(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"stimuli:\n  pay: {text: buy, payment: {nonce: 9007199254740993}}\n", ""},
		{"stimuli:\n  pay:\n    text: buy\n    payment: {amount: .nan}\n", "a.yaml:4: stimuli.pay.payment"},
		{"stimuli:\n  ask: {text: ask, payment: {a: 1}}\n", "a.yaml:2: stimuli.ask has a payment"},
	} {
		var target conform.Target
		err := config.Parse("a.yaml", []byte(c.text), &target, config.FromOutside)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q: %v", c.text, err)
		case c.want == "":
			kept, _ := target.Stimuli["pay"].Payment.Kept()
			if text, err := json.Marshal(kept); err != nil || string(text) != `{"nonce":9007199254740993}` {
				t.Errorf("%s, %v", text, err)
			}
		}
	}
}
