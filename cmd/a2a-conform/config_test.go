package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The guide shows keys that exist, and values of the right kind.
func TestDocumentedKeys(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Fatal("the guide shows no configuration")
	}
	for _, b := range blocks {
		var c config
		if err := schema.Strict("configuration.md", flowVariable.ReplaceAll([]byte(b[1]), []byte(`$1"$2"`)), &c); err != nil {
			t.Error(err)
		}
		if c.Auth.Second.Bearer != "${A2A_TOKEN_2}" || c.Declares.RateLimit == nil || c.Declares.RateLimit.Requests != 5 {
			t.Errorf("read as %+v", c)
		}
	}
}

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
		if err := readConfig(file, &target); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if target.Bearer != "first-token" || target.Second.APIKey != "second-token" || target.KeyHeader != "X-Door" || strings.Contains(target.Low.Bearer, "token") {
			t.Errorf("%s: %+v", name, target)
		}
	}
}
