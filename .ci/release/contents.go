package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/blakesmith/ar"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// maxFile is how many bytes a file in an archive can have. The largest, the program for fleets, has
// about 40 MB.
const maxFile = 200 << 20

// readPrograms returns the programs in a file of a release, by their names. A file such as the
// formula has none.
func readPrograms(file string) (map[string][]byte, error) {
	return readArchiveFiles(file, func(name string) (string, bool) {
		base := strings.TrimSuffix(path.Base(name), ".exe")
		for _, p := range programs {
			if p.name == base {
				return base, true
			}
		}
		return "", false
	})
}

// readArchiveFiles returns those files in an archive or a package that choose names.
func readArchiveFiles(file string, choose func(name string) (string, bool)) (map[string][]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	keep := func(name string, r io.Reader) error {
		as, ok := choose(name)
		if !ok {
			return nil
		}
		if _, twice := found[as]; twice {
			return fmt.Errorf("%s is in it twice", as)
		}
		found[as], err = readBounded(r)
		return err
	}
	switch {
	case strings.HasSuffix(file, ".zip"), strings.HasSuffix(file, ".whl"):
		err = walkZip(text, keep)
	case strings.HasSuffix(file, ".tar.gz"), strings.HasSuffix(file, ".tgz"):
		err = walkTarGz(bytes.NewReader(text), keep)
	case strings.HasSuffix(file, ".deb"):
		err = walkDebian(text, keep)
	case strings.HasSuffix(file, imageEnding):
		err = walkImageFilesystem(text, keep)
	}
	return found, err
}

func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if len(data) > maxFile {
		err = fmt.Errorf("a file in it has more than %d bytes", maxFile)
	}
	return data, err
}

func walkZip(text []byte, visit func(string, io.Reader) error) error {
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(visit(f.Name, r), r.Close()); err != nil {
			return err
		}
	}
	return nil
}

func walkTarGz(r io.Reader, visit func(string, io.Reader) error) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	return walkTar(z, visit)
}

func walkTar(r io.Reader, visit func(string, io.Reader) error) error {
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := visit(h.Name, t); err != nil {
			return err
		}
	}
}

// walkDebian visits the files that a Debian package installs.
func walkDebian(text []byte, visit func(string, io.Reader) error) error {
	for r := ar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return errors.New("it has no data.tar.gz, which has the files that a Debian package installs")
		}
		if err != nil {
			return err
		}
		if strings.TrimSuffix(h.Name, "/") == "data.tar.gz" {
			return walkTarGz(r, visit)
		}
	}
}

// walkImageFilesystem visits the files in the root of the image in an archive of an OCI layout.
func walkImageFilesystem(text []byte, visit func(string, io.Reader) error) error {
	dir, err := os.MkdirTemp("", "a2a-conform-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := unpackTar(text, dir); err != nil {
		return err
	}
	img, err := readImage(dir)
	if err != nil {
		return err
	}
	root := mutate.Extract(img)
	return errors.Join(walkTar(root, visit), root.Close())
}

// unpackTar unpacks the regular files of an archive into a folder.
func unpackTar(text []byte, dir string) error {
	return walkTar(bytes.NewReader(text), func(name string, r io.Reader) error {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%q would be outside of the folder", name)
		}
		data, err := readBounded(r)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o644))
	})
}

// readImage returns the only image of an OCI layout.
func readImage(dir string) (v1.Image, error) {
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(manifest.Manifests) != 1 {
		return nil, fmt.Errorf("the layout has %d images, want one", len(manifest.Manifests))
	}
	return index.Image(manifest.Manifests[0].Digest)
}

func readInfo(binary []byte) (*debug.BuildInfo, error) {
	return buildinfo.Read(bytes.NewReader(binary))
}

// An entry is a file, or a folder if its name ends with a slash, in an archive that is written.
type entry struct {
	name string
	mode int64
	user int
	data []byte
}

// sortEntries orders entries by name, so that the order in which they are made does not matter.
func sortEntries(entries []entry) []entry {
	return slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return strings.Compare(a.name, b.name) })
}
