package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// signatureVerdicts are what a report says of the sentences about what was signed.
func signatureVerdicts(t *testing.T, folder string) (verdicts map[string]report.Verdict, remedies string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var judged struct{ Results []report.Result }
	if err := json.Unmarshal(text, &judged); err != nil {
		t.Fatal(err)
	}
	verdicts = map[string]report.Verdict{}
	for _, r := range judged.Results {
		verdicts[r.ID] = r.Verdict
		remedies += r.Remedy + "\n"
	}
	return verdicts, remedies
}

// A signed card is verified by the operator's key, by one that is fetched where the
// operator lets it, and in a replay by what the run knew or the operator knows by now.
// Without a key the flag is named that would get it decided.
func TestCardKey(t *testing.T) {
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", Variant: "signed"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	keys, pem := write("keys.json", string(reference.CardKeys())), write("key.pem", string(reference.CardKey()))
	const another = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n"
	unfit := write("other.json", `{"kty":"OKP","crv":"Ed25519","kid":"other","x":"Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE"}`)
	pick := []string{"--dialect", "a2a-1.0", "--run", "A2A10-SIGN-01*", "--run", "A2A10-CARD-001", "--quiet"}
	run := func(name string, args ...string) string {
		out := filepath.Join(folder, name)
		command(t, append(append([]string{"run", server.URL(), "--out", out}, pick...), args...)...)
		return out
	}
	for _, c := range []struct {
		name string
		args []string
		want report.Verdict
	}{
		{"none", nil, report.Inconclusive},
		{"set", []string{"--card-key", keys}, report.Pass},
		{"pem", []string{"--card-key", pem}, report.Pass},
		{"jku", []string{"--card-key", "jku"}, report.Pass},
		{"unfit", []string{"--card-key", unfit}, report.Inconclusive},
		{"wrong", []string{"--card-key", write("wrong.pem", another)}, report.Fail},
		{"config", []string{"--config", write("c.yaml", "cardKey: "+keys+"\n")}, report.Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := run(c.name, c.args...)
			verdicts, remedies := signatureVerdicts(t, out)
			if got := verdicts["A2A10-SIGN-010"]; got != c.want {
				t.Errorf("the verdict is %s, want %s", got, c.want)
			}
			if c.want == report.Inconclusive && !strings.Contains(remedies, "--card-key") {
				t.Errorf("no remedy names the flag: %s", remedies)
			}
			again := filepath.Join(folder, c.name+"-again")
			command(t, "replay", filepath.Join(out, "transcript.har"), "--out", again, "--quiet")
			if verdicts, _ := signatureVerdicts(t, again); verdicts["A2A10-SIGN-010"] != c.want {
				t.Errorf("the replay says %s, and the run said %s", verdicts["A2A10-SIGN-010"], c.want)
			}
		})
	}
	later := filepath.Join(folder, "later")
	command(t, "replay", filepath.Join(folder, "none", "transcript.har"), "--card-key", keys, "--out", later, "--quiet")
	if verdicts, _ := signatureVerdicts(t, later); verdicts["A2A10-SIGN-010"] != report.Pass {
		t.Errorf("a replay with the key says %s", verdicts["A2A10-SIGN-010"])
	}
}

func TestCardKeyMistakes(t *testing.T) {
	private := filepath.Join(t.TempDir(), "private.pem")
	const text = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n"
	if err := os.WriteFile(private, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{{private, "private key"}, {filepath.Join(t.TempDir(), "none"), "--card-key"}} {
		code, _, errs := command(t, "run", "http://127.0.0.1:1", "--card-key", c.file)
		if code != 2 || !strings.Contains(errs, c.want) || strings.Contains(errs, "MC4CAQ") {
			t.Errorf("exit code %d: %s", code, errs)
		}
	}
}
