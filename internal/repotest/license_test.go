package repotest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// apache is the digest of the Apache License 2.0 as the Apache Software
// Foundation publishes it, and apacheBytes is how long that text is.
const (
	apache      = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
	apacheBytes = 11358
)

func contents(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The licence begins with the standard text, unchanged, followed by the work of
// others that is distributed with the program. The README and the notice name it.
func TestLicence(t *testing.T) {
	license := contents(t, "LICENSE")
	sum := sha256.Sum256([]byte(license[:min(apacheBytes, len(license))]))
	if got := hex.EncodeToString(sum[:]); got != apache {
		t.Errorf("LICENSE has the digest %s, which is not that of the Apache License 2.0", got)
	}
	if notice := contents(t, "NOTICE"); !strings.HasPrefix(notice, "a2a-conform\nCopyright ") || !strings.Contains(notice, "Apache License, Version 2.0") {
		t.Errorf("NOTICE does not say whose this is, and under which licence:\n%s", notice)
	}
	readme := contents(t, "README.md")
	for _, want := range []string{"Apache License 2.0", "(LICENSE)", "(NOTICE)"} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not name %s", want)
		}
	}
}

// Whoever is given the program is given its licence.
func TestLicenceIsDistributed(t *testing.T) {
	var release struct {
		Archives []struct{ Files []string }
	}
	if err := yaml.Unmarshal([]byte(contents(t, ".goreleaser.yaml")), &release); err != nil {
		t.Fatal(err)
	}
	if len(release.Archives) == 0 {
		t.Error(".goreleaser.yaml makes no archive")
	}
	_, image, ok := strings.Cut(contents(t, "Dockerfile"), "\nFROM gcr.io/distroless/")
	if !ok {
		t.Fatal("the Dockerfile has no last stage as this test knows it")
	}
	ignored := strings.Fields(contents(t, ".dockerignore"))
	for _, file := range []string{"LICENSE", "NOTICE"} {
		for i, a := range release.Archives {
			if !slices.Contains(a.Files, file) {
				t.Errorf("archive %d of .goreleaser.yaml lacks %s", i+1, file)
			}
		}
		if !regexp.MustCompile(`(?m)^COPY (\S+ )*` + file + ` (\S+ )*/usr/share/`).MatchString(image) {
			t.Errorf("the image lacks %s", file)
		}
		if slices.Contains(ignored, file) {
			t.Errorf(".dockerignore keeps %s out of the image", file)
		}
	}
}
