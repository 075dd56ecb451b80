package certificate

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"golang.org/x/mod/semver"
)

// Of two versions it is known which came first; a build without one comes after every release
// so far.
func TestNewerVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		made, checks string
		want         bool
	}{
		{"v1.2.0", "v1.2.0", false},
		{"v1.2.0", "v1.3.0", false},
		{"v1.10.0", "v1.9.0", true},
		{"v1.3.0", "v1.3.0-rc.1", true},
		{"v1.3.0-rc.1", "v1.3.0", false},
		{"v1.3.1-0.20260101000000-abcdefabcdef", "v1.3.0", true},
		{"v1.3.0+acme", "v1.3.0", false},
		{"v0.9.5", "v0.9.0", true},
		{"v0.9.5", Unreleased, false},
		{NextRelease, Unreleased, true},
		{"v0.9.5", "main", false},
		{NextRelease, "main", true},
		{"v0.9.5", "v0.0.0-20260101000000-abcdefabcdef", false},
		{NextRelease, "v0.0.0-20260101000000-abcdefabcdef+dirty", true},
		{"v0.0.0-20270101000000-abcdefabcdef", "v0.0.0-20260101000000-abcdefabcdef", true},
		{"v0.0.0-20250101000000-abcdefabcdef", "v0.0.0-20260101000000-abcdefabcdef", false},
		{Unreleased, "v1.3.0", false},
	} {
		if got := isNewer(c.made, c.checks); got != c.want {
			t.Errorf("%s is newer than %s: %v", c.made, c.checks, got)
		}
	}
}

// The next release is raised when one is made.
func TestNextReleaseIsNotReleased(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if !isFullVersion(NextRelease) {
		t.Fatalf("%s is no version", NextRelease)
	}
	for _, heading := range regexp.MustCompile(`(?m)^## (v[0-9][^\s,]*)`).FindAllSubmatch(text, -1) {
		if v := string(heading[1]); semver.Compare(v, NextRelease) >= 0 {
			t.Errorf("CHANGELOG.md has the release %s: raise NextRelease, which is %s", v, NextRelease)
		}
	}
}

// A pattern of versions names some of them, or takes all, or is a mistake.
func TestVersionPatterns(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]struct{ mistake, names bool }{
		"v1.2.0": {false, true}, "v1.*": {false, true}, "v0.9.0-rc.?": {false, true}, Unreleased: {false, true},
		"*": {false, false}, "v*": {false, false}, "v1*": {false, false}, "?1.*": {false, false},
		"1.2.0": {true, false}, "1.*": {true, false}, "v1.2": {true, true}, "latest": {true, false}, "V1.2.0": {true, false},
	} {
		if got := checkVersionPattern(pattern) != nil; got != want.mistake {
			t.Errorf("%s is a mistake: %v", pattern, got)
		}
		if got := namesVersion(pattern); got != want.names {
			t.Errorf("%s names versions: %v", pattern, got)
		}
	}
}

// An envelope counts only if each of its signatures was checked.
func TestEachSignatureIsChecked(t *testing.T) {
	t.Parallel()
	newKey := func() (*PrivateKey, Holder) {
		private, public, err := Generate(Ed25519)
		if err != nil {
			t.Fatal(err)
		}
		key, err := ReadPrivate(private)
		if err != nil {
			t.Fatal(err)
		}
		pub, err := ReadPublic(public)
		if err != nil {
			t.Fatal(err)
		}
		return key, Holder{Key: pub}
	}
	one, first := newKey()
	two, second := newKey()
	envelope := func(key *PrivateKey) (e dsse.Envelope) {
		text, err := Sign(payloadType, []byte("{}"), key)
		if err == nil {
			err = json.Unmarshal(text, &e)
		}
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	both := envelope(one)
	both.Signatures = append(both.Signatures, envelope(two).Signatures...)
	if by, _, err := verifySignatures(&both, []Holder{second, first}); err != nil || by.Key.ID != one.ID {
		t.Errorf("%v, %v", by, err)
	}
	if _, _, err := verifySignatures(&both, []Holder{first}); err == nil || !strings.Contains(err.Error(), "which you do not accept") {
		t.Error(err)
	}
	wrong := envelope(one)
	wrong.Signatures = append(wrong.Signatures, dsse.Signature{KeyID: two.ID, Sig: wrong.Signatures[0].Sig})
	if _, _, err := verifySignatures(&wrong, []Holder{first, second}); err == nil || !strings.Contains(err.Error(), "is not by it") {
		t.Error(err)
	}
}

// A build whose version nobody can read signs nothing, since nobody could verify it.
func TestUnreadableVersionsDoNotSign(t *testing.T) {
	t.Parallel()
	genuine, err := os.ReadFile("testdata/a2a-0.1.zip")
	if err != nil {
		t.Fatal(err)
	}
	files, err := unzipCertificateFiles(genuine)
	if err != nil {
		t.Fatal(err)
	}
	har, err := openTranscriptExpander(files[TranscriptFile])
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(har); err != nil {
		t.Fatal(err)
	}
	_, err = Attest(Run{Report: files[ReportFile], Transcript: text.Bytes(), Page: files[PageFile]}, nil, Tool{Version: "main"}, nil, time.Now())
	if err == nil || !strings.Contains(err.Error(), `this build of the program cannot sign: it has the version "main"`) {
		t.Error(err)
	}
}
