package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/certificate"
)

// verify exits with 0 only for a genuine certificate of a conformant server that was judged
// in full and is the one asked for.
func TestVerifyExitCodes(t *testing.T) {
	t.Parallel()
	const nonce = "a-nonce-of-the-receiver"
	signer, other := newSigning(t, certificate.P256), newSigning(t, certificate.Ed25519)
	self := []string{"--self", "--dialect", "core-schema", "--nonce", nonce}
	full := signer.certified(t, 0, self...)
	part := signer.certified(t, 3, append(self, "--area", "card")...)
	broken := startedBy(t, "--dialect", "a2a-0.1", "--mutant", "cancel-missing")
	fails := signer.certified(t, 1, broken, "--stimuli", "plain")
	url := startedBy(t, "--dialect", "a2a-0.1")
	server := signer.certified(t, 0, url, "--stimuli", writeSlowStimuli(t), "--webhook-listen", "127.0.0.1:0")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"genuine", []string{full, "--allow-bundled"}, 0, "CONFORMANT, signature valid: "},
		{"of the bundled server", []string{full}, 1, "refused: it is about the server that is bundled with the program"},
		{"of a part", []string{part, "--allow-bundled"}, 3, "PARTIAL, signature valid: "},
		{"of a part, any verdict", []string{part, "--allow-bundled", "--any-verdict"}, 0, "PARTIAL, signature valid: "},
		{"of a broken server", []string{fails}, 3, "NOT CONFORMANT, signature valid: "},
		{"of a broken server, any verdict", []string{fails, "--any-verdict"}, 0, "NOT CONFORMANT, signature valid: "},
		{"of a server", []string{server, "--target", url + "/"}, 0, "the transcript names"},
		{"of no named server", []string{server}, 0, "not the target: give --target URL"},
		{"of another server", []string{server, "--target", "https://agent.acme.example"}, 1, "refused: it is about " + url + ", and not about https://agent.acme.example"},
		{"with the nonce", []string{full, "--allow-bundled", "--nonce", nonce}, 0, "the nonce: "},
		{"with another nonce", []string{full, "--allow-bundled", "--nonce", nonce + "s"}, 1, "refused: the run was not made with the nonce that you gave: exchange"},
		{"without a nonce", []string{server, "--nonce", nonce}, 1, "refused: the run was not made with the nonce that you gave: the run was made without a nonce"},
		{"young", []string{full, "--allow-bundled", "--max-age", "1h"}, 0, "than 1h0m0s"},
		{"old", []string{full, "--allow-bundled", "--max-age", "1ms"}, 1, "refused: its run is"},
		{"by another key", []string{full, "--allow-bundled", "--key", other.pub}, 0, "signed by acme.pub"}, // beside the first
	} {
		code, out, errs := command(t, append([]string{"verify", "--key", signer.pub}, c.args...)...)
		if code != c.code || !strings.Contains(strings.Join(strings.Fields(out), " "), c.want) || errs != "" {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", c.name, code, c.code, c.want, out, errs)
		}
	}
	if code, out, _ := command(t, "verify", full, "--key", other.pub, "--allow-bundled"); code != 1 || !strings.HasPrefix(out, "refused: it is signed by the key SHA256:") {
		t.Errorf("by another key: exit %d\n%s", code, out)
	}
}

// A mistake of the operator ends with exit code 2 and the remedy, before anything is sent.
func TestCertificateMistakes(t *testing.T) {
	t.Parallel()
	signer, dir := newSigning(t, certificate.P256), t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	run := filepath.Join(dir, "run")
	if code, out, errs := command(t, "run", "--self", "--dialect", "core-schema", "--out", run); code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	replay := filepath.Join(dir, "replay")
	if code, out, errs := command(t, "replay", filepath.Join(run, "transcript.har"), "--out", replay); code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	mixed := filepath.Join(dir, "mixed")
	if code, out, errs := command(t, "run", "--self", "--dialect", "core-schema", "--out", mixed); code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	if err := os.Rename(filepath.Join(run, "transcript.har"), filepath.Join(mixed, "transcript.har")); err != nil {
		t.Fatal(err)
	}
	nothing := filepath.Join(dir, "nothing")
	if code, _, _ := command(t, "run", "http://127.0.0.1:1", "--dialect", "core-schema", "--rpc", "http://127.0.0.1:1/", "--out", nothing, "--sign", signer.key); code != 4 {
		t.Errorf("exit %d", code)
	}
	if _, err := os.Stat(filepath.Join(nothing, certificate.File)); err == nil {
		t.Error("an unreachable server has a certificate")
	}
	if code, out, _ := command(t, "run", "--self", "--dialect", "core-schema", "--out", filepath.Dir(signer.certified(t, 0, "--self", "--dialect", "core-schema"))); code != 0 || !strings.Contains(out, "certificate.zip is of an earlier run, not of this one") {
		t.Errorf("an earlier certificate: exit %d\n%s", code, out)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"keygen"}, "keygen takes the name of the key"},
		{[]string{"keygen", filepath.Join(dir, "x"), "--kind", "rsa"}, "give ed25519 or p256"},
		{[]string{"keygen", strings.TrimSuffix(signer.key, ".key")}, "is already there"},
		{[]string{"run", "--self", "--sign", filepath.Join(dir, "none.key")}, "none.key"},
		{[]string{"run", "--self", "--sign", signer.pub}, "this is a public key; sign with the private one"},
		{[]string{"run", "--self", "--sign", signer.key, "--watch"}, "--watch judges a server while somebody works on it"},
		{[]string{"run", "--self", "--nonce", "short"}, "openssl rand -hex 16"},
		{[]string{"attest"}, "attest takes the folder"},
		{[]string{"attest", run}, `"key"`},
		{[]string{"attest", dir, "--key", signer.key}, "name the folder of a run's reports"},
		{[]string{"attest", replay, "--key", signer.key}, "attest the folder of the run itself"},
		{[]string{"attest", mixed, "--key", signer.key}, "the report and the transcript are of different runs"},
		{[]string{"attest", nothing, "--key", signer.key}, "the verdict is unreachable"},
		{[]string{"verify"}, "verify takes the file of a certificate"},
		{[]string{"verify", "none.zip", "--key", signer.pub}, "none.zip"},
		{[]string{"verify", run, "--key", signer.pub}, "is a folder; name the file in it"},
		{[]string{"verify", "none.zip"}, "whose signature do you accept?"},
		{[]string{"verify", "none.zip", "--key", signer.key}, "a private key stays with the signer"},
		{[]string{"verify", "none.zip", "--key", signer.pub, "--nonce", "short"}, "could be guessed"},
		{[]string{"verify", "none.zip", "--key", signer.pub, "--max-age", "old"}, `"old" is no age`},
		{[]string{"verify", "none.zip", "--profile", write("p.yaml", "target: https://acme.example\n")}, "whose signature do you accept?"},
		{[]string{"verify", "none.zip", "--profile", write("q.yaml", "undecided: 0\ntargets: x\n")}, "q.yaml:2: unknown key"},
	} {
		code, out, errs := command(t, c.args...)
		if code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, want 2 and %q\n%s%s", c.args, code, c.want, out, errs)
		}
	}
}
