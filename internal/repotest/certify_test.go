package repotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
)

var (
	roleBlock    = regexp.MustCompile("(?s)```sh (vendor|receiver)\n(.*?)```")
	profileBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")
)

// The walk-through of a certificate is what vendor and receiver do: each command is run in a
// folder of its role, and the two share nothing but the certificate and the public key.
func TestCertifyWalkThrough(t *testing.T) {
	t.Parallel()
	text := contents(t, "docs/certify.md")
	binary := builtCommand(t)
	server := startBundled(t, reference.Options{Dialect: "a2a-1.0"}).URL()
	home := map[string]string{"vendor": t.TempDir(), "receiver": t.TempDir()}
	local := strings.NewReplacer("http://localhost:9999", server, "http://localhost:*", "http://127.0.0.1:*")
	write := func(role, name, text string) {
		if err := os.WriteFile(filepath.Join(home[role], name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("vendor", "a2a-conform.yaml", "target: "+server+`
stimuli:
  slow: {text: slow 0.4, seconds: 0.4}
  ask: {text: ask, answer: blue}
  fail: {text: fail}
  chunks: {text: artifact}
declares:
  cancel: true
  never: [crash, data, message, remember, recall, needauth, forbidden, long, timeout, artifacts, pay]
webhook: {listen: 127.0.0.1:0}
`)
	write("receiver", "profile.yaml", local.Replace(profileBlock.FindStringSubmatch(text)[1]))
	seen := map[string]int{}
	for _, block := range roleBlock.FindAllStringSubmatch(text, -1) {
		role := block[1]
		if role == "receiver" && seen[role] == 0 { // the vendor hands over
			for from, to := range map[string]string{"a2a-report/certificate.zip": "certificate.zip", "acme.pub": "acme.pub"} {
				write(role, to, contents(t, filepath.Join(home["vendor"], from)))
			}
		}
		for _, line := range strings.Split(strings.TrimSpace(block[2]), "\n") {
			args, ours := strings.CutPrefix(local.Replace(line), "a2a-conform ")
			if !ours {
				t.Fatalf("%q is no command of this program", line)
			}
			cmd := exec.Command(binary, strings.Fields(args)...)
			cmd.Dir, cmd.Env = home[role], append(os.Environ(), "CI=", "GITHUB_ACTIONS=")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %s: %v\n%s", role, line, err, out)
			}
			seen[role]++
		}
	}
	if seen["vendor"] != 3 || seen["receiver"] != 3 {
		t.Errorf("commands run: %v", seen)
	}
}
