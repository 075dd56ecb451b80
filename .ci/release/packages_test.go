package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// madeUp returns a release whose programs are short texts that name their system.
func madeUp(t *testing.T) *release {
	t.Helper()
	dir := t.TempDir()
	r := &release{version: "1.2.0", commit: "0123456789abcdef", built: time.Date(2026, 5, 4, 3, 2, 2, 0, time.FixedZone("", 7200)),
		legal: []entry{{name: "LICENSE", mode: 0o644, data: []byte("the license")}, {name: "NOTICE", mode: 0o644, data: []byte("the notice")}}}
	for _, system := range systems {
		goos, arch, _ := strings.Cut(system, "/")
		b := build{goos: goos, arch: arch, archive: filepath.Join(dir, goos+"_"+arch+".tar.gz"), programs: map[string][]byte{}}
		for _, p := range programs {
			b.programs[p.name] = []byte(p.name + " for " + system)
		}
		if err := os.WriteFile(b.archive, []byte("archive for "+system), 0o644); err != nil {
			t.Fatal(err)
		}
		r.builds = append(r.builds, b)
	}
	return r
}

// makePackages returns the packages of a release by their names.
func makePackages(t *testing.T, r *release) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	paths, err := r.writePackages(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestPackagesOfARelease(t *testing.T) {
	files := makePackages(t, madeUp(t))
	want := []string{
		"a2a-conform-1.2.0.tgz", "a2a-conform-darwin-arm64-1.2.0.tgz", "a2a-conform-darwin-x64-1.2.0.tgz", "a2a-conform-linux-arm64-1.2.0.tgz",
		"a2a-conform-linux-x64-1.2.0.tgz", "a2a-conform-win32-arm64-1.2.0.tgz", "a2a-conform-win32-x64-1.2.0.tgz", "a2a-conform.rb",
		"a2a_conform-1.2.0-py3-none-macosx_12_0_arm64.whl", "a2a_conform-1.2.0-py3-none-macosx_12_0_x86_64.whl",
		"a2a_conform-1.2.0-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl",
		"a2a_conform-1.2.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl",
		"a2a_conform-1.2.0-py3-none-win_amd64.whl", "a2a_conform-1.2.0-py3-none-win_arm64.whl",
		"a2a-conform_1.2.0_linux_amd64.oci.tar", "a2a-conform_1.2.0_linux_arm64.oci.tar",
		"a2a-conform-fleet_1.2.0_linux_amd64.oci.tar", "a2a-conform-fleet_1.2.0_linux_arm64.oci.tar",
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("got the packages\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// The same release, read in another order, gives the same bytes.
	other := madeUp(t)
	slices.Reverse(other.builds)
	slices.Reverse(other.legal)
	for file, text := range makePackages(t, other) {
		if file != formulaFile && !bytes.Equal(text, files[file]) {
			t.Errorf("%s depends on the order of the archives", file)
		}
	}
}

// Every package of one system has its programs, as they are.
func TestProgramsInPackages(t *testing.T) {
	r := madeUp(t)
	dir := t.TempDir()
	paths, err := r.writePackages(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range paths {
		held, err := readPrograms(path)
		if err != nil {
			t.Fatal(err)
		}
		for program, text := range held {
			found++
			system, ok := strings.CutPrefix(string(text), program+" for ")
			if !ok || !slices.Contains(systems, system) {
				t.Errorf("%s: %s is %q", path, program, text)
			}
		}
	}
	if want := 6 + 6 + 2*2; found != want {
		t.Errorf("got %d programs, want %d", found, want)
	}
}

// tarHeaders returns the headers of a compressed archive by name.
func tarHeaders(t *testing.T, text []byte) map[string]*tar.Header {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !z.ModTime.IsZero() {
		t.Errorf("the header of gzip has the time %s", z.ModTime)
	}
	out := map[string]*tar.Header{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name] = h
	}
}

func TestNPMManifests(t *testing.T) {
	r := madeUp(t)
	files := makePackages(t, r)
	read := func(file string) (m npmManifest, all map[string][]byte) {
		path := filepath.Join(t.TempDir(), "package.tgz")
		if err := os.WriteFile(path, files[file], 0o644); err != nil {
			t.Fatal(err)
		}
		all, err := readArchiveFiles(path, func(name string) (string, bool) { return name, true })
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(all["package/package.json"], &m); err != nil {
			t.Fatal(err)
		}
		if m.License != "Apache-2.0" || m.Repository.URL == "" || m.Description == "" || m.Version != "1.2.0" {
			t.Errorf("%s has the manifest %+v", file, m)
		}
		for name, h := range tarHeaders(t, files[file]) {
			want := int64(0o644)
			if strings.HasPrefix(name, "package/bin/") {
				want = 0o755
			}
			if h.Mode != want || !h.ModTime.Equal(r.built) || h.Uid != 0 {
				t.Errorf("%s: %s has mode %o, time %s, user %d", file, name, h.Mode, h.ModTime, h.Uid)
			}
		}
		for _, name := range []string{"package/README.md", "package/LICENSE", "package/NOTICE"} {
			if len(all[name]) == 0 {
				t.Errorf("%s lacks %s", file, name)
			}
		}
		return m, all
	}
	main, all := read("a2a-conform-1.2.0.tgz")
	if bin := main.Bin["a2a-conform"]; len(all["package/"+bin]) == 0 || len(main.Bin) != 1 {
		t.Errorf("the main package has the programs %v", main.Bin)
	}
	if len(main.OptionalDependencies) != 6 {
		t.Errorf("the main package depends on %v", main.OptionalDependencies)
	}
	for dependency, version := range main.OptionalDependencies {
		platform := strings.TrimPrefix(dependency, "@a2a-conform/")
		m, all := read("a2a-conform-" + platform + "-1.2.0.tgz")
		if m.Name != dependency || version != m.Version {
			t.Errorf("the main package depends on %s %s, which is %s %s", dependency, version, m.Name, m.Version)
		}
		if got := strings.Join(append(m.OS, m.CPU...), "-"); got != platform {
			t.Errorf("%s is for %s", dependency, got)
		}
		program := "package/bin/a2a-conform"
		if m.OS[0] == "win32" {
			program += ".exe"
		}
		if !strings.Contains(string(all[program]), map[string]string{"win32": "windows", "linux": "linux", "darwin": "darwin"}[m.OS[0]]) {
			t.Errorf("%s has the program %q", dependency, all[program])
		}
		if len(m.Bin) > 0 || len(m.OptionalDependencies) > 0 {
			t.Errorf("%s has the manifest %+v", dependency, m)
		}
	}
	// No package has a script that npm would run.
	for file, text := range files {
		if strings.HasSuffix(file, ".tgz") && bytes.Contains(text, []byte(`"scripts"`)) {
			t.Errorf("%s has scripts", file)
		}
	}
}

func TestWheels(t *testing.T) {
	r := madeUp(t)
	files := makePackages(t, r)
	seen := 0
	for file, text := range files {
		if !strings.HasSuffix(file, ".whl") {
			continue
		}
		seen++
		z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		held := map[string][]byte{}
		for _, f := range z.File {
			rc, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if held[f.Name], err = io.ReadAll(rc); err != nil {
				t.Fatal(err)
			}
			want := os.FileMode(0o644)
			if strings.Contains(f.Name, ".data/scripts/") {
				want = 0o755
			}
			if f.Mode() != want || !f.Modified.Equal(r.built) {
				t.Errorf("%s: %s has mode %s, time %s", file, f.Name, f.Mode(), f.Modified)
			}
		}
		rows, err := csv.NewReader(bytes.NewReader(held["a2a_conform-1.2.0.dist-info/RECORD"])).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != len(held) {
			t.Errorf("%s: RECORD has %d files of %d", file, len(rows), len(held))
		}
		for _, row := range rows {
			sum := sha256.Sum256(held[row[0]])
			hash, size := "sha256="+base64.RawURLEncoding.EncodeToString(sum[:]), fmt.Sprint(len(held[row[0]]))
			if strings.HasSuffix(row[0], "/RECORD") {
				hash, size = "", ""
			}
			if row[1] != hash || row[2] != size {
				t.Errorf("%s: RECORD has %v, want %s and %s", file, row, hash, size)
			}
		}
		for line := range strings.Lines(string(held["a2a_conform-1.2.0.dist-info/WHEEL"])) {
			if tag, ok := strings.CutPrefix(strings.TrimSpace(line), "Tag: py3-none-"); ok && !strings.Contains(file, tag) {
				t.Errorf("%s has the tag %s", file, tag)
			}
		}
		metadata := string(held["a2a_conform-1.2.0.dist-info/METADATA"])
		for _, want := range []string{"\nName: a2a-conform\n", "\nVersion: 1.2.0\n", "\nLicense-Expression: Apache-2.0\n", "\nProject-URL: Repository, " + repository + "\n", "\n\n# a2a-conform\n"} {
			if !strings.Contains(metadata, want) {
				t.Errorf("%s: METADATA lacks %q", file, want)
			}
		}
	}
	if seen != 6 {
		t.Errorf("got %d wheels", seen)
	}
}

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.0": "1.2.0", "1.2.0+build.5": "1.2.0", "1.2.0-rc.1": "1.2.0rc1", "1.2.0-rc1": "1.2.0rc1", "1.2.0-alpha.2": "1.2.0a2", "1.2.0-beta.30": "1.2.0b30",
		"0.0.0-SNAPSHOT-0123456": "0.0.0.dev0+snapshot0123456", "1.2.0-other.1": "1.2.0.dev0+other1",
		"": "", "devel": "", "1.2": "", "v1.2.0": "", "1.2.0-": "",
	} {
		got, err := pythonVersion(version)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v, want %q", version, got, err, want)
		}
	}
}

