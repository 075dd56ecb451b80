package main

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// imageEnding is that of an archive of an OCI image layout.
const imageEnding = ".oci.tar"

// imageUser is the id of a user without rights, the same as in the images of the Dockerfile.
const imageUser = 65532

// addImages adds an archive of an OCI image layout for each program and processor on Linux. The image
// has the program, the certificates of the usual authorities, and a folder for reports: no shell and
// no C library.
func (r *release) addImages(files map[string][]byte) error {
	for _, b := range r.builds {
		if b.goos != "linux" {
			continue
		}
		for _, p := range programs {
			file := fmt.Sprintf("%s_%s_%s_%s%s", p.name, r.version, b.goos, b.arch, imageEnding)
			img, err := r.makeImage(b, p.name)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if files[file], err = r.packOCILayout(img, v1.Platform{OS: b.goos, Architecture: b.arch}); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

// makeImage returns an image with a layer that changes rarely, and one with a program.
func (r *release) makeImage(b build, program string) (v1.Image, error) {
	base, err := r.makeLayer(append(r.imageBaseFiles(), r.legalFiles()...))
	if err != nil {
		return nil, err
	}
	top, err := r.makeLayer([]entry{{name: "usr/", mode: 0o755}, {name: "usr/local/", mode: 0o755}, {name: "usr/local/bin/", mode: 0o755},
		{name: "usr/local/bin/" + program, mode: 0o755, data: b.programs[program]}})
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: r.built.UTC()}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if img, err = mutate.Append(img,
		mutate.Addendum{Layer: base, History: v1.History{Created: created, CreatedBy: "a2a-conform release: certificates, a user and a folder for reports"}},
		mutate.Addendum{Layer: top, History: v1.History{Created: created, CreatedBy: "a2a-conform release: the program"}},
	); err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created, config.Author = b.goos, b.arch, created, authors
	labels := map[string]string{
		"org.opencontainers.image.title":       program,
		"org.opencontainers.image.description": summary,
		"org.opencontainers.image.source":      repository,
		"org.opencontainers.image.version":     r.version,
		"org.opencontainers.image.revision":    r.commit,
		"org.opencontainers.image.licenses":    license,
	}
	config.Config = v1.Config{
		User:       fmt.Sprintf("%d:%d", imageUser, imageUser),
		Env:        []string{"PATH=/usr/local/bin", "HOME=/reports"},
		WorkingDir: "/reports",
		Entrypoint: []string{"/usr/local/bin/" + program},
		Cmd:        []string{"--help"},
		Labels:     labels,
	}
	if img, err = mutate.ConfigFile(img, config); err != nil {
		return nil, err
	}
	annotated, ok := mutate.Annotations(img, labels).(v1.Image)
	if !ok {
		return nil, errors.New("the annotated image is no image")
	}
	return annotated, nil
}

// imageBaseFiles are those that a program needs around it.
func (r *release) imageBaseFiles() []entry {
	return []entry{
		{name: "etc/", mode: 0o755},
		{name: "etc/passwd", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:%d:%[1]d:nonroot:/reports:/sbin/nologin\n", imageUser)},
		{name: "etc/group", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", imageUser)},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: trustedRootsPEM()},
		{name: "reports/", mode: 0o755, user: imageUser},
		{name: "tmp/", mode: 0o1777},
	}
}

func (r *release) legalFiles() []entry {
	folder := "usr/share/doc/" + name + "/"
	out := []entry{{name: "usr/", mode: 0o755}, {name: "usr/share/", mode: 0o755}, {name: "usr/share/doc/", mode: 0o755}, {name: folder, mode: 0o755}}
	for _, l := range r.legal {
		l.name = folder + l.name
		out = append(out, l)
	}
	return out
}

// trustedRootsPEM lists the certificates that Mozilla trusts without a condition. A condition, such
// as a date after which an authority must not have signed, cannot be written into such a file.
func trustedRootsPEM() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return out.Bytes()
}

func (r *release) makeLayer(entries []entry) (v1.Layer, error) {
	var text bytes.Buffer
	if err := writeTar(&text, r.built, entries); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(9))
}

// packOCILayout returns an archive of an OCI image layout with one image.
func (r *release) packOCILayout(img v1.Image, platform v1.Platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "a2a-conform-layout-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	l, err := layout.Write(dir, empty.Index)
	if err != nil {
		return nil, err
	}
	annotations := map[string]string{"org.opencontainers.image.ref.name": r.version}
	if err := l.AppendImage(img, layout.WithPlatform(platform), layout.WithAnnotations(annotations)); err != nil {
		return nil, err
	}
	var entries []entry
	err = filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		relative, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		e := entry{name: filepath.ToSlash(relative), mode: 0o644}
		if d.IsDir() {
			e.name, e.mode = e.name+"/", 0o755
		} else if e.data, err = os.ReadFile(file); err != nil {
			return err
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = writeTar(&out, r.built, entries)
	return out.Bytes(), err
}
