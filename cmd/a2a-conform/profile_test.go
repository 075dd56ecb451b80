package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/forge"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reports/certificate"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// conditions are those of a profile, by their names.
var conditions = map[string]string{
	"target":    "http://127.0.0.1:*",
	"dialects":  "[a2a-0.3]",
	"bindings":  "[JSONRPC, HTTP+JSON]",
	"keys":      "[{holder: Acme QA, file: acme.pub}]",
	"versions":  "[devel]",
	"allowed":   "[outbound]",
	"undecided": "0",
	"declares":  "{words: [cancel, credentials]}",
	"waivers":   "[]",
	"nonce":     "a-nonce-of-the-receiver",
	"age":       "30d",
}

// profileWithout reads the profile of all conditions but one.
func profileWithout(t *testing.T, s *signing, left string) *certificate.Profile {
	t.Helper()
	var text strings.Builder
	for name, value := range conditions {
		if name != left {
			text.WriteString(name + ": " + value + "\n")
		}
	}
	p, err := certificate.ReadProfile("profile.yaml", []byte(text.String()), func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(s.dir, name)) })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each condition of a profile refuses a certificate that fails it alone.
func TestProfileConditions(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	const nonce = "a-nonce-of-the-receiver"
	signer, other := newSigning(t, certificate.P256), newSigning(t, certificate.Ed25519)
	config := func(t *testing.T, more string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "a2a-conform.yaml")
		if err := os.WriteFile(name, []byte("declares: {cancel: true, credentials: true"+more+"}\nstimuli: {slow: {text: slow 1, seconds: 1}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	url := startedBy(t, "--dialect", "a2a-0.3")
	full := []string{"--stimuli", "plain", "--allow", "outbound", "--webhook-listen", "127.0.0.1:0", "--nonce", nonce, "--quiet"}
	run := func(t *testing.T, code int, url string, args ...string) []byte {
		t.Helper()
		dir := t.TempDir()
		args = append([]string{"run", url, "--sign", signer.key, "--out", dir}, args...)
		got, out, errs := command(t, args...)
		if got == 3 && code == 0 { // a machine that is too busy decides less, and this is about profiles
			t.Logf("once more: %s%s", out, errs)
			got, out, errs = command(t, args...)
		}
		if got != code {
			t.Fatalf("%q: exit %d\n%s%s", args, got, out, errs)
		}
		file, err := os.ReadFile(filepath.Join(dir, certificate.File))
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	with := func(args ...string) []string { return append(append([]string{}, full...), args...) }
	genuine := run(t, 0, url, with("--config", config(t, ""))...)
	text, err := os.ReadFile(other.pub)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := certificate.ReadPublic(text)
	if err != nil {
		t.Fatal(err)
	}
	ours := signer.private.PublicKey
	keys := []certificate.Holder{{Name: "Acme QA", Key: &ours}, {Name: "another", Key: stranger}}
	expect := func(t *testing.T, left string) certificate.Expect {
		t.Helper()
		return certificate.Expect{Keys: keys, Profile: profileWithout(t, signer, left), Tool: certificateTool(), Now: time.Now()}
	}
	if v := certificate.Verify(genuine, expect(t, ""), judgeAgain); v.Refused != nil || !v.Holds() {
		t.Fatal(v.Refused)
	}
	ten := startedBy(t, "--dialect", "a2a-1.0")
	b := forge.Open(genuine)
	for name, c := range map[string]struct {
		file func(t *testing.T) []byte
		says string
		now  time.Time
		rest bool // it leads no sweep: its run takes long, and others lead
	}{
		"target": {file: func(t *testing.T) []byte {
			return run(t, 0, strings.Replace(url, "127.0.0.1", "localhost", 1), with("--config", config(t, ""))...)
		}, says: "the run is about http://localhost", rest: true},
		"dialects": {file: func(t *testing.T) []byte { return run(t, 0, ten, with("--config", config(t, ""))...) }, says: "the run judged a2a-1.0", rest: true},
		"bindings": {file: func(t *testing.T) []byte {
			return run(t, 0, url, with("--config", config(t, ""), "--binding", "JSONRPC")...)
		}, says: "the run did not judge HTTP+JSON", rest: true},
		"keys": {file: func(t *testing.T) []byte {
			return run(t, 0, url, with("--config", config(t, ""), "--sign", other.key)...)
		}, says: "whose key the profile does not have", rest: true},
		"versions": {file: func(t *testing.T) []byte { return ofVersion(t, b, signer.sign, "v0.0.1") }, says: "it was made by version v0.0.1"},
		"allowed": {file: func(t *testing.T) []byte {
			return run(t, 0, url, "--config", config(t, ""), "--stimuli", "plain", "--webhook-listen", "127.0.0.1:0", "--nonce", nonce, "--quiet")
		}, says: "the risk class outbound", rest: true},
		"undecided": {file: func(t *testing.T) []byte {
			return run(t, 3, url, "--config", config(t, ""), "--allow", "outbound", "--nonce", nonce, "--quiet")
		}, says: "MUST requirements could not be decided"},
		"declares": {file: func(t *testing.T) []byte { return run(t, 0, url, with("--config", config(t, ", never: [crash]"))...) }, says: "declared never: crash", rest: true},
		"waivers":  {file: func(t *testing.T) []byte { return waived(t, signer, with("--config", config(t, ""))) }, says: "is waived", rest: true},
		"nonce": {file: func(t *testing.T) []byte {
			return run(t, 0, url, with("--config", config(t, ""), "--nonce", nonce+"s")...)
		}, says: "which is not derived from it", rest: true},
		"age": {file: func(t *testing.T) []byte { return genuine }, says: "at most 30 days is accepted", now: time.Now().AddDate(0, 0, 31)},
	} {
		if testamount.LeavesOut(!c.rest) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, again := c.file(t), judgedOnce()
			for _, left := range []string{"", name} {
				e := expect(t, left)
				if !c.now.IsZero() {
					e.Now = c.now
				}
				v := certificate.Verify(file, e, again)
				switch {
				case left == "" && (v.Refused == nil || !strings.Contains(v.Refused.Error(), "profile.yaml is not met: "+name+": ") || !strings.Contains(v.Refused.Error(), c.says)):
					t.Errorf("%s: %v", name, v.Refused)
				case left != "" && v.Refused != nil:
					t.Errorf("without %s: %v", name, v.Refused)
				}
			}
		})
	}
}

// judgedOnce judges the transcript of one certificate, whatever is then asked of it.
func judgedOnce() certificate.Judge {
	var once sync.Once
	var judged *report.Report
	var transcript *record.Transcript
	var err error
	return func(har io.Reader) (*report.Report, *record.Transcript, error) {
		once.Do(func() { judged, transcript, err = judgeAgain(har) })
		if _, unread := io.Copy(io.Discard, har); unread != nil { // it is summed up as it is read
			return nil, nil, unread
		}
		return judged, transcript, err
	}
}

// ofVersion is a certificate as another version of the program would have made it.
func ofVersion(t *testing.T, b forge.Bundle, sign forge.Sign, version string) []byte {
	t.Helper()
	replace := func(text []byte, from, to string) []byte {
		if !bytes.Contains(text, []byte(from)) {
			t.Fatalf("there is no %s", from)
		}
		return bytes.Replace(text, []byte(from), []byte(to), 1)
	}
	b = b.Replace(sign, "report.json", replace(b["report.json"], `"version": "devel"`, `"version": "`+version+`"`))
	b = b.Retell(sign, replace(b.Transcript(), `"tool": "devel"`, `"tool": "`+version+`"`))
	return b.Restate(sign, func(s map[string]any) {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		text = replace(text, `"version":"devel"`, `"version":"`+version+`"`)
		text = replace(text, certificateTool().Program, strings.Repeat("0", 64))
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
	}).Pack()
}

// waived is a certificate of a server with a defect that is waived.
func waived(t *testing.T, signer *signing, args []string) []byte {
	t.Helper()
	url, dir := startedBy(t, "--dialect", "a2a-0.3", "--mutant", "card-documentation-vague"), t.TempDir()
	run := append([]string{"run", url, "--out", dir}, args...)
	if code, out, errs := command(t, append(run, "--area", "card")...); code != 1 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	_, text, _ := command(t, "waivers", "--from", filepath.Join(dir, "report.json"), "--why", "it is known")
	waivers := filepath.Join(dir, "waivers.yaml")
	if err := os.WriteFile(waivers, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := command(t, append(run, "--waivers", waivers, "--sign", signer.key)...); code != 3 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	file, err := os.ReadFile(filepath.Join(dir, certificate.File))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A profile that the program brings along is named in place of a file; the signer's key is given besides.
func TestNamedProfilesAreTaken(t *testing.T) {
	t.Parallel()
	signer := newSigning(t, certificate.Ed25519)
	const nonce = "named-profiles-0123456789abcdef"
	with := signer.certified(t, 0, "--self", "--dialect", "core-schema", "--nonce", nonce)
	without := signer.certified(t, 0, "--self", "--dialect", "core-schema")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"basic", []string{without, "--profile", "basic"}, 0, "the 3 conditions of the profile basic"},
		{"strict without a nonce", []string{without, "--profile", "strict"}, 1, "refused: the profile the profile strict is not met: nonce"},
		{"strict, and the bundled server's declarations", []string{with, "--profile", "strict", "--nonce", nonce}, 1, "declares: the operator declared words"},
		{"procurement", []string{with, "--profile", "procurement", "--nonce", nonce}, 1, "dialects: the run judged core-schema"},
	} {
		code, out, errs := command(t, append([]string{"verify", "--key", signer.pub, "--allow-bundled"}, c.args...)...)
		want := strings.Replace(c.want, "the profile the profile", "the profile", 1)
		if code != c.code || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", c.name, code, c.code, want, out, errs)
		}
	}
	if code, _, errs := command(t, "verify", without, "--profile", "basic"); code != 2 || !strings.Contains(errs, "give --key") {
		t.Errorf("without a key: exit %d %s", code, errs)
	}
	if code, _, errs := command(t, "verify", without, "--key", signer.pub, "--profile", "strickt"); code != 2 || !strings.Contains(errs, "basic, procurement, strict") {
		t.Errorf("a slip: exit %d %s", code, errs)
	}
}

