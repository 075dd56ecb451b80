package main

import (
	"fmt"
	"path/filepath"
)

// formulaFile is the name that Homebrew expects of the formula for a2a-conform.
const formulaFile = name + ".rb"

// formulaSystems and formulaProcessors are Homebrew's names for those of Go.
var (
	formulaSystems    = map[string]string{"darwin": "macos", "linux": "linux"}
	formulaProcessors = map[string]string{"amd64": "intel", "arm64": "arm"}
)

// A formulaArchive is an archive that Homebrew downloads on one kind of machine.
type formulaArchive struct{ System, Processor, URL, SHA256 string }

// addFormula adds a formula that has Homebrew install the programs of the archives.
func (r *release) addFormula(files map[string][]byte) error {
	var archives []formulaArchive
	for _, b := range r.builds {
		system, processor := formulaSystems[b.goos], formulaProcessors[b.arch]
		if system == "" {
			continue // Homebrew does not run on it
		}
		if processor == "" {
			return fmt.Errorf("formula: no name is known for %s/%s", b.goos, b.arch)
		}
		sum, err := hashFile(b.archive)
		if err != nil {
			return err
		}
		archives = append(archives, formulaArchive{system, processor,
			fmt.Sprintf("%s/releases/download/v%s/%s", repository, r.version, filepath.Base(b.archive)), sum})
	}
	text, err := renderTemplate(formulaFile, map[string]any{"Summary": summary, "Repository": repository, "Version": r.version, "License": license, "Archives": archives})
	files[formulaFile] = text
	return err
}
