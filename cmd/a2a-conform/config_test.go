package main

import (
	"os"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
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
		if err := readConfig(file, &target); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if target.Bearer != "first-token" || target.Second.APIKey != "second-token" || target.KeyHeader != "X-Door" || strings.Contains(target.Low.Bearer, "token") {
			t.Errorf("%s: %+v", name, target)
		}
	}
}
