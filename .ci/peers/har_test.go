package peers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHAR lets har-validator, the one that HAR viewers use, read the record of a run by
// three bindings.
func TestHAR(t *testing.T) {
	bin, out := t.TempDir(), t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	if said, err := exec.Command(filepath.Join(bin, "a2a-conform"), "run", "--self", "--dialect", "a2a-1.0", "--quiet", "--out", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	file := filepath.Join(out, "transcript.har")
	bindings := map[string]bool{}
	for _, p := range recorded(t, file).Plays {
		bindings[p.Subject.Binding] = true
	}
	delete(bindings, "") // the search for the card
	if len(bindings) != 3 {
		t.Errorf("the run was over %v", bindings)
	}
	if complaints, err := validated(file); err != nil {
		t.Errorf("%v: %s", err, complaints)
	}

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mistakes := [][2]string{
		{`"creator":`, `"creators":`},
		{`"startedDateTime":`, `"started":`},
		{`"httpVersion":`, `"version":`},
		{`"bodySize":`, `"size":`},
	}
	for _, mistake := range mistakes {
		if !bytes.Contains(text, []byte(mistake[0])) {
			t.Fatalf("the record has no %s", mistake[0])
		}
		text = bytes.Replace(text, []byte(mistake[0]), []byte(mistake[1]), 1)
	}
	wrong := filepath.Join(out, "wrong.har")
	if err := os.WriteFile(wrong, text, 0o600); err != nil {
		t.Fatal(err)
	}
	complaints, err := validated(wrong)
	for _, mistake := range mistakes {
		if missed := strings.Trim(mistake[0], `":`); err == nil || !strings.Contains(complaints, "should have required property '"+missed+"'") {
			t.Errorf("it is not seen that %s is missing: %v %s", missed, err, complaints)
		}
	}
}

// validated are the complaints of har-validator about a file.
func validated(file string) (string, error) {
	said, err := exec.Command("node", "js10/har.cjs", file).CombinedOutput()
	return string(said), err
}