func TestImageLayout(t *testing.T) {
	r := madeUp(t)
	files := makePackages(t, r)
	for _, c := range [][2]string{{"a2a-conform", "amd64"}, {"a2a-conform", "arm64"}, {"a2a-conform-fleet", "amd64"}, {"a2a-conform-fleet", "arm64"}} {
		program, arch := c[0], c[1]
		dir := t.TempDir()
		if err := unpackTar(files[program+"_1.2.0_linux_"+arch+".oci.tar"], dir); err != nil {
			t.Fatal(err)
		}
		img, err := readImage(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Image(img); err != nil {
			t.Error(err)
		}
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if config.Architecture != arch || config.OS != "linux" || !config.Created.Equal(r.built) || config.Config.User != "65532:65532" {
			t.Errorf("got the configuration %+v", config)
		}
		manifest, err := img.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if manifest.MediaType != "application/vnd.oci.image.manifest.v1+json" || manifest.Annotations["org.opencontainers.image.version"] != "1.2.0" {
			t.Errorf("got the manifest %+v", manifest)
		}
		layers, err := img.Layers()
		if err != nil {
			t.Fatal(err)
		}
		owners := map[string]int{}
		for _, l := range layers {
			content, err := l.Compressed()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(content)
			if err != nil {
				t.Fatal(err)
			}
			for name, h := range tarHeaders(t, text) {
				owners[name] = h.Uid
				if !h.ModTime.Equal(r.built) {
					t.Errorf("%s is of %s", name, h.ModTime)
				}
			}
		}
		for name, uid := range owners {
			if (uid == 65532) != (name == "reports/") {
				t.Errorf("%s belongs to %d", name, uid)
			}
		}
		if _, ok := owners["usr/local/bin/"+program]; !ok {
			t.Errorf("the image has only %v", owners)
		}
	}
}

// Go reads the certificates of the image, which are those of many authorities.
func TestAuthorities(t *testing.T) {
	text := trustedRootsPEM()
	if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(text) {
		t.Error("there are no certificates")
	}
	if n := bytes.Count(text, []byte("BEGIN CERTIFICATE")); n < 100 {
		t.Errorf("got %d certificates", n)
	}
}

func TestChecksums(t *testing.T) {
	dir := t.TempDir()
	list, added := filepath.Join(dir, checksumsFile), filepath.Join(dir, "b.whl")
	sum := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	if err := os.WriteFile(list, []byte(sum("c")+"  c.tar.gz\n"+sum("a")+"  a.deb\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second"} { // completed twice, it has each file once
		if err := os.WriteFile(added, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := addChecksums(list, []string{added}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		if want := sum("a") + "  a.deb\n" + sum(text) + "  b.whl\n" + sum("c") + "  c.tar.gz\n"; string(got) != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
	for _, bad := range []string{"no sum\n", "abc  short.deb\n"} {
		if err := os.WriteFile(list, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := addChecksums(list, []string{added}); err == nil {
			t.Errorf("%q is taken for a list of checksums", bad)
		}
	}
}

// A layout that would write outside of its folder is refused.
func TestUnpackStaysInside(t *testing.T) {
	var text bytes.Buffer
	if err := writeTar(&text, time.Unix(0, 0), []entry{{name: "../outside", mode: 0o644, data: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	if err := unpackTar(text.Bytes(), filepath.Join(t.TempDir(), "inside")); err == nil {
		t.Error("it is unpacked")
	}
}