// A file of the name of such a profile is not taken for it in silence, and neither is the profile for the file.
func TestFileOfTheNameOfAProfile(t *testing.T) {
	here(t)
	if err := os.WriteFile("strict", []byte("age: 1h\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command(t, "verify", "x.zip", "--profile", "strict"); code != 2 || !strings.Contains(errs, "write ./strict for the file") {
		t.Errorf("exit %d %s", code, errs)
	}
	if _, err := readProfile("./strict"); err != nil {
		t.Error(err)
	}
}

// The schema of profiles and the decoder know the same keys, and what the program brings along fits it.
func TestProfileSchema(t *testing.T) {
	s := compiledSchema(t, "profile")
	var keys []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[certificate.Profile]()) {
		if key := f.Tag.Get("yaml"); key != "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	if known := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(keys, known) {
		t.Errorf("the decoder knows %v, the schema %v", keys, known)
	}
	for _, name := range certificate.ProfileNames() {
		if err := s.Validate(commandtest.AsJSON(t, certificate.ProfileText(name))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []struct {
		text string
		fits bool
	}{
		{"target: https://*.acme.example", true}, {"keys: [{holder: a, file: b}]", true}, {"keys: [{holder: a, key: b}]", true}, {"age: 1h30m", true}, {"nonce: required", true},
		{"{}", false}, {"target: acme.example", false}, {"keys: [{holder: a}]", false}, {"keys: [{holder: a, file: b, key: c}]", false}, {"age: old", false}, {"undecided: -1", false}, {"allowed: [all]", false}, {"waiver: []", false},
	} {
		if err := s.Validate(commandtest.AsJSON(t, c.text)); (err == nil) != c.fits {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}
