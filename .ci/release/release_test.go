package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
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

// What goreleaser built can be checked: an archive for each system, checksums, an SBOM that
// lists what the program in the archive tells of itself, and a signed provenance.
func TestRelease(t *testing.T) {
	if *dist == "" {
		t.Fatal("-dist names no folder: build a release first")
	}
	private, public, err := certificate.Generate(certificate.P256)
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "release.key")
	if err := os.WriteFile(key, private, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := complete(*dist, key, "https://ci.example/runs/1"); err != nil {
		t.Fatal(err)
	}
	archives, err := archivesIn(*dist)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(*dist, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	systems := map[string]bool{}
	for _, a := range archives {
		text, err := os.ReadFile(a)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); !strings.Contains(string(sums), hex.EncodeToString(sum[:])+"  "+filepath.Base(a)) {
			t.Errorf("checksums.txt does not have %s", a)
		}
		info, err := infoOf(a, programs[0].name)
		if err != nil {
			t.Fatal(err)
		}
		system := setting(info, "GOOS") + "/" + setting(info, "GOARCH")
		systems[system] = true
		for _, p := range programs {
			listsItsModules(t, a, p.name, p.sbomEnding)
		}
		if system == runtime.GOOS+"/"+runtime.GOARCH {
			runs(t, a)
		}
	}
	want := []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}
	for _, system := range want {
		if !systems[system] {
			t.Errorf("there is no archive for %s", system)
		}
	}
	if len(archives) != len(want) {
		t.Errorf("%d archives: %v", len(archives), archives)
	}
	provenanceHolds(t, public, archives)
}

// listsItsModules compares an SBOM with what `go version -m` lists of the program.
func listsItsModules(t *testing.T, archive, program, sbomEnding string) {
	t.Helper()
	binary, err := binaryIn(archive, program)
	if err != nil {
		t.Fatal(err)
	}
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
func runs(t *testing.T, archive string) {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		binary, err := binaryIn(archive, p.name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p.name), binary, 0o755); err != nil {
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

func provenanceHolds(t *testing.T, public []byte, archives []string) {
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
	if len(s.Subject) != (1+len(programs))*len(archives) {
		t.Errorf("%d subjects of %d archives", len(s.Subject), len(archives))
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
