package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"text/template"
	"time"
)

const (
	name          = "a2a-conform"
	summary       = "Conformance tests for A2A servers, requirement by requirement of the protocol"
	license       = "Apache-2.0"
	authors       = "The a2a-conform authors"
	checksumsFile = "checksums.txt"
)

//go:embed templates
var templates embed.FS

// A release is what the archives of goreleaser have in common, and what is in each.
type release struct {
	version string // without the v
	commit  string
	built   time.Time // the time of the commit
	builds  []build   // one for each archive
	legal   []entry   // LICENSE and NOTICE
}

// A build is the programs for one system.
type build struct {
	archive    string
	goos, arch string
	programs   map[string][]byte
}

// executableName returns the file name of a program on the system of the build.
func (b build) executableName(program string) string {
	if b.goos == "windows" {
		return program + ".exe"
	}
	return program
}

// readRelease reads the archives, and refuses those that were not built together.
func readRelease(archives []string) (*release, error) {
	var r release
	for _, a := range archives {
		held, err := readPrograms(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a, err)
		}
		b := build{archive: a, programs: held}
		for _, p := range programs {
			binary, ok := held[p.name]
			if !ok {
				return nil, fmt.Errorf("%s: there is no program %s in it", a, p.name)
			}
			info, err := readInfo(binary)
			if err != nil {
				return nil, fmt.Errorf("%s in %s: %w", p.name, a, err)
			}
			if r.commit == "" {
				if r.built, err = time.Parse(time.RFC3339, setting(info, "vcs.time")); err != nil {
					return nil, fmt.Errorf("%s in %s does not tell the time of its commit; build it in a checkout: %w", p.name, a, err)
				}
				r.version, r.commit = strings.TrimPrefix(versionOf(info), "v"), setting(info, "vcs.revision")
			}
			if err := r.checkCommitAndVersion(info); err != nil {
				return nil, fmt.Errorf("%s in %s %w", p.name, a, err)
			}
			b.goos, b.arch = setting(info, "GOOS"), setting(info, "GOARCH")
		}
		r.builds = append(r.builds, b)
	}
	if len(r.builds) == 0 {
		return nil, errors.New("there are no archives")
	}
	slices.SortFunc(r.builds, func(a, b build) int { return cmp.Or(cmp.Compare(a.goos, b.goos), cmp.Compare(a.arch, b.arch)) })
	legal := []string{"LICENSE", "NOTICE"}
	texts, err := readArchiveFiles(r.builds[0].archive, func(name string) (string, bool) { return name, slices.Contains(legal, name) })
	if err != nil {
		return nil, err
	}
	for _, file := range legal {
		if len(texts[file]) == 0 {
			return nil, fmt.Errorf("%s lacks %s", r.builds[0].archive, file)
		}
		r.legal = append(r.legal, entry{name: file, mode: 0o644, data: texts[file]})
	}
	return &r, nil
}

// checkCommitAndVersion compares a program's commit and version with those of the release.
func (r *release) checkCommitAndVersion(info *debug.BuildInfo) error {
	if got := setting(info, "vcs.revision"); got != r.commit || got == "" {
		return fmt.Errorf("was built from commit %q, the others from %q", got, r.commit)
	}
	if got := strings.TrimPrefix(versionOf(info), "v"); got != r.version {
		return fmt.Errorf("has version %s, the others %s", got, r.version)
	}
	return nil
}

// writePackages writes all packages into a folder and returns their paths in order.
func (r *release) writePackages(dir string) ([]string, error) {
	files := map[string][]byte{}
	for _, add := range []func(map[string][]byte) error{r.addNPMPackages, r.addWheels, r.addFormula, r.addImages} {
		if err := add(files); err != nil {
			return nil, err
		}
	}
	var paths []string
	for file, text := range files {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths, nil
}

// renderTemplate fills in one of the templates.
func renderTemplate(file string, data any) ([]byte, error) {
	t, err := template.New(file).Option("missingkey=error").ParseFS(templates, "templates/"+file)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, data)
	return out.Bytes(), err
}

// writeTar writes an archive that depends on the entries and the time alone.
func writeTar(w io.Writer, when time.Time, entries []entry) error {
	t := tar.NewWriter(w)
	for _, e := range sortEntries(entries) {
		h := &tar.Header{Name: e.name, Typeflag: tar.TypeReg, Mode: e.mode, Uid: e.user, Gid: e.user, Size: int64(len(e.data)), ModTime: when.UTC(), Format: tar.FormatUSTAR}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	return t.Close()
}

// packTarGz returns a compressed archive. Its own header has no time.
func packTarGz(when time.Time, entries []entry) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	err = errors.Join(writeTar(z, when, entries), z.Close())
	return out.Bytes(), err
}

// addChecksums puts files into the list of checksums that goreleaser has begun. A file that is in
// it already gets the new sum.
func addChecksums(list string, files []string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, file, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || len(sum) != 2*sha256.Size {
			return fmt.Errorf("%s: %q is no line of a checksum", list, line)
		}
		sums[file] = sum
	}
	for _, file := range files {
		sum, err := hashFile(file)
		if err != nil {
			return err
		}
		sums[filepath.Base(file)] = sum
	}
	var lines []string
	for file, sum := range sums {
		lines = append(lines, sum+"  "+file+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2*sha256.Size:], b[2*sha256.Size:]) })
	return os.WriteFile(list, []byte(strings.Join(lines, "")), 0o644)
}

func hashFile(file string) (string, error) {
	text, err := os.ReadFile(file)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}
