package main

import (
	"encoding/json"
	"fmt"
	"path"
)

// npmScope is the scope of the packages for single systems.
const npmScope = "@a2a-conform/"

// npmSystems and npmProcessors are Node's names for those of Go.
var (
	npmSystems    = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}
	npmProcessors = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

// npmManifest is a package.json.
type npmManifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	Keywords             []string          `json:"keywords,omitempty"`
	License              string            `json:"license"`
	Author               string            `json:"author"`
	Homepage             string            `json:"homepage"`
	Repository           npmRepository     `json:"repository"`
	Bugs                 string            `json:"bugs"`
	Bin                  map[string]string `json:"bin,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	// PreferUnplugged has yarn unpack the package, since the system starts no program in a zip.
	PreferUnplugged bool `json:"preferUnplugged,omitempty"`
}

type npmRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// addNPMPackages adds a package for each system with the program alone, and the one that users name,
// which depends on them. npm installs the one whose os and cpu fit, so that no script has to run
// and nothing has to be downloaded afterwards.
func (r *release) addNPMPackages(files map[string][]byte) error {
	main := r.newNPMManifest(name, summary)
	main.Keywords = []string{"a2a", "agent", "agent2agent", "conformance", "testing"}
	main.Bin = map[string]string{name: "bin/a2a-conform.js"}
	main.Engines = map[string]string{"node": ">=18"}
	main.OptionalDependencies = map[string]string{}
	for _, b := range r.builds {
		system, processor := npmSystems[b.goos], npmProcessors[b.arch]
		if system == "" || processor == "" {
			return fmt.Errorf("npm: no name is known for %s/%s", b.goos, b.arch)
		}
		platform := system + "-" + processor
		m := r.newNPMManifest(npmScope+platform, fmt.Sprintf("The program of the package a2a-conform for %s on %s", system, processor))
		m.OS, m.CPU, m.PreferUnplugged = []string{system}, []string{processor}, true
		main.OptionalDependencies[m.Name] = r.version
		program := entry{name: "bin/" + b.executableName(name), mode: 0o755, data: b.programs[name]}
		if err := r.packNPM(files, fmt.Sprintf("%s-%s-%s.tgz", name, platform, r.version), m, program); err != nil {
			return err
		}
	}
	launcher, err := templates.ReadFile("templates/launcher.js")
	if err != nil {
		return err
	}
	return r.packNPM(files, fmt.Sprintf("%s-%s.tgz", name, r.version), main, entry{name: "bin/a2a-conform.js", mode: 0o755, data: launcher})
}

func (r *release) newNPMManifest(name, description string) npmManifest {
	return npmManifest{
		Name: name, Version: r.version, Description: description, License: license, Author: authors,
		Homepage: repository, Bugs: repository + "/issues",
		Repository: npmRepository{Type: "git", URL: "git+" + repository + ".git"},
	}
}

// packNPM adds a package as npm pack would write it: everything is in the folder package.
func (r *release) packNPM(files map[string][]byte, file string, m npmManifest, further ...entry) error {
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	readme, err := renderTemplate("README.md", map[string]any{"Name": m.Name, "Description": m.Description, "Repository": repository,
		"Run": "npx a2a-conform", "Main": m.Name == name})
	if err != nil {
		return err
	}
	entries := append(further, entry{name: "package.json", mode: 0o644, data: append(manifest, '\n')}, entry{name: "README.md", mode: 0o644, data: readme})
	entries = append(entries, r.legal...)
	for i := range entries {
		entries[i].name = path.Join("package", entries[i].name)
	}
	files[file], err = packTarGz(r.built, entries)
	return err
}
