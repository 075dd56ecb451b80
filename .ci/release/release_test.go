package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/blakesmith/ar"
	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/a2a-conform/a2a-conform/reports/certificate"
)

var dist = flag.String("dist", "", "folder that goreleaser wrote its archives to")

const modulePath = "github.com/a2a-conform/a2a-conform"

func command(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", args, err, out, &errs)
	}
	return string(out)
}

// completed is the release in the folder of the flag: the packages are made and signed once, before
// the first test that needs them.
var completed = sync.OnceValues(func() (public []byte, err error) {
	if *dist == "" {
		return nil, errors.New("-dist names no folder: build a release first")
	}
	private, public, err := certificate.Generate(certificate.P256)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "release-key-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	key := filepath.Join(dir, "release.key")
	if err := os.WriteFile(key, private, 0o600); err != nil {
		return nil, err
	}
	return public, complete(*dist, key, "https://ci.example/runs/1")
})

// completeRelease returns the public key of the completed release.
func completeRelease(t *testing.T) []byte {
	t.Helper()
	public, err := completed()
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// findFile returns the only file of the release that a pattern matches.
func findFile(t *testing.T, pattern string) string {
	t.Helper()
	completeRelease(t)
	found, err := filepath.Glob(filepath.Join(*dist, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: got %q, %v", pattern, found, err)
	}
	file, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// systems are those that each release is built for.
var systems = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// kinds are the files of a release: for each pattern, how many there are and how many programs each
// has.
var kinds = []struct {
	pattern         string
	files, programs int
}{
	{"*.tar.gz", 4, 2}, {"*.zip", 2, 2}, {"*.deb", 4, 1}, {"*" + imageEnding, 4, 1}, {"*.whl", 6, 1},
	{"a2a-conform-linux-*.tgz", 2, 1}, {"a2a-conform-darwin-*.tgz", 2, 1}, {"a2a-conform-win32-*.tgz", 2, 1}, {"a2a-conform-[0-9]*.tgz", 1, 0}, {formulaFile, 1, 0},
}

// maxPackage is how many bytes a package may have. An archive, which has both programs, may have more.
const maxPackage = 25_000_000

// What a release has can be checked: archives and packages for each system, checksums, an SBOM that
// lists what each program tells of itself, and a signed provenance.
func TestRelease(t *testing.T) {
	public := completeRelease(t)
	sums, err := os.ReadFile(filepath.Join(*dist, checksumsFile))
	if err != nil {
		t.Fatal(err)
	}
	subjects := 0
	bySystem := map[string]map[string]int{}
	for _, kind := range kinds {
		files, err := filepath.Glob(filepath.Join(*dist, kind.pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != kind.files {
			t.Errorf("%s: got %d files, want %d: %v", kind.pattern, len(files), kind.files, files)
		}
		bySystem[kind.pattern] = map[string]int{}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%5.1f MB  %s", float64(len(text))/1e6, filepath.Base(file))
			if len(text) > maxPackage && kind.programs < 2 {
				t.Errorf("%s has %d bytes, want at most %d", file, len(text), maxPackage)
			}
			if sum := sha256.Sum256(text); !strings.Contains(string(sums), hex.EncodeToString(sum[:])+"  "+filepath.Base(file)+"\n") {
				t.Errorf("%s does not have %s", checksumsFile, file)
			}
			held, err := readPrograms(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(held) != kind.programs {
				t.Errorf("%s: got %d programs, want %d", file, len(held), kind.programs)
			}
			subjects += 1 + len(held)
			for i, program := range slices.Sorted(maps.Keys(held)) {
				p := programs[slices.IndexFunc(programs, func(p programFile) bool { return p.name == program })]
				listsItsModules(t, file, held[p.name], p.sbomEnding)
				info, err := readInfo(held[p.name])
				if err != nil {
					t.Fatal(err)
				}
				system := setting(info, "GOOS") + "/" + setting(info, "GOARCH")
				if i == 0 {
					bySystem[kind.pattern][system]++
				}
				if i == 0 && system == runtime.GOOS+"/"+runtime.GOARCH && len(held) > 1 {
					runs(t, held)
				}
			}
		}
	}
	archives := bySystem["*.tar.gz"]
	maps.Copy(archives, bySystem["*.zip"])
	npm := bySystem["a2a-conform-linux-*.tgz"]
	maps.Copy(npm, bySystem["a2a-conform-darwin-*.tgz"])
	maps.Copy(npm, bySystem["a2a-conform-win32-*.tgz"])
	for name, got := range map[string]map[string]int{"archives": archives, "packages for npm": npm, "wheels": bySystem["*.whl"]} {
		if has := slices.Sorted(maps.Keys(got)); !slices.Equal(has, systems) {
			t.Errorf("%s: got programs for %v, want %v", name, has, systems)
		}
	}
	provenanceHolds(t, public, subjects)
}

// The packages depend on the archives alone: made again, they have the same bytes.
func TestPackagesAreReproducible(t *testing.T) {
	completeRelease(t)
	archives, err := archivesIn(*dist)
	if err != nil {
		t.Fatal(err)
	}
	r, err := readRelease(archives)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.writePackages(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range again {
		got, err := hashFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := hashFile(filepath.Join(*dist, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s: made again, it has other bytes", filepath.Base(file))
		}
	}
	if len(again) < 10 {
		t.Errorf("got %d packages", len(again))
	}
	// Debian's are made by goreleaser: no time in them is that of the build.
	debs, err := filepath.Glob(filepath.Join(*dist, "*.deb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, deb := range debs {
		for name, when := range debianTimes(t, deb) {
			if !when.Equal(r.built) {
				t.Errorf("%s: %s is of %s, want %s", filepath.Base(deb), name, when, r.built)
			}
		}
	}
}

// debianTimes returns the time of each part and file of a Debian package.
func debianTimes(t *testing.T, deb string) map[string]time.Time {
	t.Helper()
	text, err := os.ReadFile(deb)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]time.Time{}
	for r := ar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		part := strings.TrimSuffix(h.Name, "/")
		times[part] = h.ModTime
		if !strings.HasSuffix(part, ".tar.gz") {
			continue
		}
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		for files := tar.NewReader(z); ; {
			f, err := files.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			times[part+" "+f.Name] = f.ModTime
		}
	}
	if len(times) < 8 {
		t.Errorf("%s has the parts %v", deb, times)
	}
	return times
}

// listsItsModules compares an SBOM with what `go version -m` lists of the program.
func listsItsModules(t *testing.T, archive string, binary []byte, sbomEnding string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(archive + sbomEnding)
	if err != nil {
		t.Fatal(err)
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	var has []string
	property := func(c *cdx.Component, name string) string {
		if c.Properties != nil {
			for _, p := range *c.Properties {
				if p.Name == name {
					return p.Value
				}
			}
		}
		return ""
	}
	for i := range *bom.Components {
		if c := &(*bom.Components)[i]; c.Name != "std" {
			has = append(has, strings.Join([]string{"dep", c.Name, c.Version, property(c, "go:sum")}, "\t"))
		}
	}
	main := bom.Metadata.Component
	has = append(has, "path\t"+property(main, "go:path"))
	for _, p := range *main.Properties {
		if name, is := strings.CutPrefix(p.Name, "go:build:"); is {
			has = append(has, "build\t"+name+"="+p.Value)
		}
	}
	var lists []string
	for _, line := range strings.Split(command(t, "", nil, "go", "version", "-m", file), "\n")[1:] {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "mod\t") {
			lists = append(lists, line)
		}
	}
	slices.Sort(has)
	slices.Sort(lists)
	if !slices.Equal(has, lists) {
		t.Errorf("%s: the SBOM has\n%s\nand go version -m lists\n%s", archive, strings.Join(has, "\n"), strings.Join(lists, "\n"))
	}
	if len(has) < 20 {
		t.Errorf("%s: the SBOM has %d lines", archive, len(has))
	}
}

// runs the programs of an archive: the first knows its version and commit, and passes on to the
// second, which has the same version.
func runs(t *testing.T, held map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		if err := os.WriteFile(filepath.Join(dir, p.name), held[p.name], 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, programs[0].name)
	head := strings.TrimSpace(command(t, "../..", nil, "git", "rev-parse", "HEAD"))
	if out := command(t, dir, nil, file, "version"); !strings.HasPrefix(out, "a2a-conform v") || !strings.Contains(out, "\ncommit "+head+"\n") {
		t.Errorf("version prints\n%s", out)
	}
	command(t, dir, nil, file, "run", "--self", "--dialect", "core-schema", "--quiet")
	if out := command(t, dir, nil, file, "fleet", "run", "--help"); !strings.Contains(out, "a2a-conform fleet run ") {
		t.Errorf("fleet run --help prints\n%s", out)
	}
}

func provenanceHolds(t *testing.T, public []byte, subjects int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(*dist, provenanceFile))
	if err != nil {
		t.Fatal(err)
	}
	key, err := certificate.ReadPublic(public)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := dsse.NewEnvelopeVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	var e dsse.Envelope
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	_, payload, err := verifier.VerifyAndDecode(t.Context(), &e)
	if err != nil {
		t.Fatal(err)
	}
	var s intoto.Statement
	if err := protojson.Unmarshal(payload, &s); err != nil {
		t.Fatal(err)
	}
	predicate, err := protojson.Marshal(s.Predicate)
	if err != nil {
		t.Fatal(err)
	}
	var p provenance.Provenance
	if err := protojson.Unmarshal(predicate, &p); err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	if len(s.Subject) != subjects {
		t.Errorf("got %d subjects, want %d", len(s.Subject), subjects)
	}
	for _, subject := range s.Subject {
		text, err := os.ReadFile(filepath.Join(*dist, subject.Name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); subject.Digest["sha256"] != hex.EncodeToString(sum[:]) {
			t.Errorf("the digest of %s is another", subject.Name)
		}
	}
	head := strings.TrimSpace(command(t, "../..", nil, "git", "rev-parse", "HEAD"))
	if got := p.BuildDefinition.ResolvedDependencies[0].Digest["gitCommit"]; got != head {
		t.Errorf("built from %s, not from %s", got, head)
	}
}

// A tagged version can be installed by its name, through a proxy of modules: from files
// here, as from the one of Go.
func TestInstall(t *testing.T) {
	const version = "v0.99.0"
	dir := t.TempDir()
	clone := filepath.Join(dir, "clone")
	command(t, dir, nil, "git", "clone", "-q", "--no-hardlinks", repositoryRoot(t), clone)
	command(t, clone, nil, "git", "tag", version)
	at := filepath.Join(dir, "proxy", filepath.FromSlash(modulePath), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := zip.CreateFromVCS(&packed, module.Version{Path: modulePath, Version: version}, clone, version, ""); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(clone, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Now().UTC().Format(time.RFC3339))
	for name, text := range map[string][]byte{version + ".zip": packed.Bytes(), version + ".mod": mod, version + ".info": []byte(info), "list": []byte(version + "\n")} {
		if err := os.WriteFile(filepath.Join(at, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "bin")
	cache := strings.TrimSpace(command(t, "", nil, "go", "env", "GOMODCACHE"))
	proxies := "file://" + filepath.Join(dir, "proxy") + ",file://" + filepath.Join(cache, "cache", "download") + "," + strings.TrimSpace(command(t, "", nil, "go", "env", "GOPROXY"))
	env := []string{"GOBIN=" + bin, "GOPROXY=" + proxies, "GONOSUMDB=" + modulePath, "GOFLAGS=-modcacherw", "GOMODCACHE=" + filepath.Join(dir, "mod")}
	for _, p := range programs {
		command(t, dir, env, "go", "install", modulePath+"/cmd/"+p.name+"@"+version)
	}
	installed := filepath.Join(bin, programs[0].name)
	if out := command(t, dir, nil, installed, "version"); !strings.HasPrefix(out, "a2a-conform "+version+"\n") {
		t.Errorf("version prints\n%s", out)
	}
	// It passes on to the other program, which is beside it and has the same version.
	if out := command(t, dir, nil, installed, "fleet", "--version"); out != "a2a-conform fleet version "+version+"\n" {
		t.Errorf("fleet --version prints\n%s", out)
	}
	// Its certificates name the release, and hold for the program that made them.
	command(t, dir, nil, installed, "keygen", "acme")
	command(t, dir, nil, installed, "run", "--self", "--dialect", "core-schema", "--quiet", "--sign", "acme.key")
	if out := command(t, dir, nil, installed, "verify", "a2a-report/certificate.zip", "--key", "acme.pub", "--allow-bundled"); !strings.Contains(out, "judged again by version "+version) && !strings.Contains(out, version) {
		t.Errorf("verify prints\n%s", out)
	}
}

func repositoryRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}
