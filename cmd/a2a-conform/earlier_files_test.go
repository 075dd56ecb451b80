package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
)

// TestFilesOfAnEarlierVersion: a configuration, a waiver file, a report, a transcript and a
// certificate that an earlier version wrote, or read, still lead to the exit codes that they led to.
func TestFilesOfAnEarlierVersion(t *testing.T) {
	testamount.SkipInShort(t)
	earlier := filepath.Join(packageFolder, "..", "..", "testdata", "earlier")
	file := func(name string) string { return filepath.Join(earlier, name) }
	dir := here(t)
	t.Setenv("A2A_EARLIER_TOKEN", reference.Token)
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2x-0.3", Mutant: "completed-reaped"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	transcript := filepath.Join(dir, "transcript.har")
	unpack(t, file("transcript.har.gz"), transcript)
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"configuration", []string{"run", server.URL(), "--config", file("agent.yaml"), "--out", "configured", "--quiet"}, 1, "breaks 1 of 83 decided MUST requirements"},
		{"waivers", []string{"run", server.URL(), "--config", file("agent.yaml"), "--waivers", file("waivers.yaml"), "--out", "waived", "--quiet"}, 3, "1 MUST requirement is waived"},
		{"baseline", []string{"run", server.URL(), "--config", file("agent.yaml"), "--gate", "baseline=" + file("report.json"), "--out", "compared", "--quiet"}, 0, "the gate is met"},
		{"report", []string{"diff", file("report.json"), filepath.Join("compared", "report.json")}, 0, "no changes"},
		{"transcript", []string{"replay", transcript, "--out", "replayed", "--quiet"}, 1, "breaks 1 of 83 decided MUST requirements"},
		{"certificate", []string{"verify", file("certificate.zip"), "--key", file("signer.pub"), "--nonce", "6f1e2d3c-1111-4222-8333-944455566677"}, 3, "NOT CONFORMANT"},
	} {
		code, stdout, stderr := command(t, c.args...)
		if code != c.code || !strings.Contains(stdout, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.name, code, c.code, c.want, stdout, stderr)
		}
	}
}

// unpack writes the content of a gzip file to another file.
func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
