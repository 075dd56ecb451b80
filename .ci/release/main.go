// Command release completes a release that goreleaser has built. From the programs in the archives
// it makes the packages that goreleaser does not make: for npm and pip, a formula for Homebrew, and
// container images. For each file with programs it writes a list of what each program was built
// of (SBOM), and for all files a signed statement of how they were built (provenance).
//
//	go run . --dist ../../dist --key release.key --builder https://github.com/…/actions/runs/1
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2a-conform/a2a-conform/reports/certificate"
)

const (
	repository     = "https://github.com/a2a-conform/a2a-conform"
	buildType      = repository + "/blob/main/docs/releasing.md"
	provenanceFile = "provenance.dsse.json"
)

// programs are those in each archive, and the endings of the files that list what each was built
// of. A package has one program, so that it is quick to download: those for npm and pip the first.
var programs = []programFile{{"a2a-conform", ".cdx.json"}, {"a2a-conform-fleet", ".fleet.cdx.json"}}

type programFile struct{ name, sbomEnding string }

func main() {
	dist := flag.String("dist", "dist", "folder of the archives")
	key := flag.String("key", "", "file with the private key to sign with")
	builder := flag.String("builder", "", "URL of what built them, such as the run of a pipeline")
	flag.Parse()
	if err := complete(*dist, *key, *builder); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// complete writes the packages, the checksums, the SBOM of each file with programs, and the
// provenance of all files of a folder.
func complete(dist, keyFile, builder string) error {
	if builder == "" {
		return errors.New("--builder: who built the archives? give the URL of the pipeline's run")
	}
	text, err := os.ReadFile(keyFile)
	if err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	key, err := certificate.ReadPrivate(text)
	if err != nil {
		return fmt.Errorf("--key %s: %w", keyFile, err)
	}
	archives, err := archivesIn(dist)
	if err != nil {
		return err
	}
	r, err := readRelease(archives)
	if err != nil {
		return err
	}
	packages, err := r.writePackages(dist)
	if err != nil {
		return err
	}
	debs, err := filepath.Glob(filepath.Join(dist, "*.deb"))
	if err != nil {
		return err
	}
	if err := addChecksums(filepath.Join(dist, checksumsFile), packages); err != nil {
		return err
	}
	var subjects []string
	for _, file := range slices.Concat(archives, debs, packages) {
		subjects = append(subjects, file)
		held, err := readPrograms(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, p := range programs {
			binary, ok := held[p.name]
			if !ok {
				continue
			}
			info, err := readInfo(binary)
			if err != nil {
				return fmt.Errorf("%s in %s: %w", p.name, file, err)
			}
			if err := r.checkCommitAndVersion(info); err != nil {
				return fmt.Errorf("%s in %s %w", p.name, file, err)
			}
			if err := writeSBOM(file+p.sbomEnding, p.name, info, r.built); err != nil {
				return err
			}
			subjects = append(subjects, file+p.sbomEnding)
		}
	}
	s, err := provenanceOf(subjects, "v"+r.version, r.commit, builder)
	if err != nil {
		return err
	}
	payload, err := protojson.Marshal(s)
	if err != nil {
		return err
	}
	signed, err := certificate.Sign("application/vnd.in-toto+json", payload, key)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dist, provenanceFile), signed, 0o644)
}

// archivesIn lists the archives of a folder.
func archivesIn(dist string) (out []string, err error) {
	for _, pattern := range []string{"*.tar.gz", "*.zip"} {
		found, err := filepath.Glob(filepath.Join(dist, pattern))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no archive in %s; build them with goreleaser first", dist)
	}
	slices.Sort(out)
	return out, nil
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// versionOf is the version that the build was stamped with, or else that of the module.
func versionOf(info *debug.BuildInfo) string {
	for _, flag := range strings.Fields(strings.Trim(setting(info, "-ldflags"), `"`)) {
		if v, ok := strings.CutPrefix(flag, "main.version="); ok {
			return v
		}
	}
	return info.Main.Version
}

// writeSBOM writes what a program was built of: all that go version -m lists.
func writeSBOM(file, program string, info *debug.BuildInfo, built time.Time) error {
	bom := cdx.NewBOM()
	main := component(&info.Main)
	main.Type, main.Name, main.Version = cdx.ComponentTypeApplication, program, versionOf(info)
	main.BOMRef = program
	settings := []cdx.Property{{Name: "go:path", Value: info.Path}, {Name: "go:version", Value: info.GoVersion}}
	for _, s := range info.Settings {
		settings = append(settings, cdx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	main.Properties = &settings
	main.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}
	bom.Metadata = &cdx.Metadata{Timestamp: built.UTC().Format(time.RFC3339), Component: &main}
	components := []cdx.Component{{BOMRef: "std", Type: cdx.ComponentTypeLibrary, Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"),
		PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	refs := []string{"std"}
	for _, d := range info.Deps {
		c := component(d)
		components, refs = append(components, c), append(refs, c.BOMRef)
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: program, Dependencies: &refs}}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom), out.Close())
}

// component is a module of a build. One that is replaced is the module in its place.
func component(m *debug.Module) cdx.Component {
	var properties []cdx.Property
	if r := m.Replace; r != nil {
		properties = append(properties, cdx.Property{Name: "go:replaces", Value: m.Path + "@" + m.Version})
		m = r
	}
	if m.Sum != "" { // of the whole module, by Go's own scheme, which is no hash of CycloneDX
		properties = append(properties, cdx.Property{Name: "go:sum", Value: m.Sum})
	}
	ref := "pkg:golang/" + m.Path + "@" + m.Version
	c := cdx.Component{BOMRef: ref, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: ref}
	if properties != nil {
		c.Properties = &properties
	}
	return c
}

// provenanceOf states how files were built.
func provenanceOf(files []string, version, commit, builder string) (*intoto.Statement, error) {
	var subjects []*intoto.ResourceDescriptor
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		subjects = append(subjects, &intoto.ResourceDescriptor{Name: filepath.Base(f), Digest: map[string]string{"sha256": hex.EncodeToString(sum[:])}})
	}
	parameters, err := structpb.NewStruct(map[string]any{"version": version, "configuration": ".goreleaser.yaml"})
	if err != nil {
		return nil, err
	}
	p := &provenance.Provenance{
		BuildDefinition: &provenance.BuildDefinition{BuildType: buildType, ExternalParameters: parameters,
			ResolvedDependencies: []*intoto.ResourceDescriptor{{Uri: "git+" + repository, Digest: map[string]string{"gitCommit": commit}}}},
		RunDetails: &provenance.RunDetails{Builder: &provenance.Builder{Id: builder}, Metadata: &provenance.BuildMetadata{FinishedOn: timestamppb.Now()}},
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	text, err := protojson.Marshal(p)
	if err != nil {
		return nil, err
	}
	predicate := &structpb.Struct{}
	if err := json.Unmarshal(text, predicate); err != nil {
		return nil, err
	}
	s := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: subjects, PredicateType: "https://slsa.dev/provenance/v1", Predicate: predicate}
	return s, s.Validate()
}
