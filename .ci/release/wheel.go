package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// wheelPlatforms are the tags of the systems on which a program of Go runs. On Linux it needs no C
// library, so it runs with any. Go 1.26 needs macOS 12.
var wheelPlatforms = map[string][]string{
	"linux/amd64":   {"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"windows/amd64": {"win_amd64"},
	"windows/arm64": {"win_arm64"},
}

// addWheels adds a wheel for each system. It has the program as a script, which pip copies into
// the folder of programs: no Python code is run.
func (r *release) addWheels(files map[string][]byte) error {
	version, err := pythonVersion(r.version)
	if err != nil {
		return err
	}
	stem := "a2a_conform-" + version
	metadata, err := wheelMetadata(version)
	if err != nil {
		return err
	}
	for _, b := range r.builds {
		platforms := wheelPlatforms[b.goos+"/"+b.arch]
		if platforms == nil {
			return fmt.Errorf("wheel: no tag is known for %s/%s", b.goos, b.arch)
		}
		entries := []entry{
			{name: stem + ".data/scripts/" + b.executableName(name), mode: 0o755, data: b.programs[name]},
			{name: stem + ".dist-info/METADATA", mode: 0o644, data: metadata},
			{name: stem + ".dist-info/WHEEL", mode: 0o644, data: renderWheelFile(platforms)},
		}
		for _, l := range r.legal {
			l.name = stem + ".dist-info/licenses/" + l.name
			entries = append(entries, l)
		}
		entries = append(entries, wheelRecord(stem+".dist-info/RECORD", entries))
		if files[stem+"-py3-none-"+strings.Join(platforms, ".")+".whl"], err = packZip(r.built, entries); err != nil {
			return err
		}
	}
	return nil
}

var (
	versionNumbers   = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+`)
	pythonPrerelease = regexp.MustCompile(`^-(alpha|beta|rc)\.?([0-9]+)$`)
	noLetterOrDigit  = regexp.MustCompile(`[^0-9A-Za-z]`)
)

// pythonVersion returns a version in the form that Python demands (PEP 440). A snapshot becomes a
// development version, which PyPI does not accept.
func pythonVersion(version string) (string, error) {
	numbers := versionNumbers.FindString(version)
	if !semver.IsValid("v"+version) || numbers == "" {
		return "", fmt.Errorf("%q is no semantic version", version)
	}
	prerelease := semver.Prerelease("v" + version)
	if prerelease == "" {
		return numbers, nil
	}
	if m := pythonPrerelease.FindStringSubmatch(prerelease); m != nil {
		return numbers + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[1]] + m[2], nil
	}
	// Python drops leading zeros of a part that has digits alone, so the label is one part.
	return numbers + ".dev0+" + strings.ToLower(noLetterOrDigit.ReplaceAllString(prerelease, "")), nil
}

func wheelMetadata(version string) ([]byte, error) {
	readme, err := renderTemplate("README.md", map[string]any{"Name": name, "Description": summary, "Repository": repository, "Run": name, "Main": true})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, field := range [][2]string{
		{"Metadata-Version", "2.4"},
		{"Name", name},
		{"Version", version},
		{"Summary", summary},
		{"Keywords", "a2a,agent,agent2agent,conformance,testing"},
		{"Author", authors},
		{"License-Expression", license},
		{"License-File", "LICENSE"},
		{"License-File", "NOTICE"},
		{"Project-URL", "Repository, " + repository},
		{"Project-URL", "Documentation, " + repository + "/tree/main/docs"},
		{"Project-URL", "Changelog, " + repository + "/blob/main/CHANGELOG.md"},
		{"Classifier", "Environment :: Console"},
		{"Classifier", "Topic :: Software Development :: Testing"},
		{"Requires-Python", ">=3.7"},
		{"Description-Content-Type", "text/markdown"},
	} {
		fmt.Fprintf(&out, "%s: %s\n", field[0], field[1])
	}
	fmt.Fprintf(&out, "\n%s", readme)
	return out.Bytes(), nil
}

func renderWheelFile(platforms []string) []byte {
	var out bytes.Buffer
	out.WriteString("Wheel-Version: 1.0\nGenerator: a2a-conform-release 1\nRoot-Is-Purelib: false\n")
	for _, p := range platforms {
		fmt.Fprintf(&out, "Tag: py3-none-%s\n", p)
	}
	return out.Bytes()
}

// wheelRecord lists the files of a wheel with their digests and sizes, as pip checks them.
func wheelRecord(name string, entries []entry) entry {
	var out bytes.Buffer
	for _, e := range sortEntries(entries) {
		sum := sha256.Sum256(e.data)
		fmt.Fprintf(&out, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.data))
	}
	fmt.Fprintf(&out, "%s,,\n", name)
	return entry{name: name, mode: 0o644, data: out.Bytes()}
}

// packZip returns a zip that depends on the entries and the time alone.
func packZip(when time.Time, entries []entry) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, e := range sortEntries(entries) {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: when.UTC()}
		h.SetMode(fs.FileMode(e.mode))
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
