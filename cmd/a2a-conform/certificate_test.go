package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/forge"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reports/certificate"
	"github.com/a2a-conform/a2a-conform/schema"
)

// signing is a signer with keys, and the certificates of a run.
type signing struct {
	dir, key, pub string
	private       *certificate.PrivateKey
}

func newSigning(t *testing.T, kind string) *signing {
	t.Helper()
	dir := t.TempDir()
	if code, out, errs := command(t, "keygen", filepath.Join(dir, "acme"), "--kind", kind); code != 0 {
		t.Fatalf("keygen: exit %d\n%s%s", code, out, errs)
	}
	s := &signing{dir: dir, key: filepath.Join(dir, "acme.key"), pub: filepath.Join(dir, "acme.pub")}
	text, err := os.ReadFile(s.key)
	if err != nil {
		t.Fatal(err)
	}
	if s.private, err = certificate.ReadPrivate(text); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *signing) sign(payloadType string, payload []byte) []byte {
	text, err := certificate.Sign(payloadType, payload, s.private)
	if err != nil {
		panic(err)
	}
	return text
}

// certified runs and signs, and returns the file of the certificate.
func (s *signing) certified(t *testing.T, want int, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	code, out, errs := command(t, append([]string{"run", "--sign", s.key, "--out", dir}, args...)...)
	if code != want || !strings.Contains(out, "certificate: ") {
		t.Fatalf("run %q: exit %d\n%s%s", args, code, out, errs)
	}
	return filepath.Join(dir, certificate.File)
}

// writeSlowStimuli writes the stimuli of `--stimuli plain` with work that lasts so long that it has
// not ended when its task is asked for, on a busy machine too.
func writeSlowStimuli(t *testing.T) string {
	t.Helper()
	d, err := schema.Load("a2a-0.1")
	if err != nil {
		t.Fatal(err)
	}
	stimuli := maps.Clone(d.Stimuli)
	stimuli["slow"] = schema.Stimulus{Text: "slow 1", Seconds: 1}
	text, err := json.Marshal(stimuli)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "stimuli.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Everything that is not a genuine certificate is refused with exit code 1 and a sentence of
// its own.
func TestForgedCertificatesAreRefused(t *testing.T) {
	t.Parallel()
	signer, stranger := newSigning(t, certificate.Ed25519), newSigning(t, certificate.P256)
	genuine := signer.certified(t, 0, "--self", "--dialect", "core-schema")
	if code, out, errs := command(t, "verify", genuine, "--key", signer.pub, "--allow-bundled"); code != 0 || !strings.HasPrefix(out, "CONFORMANT, signature valid: ") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	file, err := os.ReadFile(genuine)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for i, f := range forge.Certificates(file, signer.sign, stranger.sign) {
		if !testamount.LeavesOut(i%3 == 0) {
			expectRefusal(t, signer, f, seen)
		}
	}
	if testamount.All() && len(seen) < 100 {
		t.Errorf("%d sentences", len(seen))
	}
}

// expectRefusal has a forgery verified as generously as can be asked for.
func expectRefusal(t *testing.T, signer *signing, f forge.Certificate, seen map[string]string) {
	t.Helper()
	forged := filepath.Join(t.TempDir(), "forged.zip")
	if err := os.WriteFile(forged, f.File, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "verify", forged, "--key", signer.pub, "--allow-bundled", "--any-verdict")
	want, begins := 1, regexp.MustCompile(`^refused: `)
	if f.Exit != 0 {
		want, begins = f.Exit, regexp.MustCompile(`^(NOT CONFORMANT|PARTIAL|CONFORMANT) as judged otherwise by version devel, signature valid: `)
	}
	switch {
	case code != want || errs != "" || !begins.MatchString(out):
		t.Errorf("%s: exit %d, want %d\n%s%s", f.Name, code, want, out, errs)
		return
	case !strings.Contains(strings.Join(strings.Fields(out), " "), f.Says):
		t.Errorf("%s: %q is not about %q", f.Name, out, f.Says)
	case seen[out] != "" && !f.Shared:
		t.Errorf("%s and %s: both are %q", f.Name, seen[out], out)
	case f.Exit != 0 && strings.Contains(out, "<"):
		t.Errorf("%s: the page is shown:\n%s", f.Name, out)
	}
	seen[out] = f.Name
	t.Logf("%s: %s", f.Name, strings.TrimSpace(out))
}

// What a certificate claims of the version that made it opens no way to exit code 0, nor does
// anything that two programs read in two ways.
func TestForgedClaimsAreNotBelieved(t *testing.T) {
	t.Parallel()
	signer := newSigning(t, certificate.P256)
	read := func(name string) []byte {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	genuine := read(signer.certified(t, 0, "--self", "--dialect", "core-schema"))
	warns := read(signer.certified(t, 0, startedBy(t, "--dialect", "core-schema", "--mutant", "part-hologram"), "--dialect", "core-schema", "--stimuli", "plain"))
	fails := read(signer.certified(t, 1, startedBy(t, "--dialect", "a2a-0.1", "--mutant", "cancel-missing"), "--stimuli", "plain"))
	seen := map[string]string{}
	all := slices.Concat(forge.Claims(genuine, signer.sign), forge.Flatteries(fails, signer.sign), forge.Concealed(warns, signer.sign), forge.Exaggerations(genuine, signer.sign), forge.Doubled(genuine, signer.sign))
	for i, f := range all {
		if !testamount.LeavesOut(i%3 == 0) {
			expectRefusal(t, signer, f, seen)
		}
	}
	if len(all) < 60 {
		t.Errorf("%d forgeries", len(all))
	}
}
