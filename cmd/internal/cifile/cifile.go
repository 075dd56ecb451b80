// Package cifile writes the file by which a CI system judges an agent on each change.
package cifile

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"strings"
	"text/template"
)

// The CI systems that a file can be written for.
const (
	GitHub = "github"
	GitLab = "gitlab"
	None   = "none"
)

// Systems are the words of --ci.
func Systems() []string { return []string{GitHub, GitLab, None} }

// Job is what a file holds.
type Job struct {
	Config    string   // the configuration file, relative to the root of the repository
	Target    string   // the URL of the agent, to be shown
	Local     bool     // the job itself has to start the agent
	Variables []string // the names of the variables that hold credentials
	Version   string   // of the program
}

//go:embed github.yml.tmpl gitlab.yml.tmpl
var forms embed.FS

var templates = template.Must(template.New("").Delims("[[", "]]").ParseFS(forms, "*.tmpl"))

// release is a version that was released, and that a job therefore can download.
var release = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)

// Path returns the usual path of the file of a CI system; "" if the system has none.
func Path(system string) string {
	switch system {
	case GitHub:
		return ".github/workflows/a2a-conform.yml"
	case GitLab:
		return ".gitlab-ci.yml"
	}
	return ""
}

// Render returns the file for a CI system.
func Render(system string, job Job) ([]byte, error) {
	if Path(system) == "" {
		return nil, fmt.Errorf("--ci %q is not one of %s", system, strings.Join(Systems(), ", "))
	}
	shown := job
	shown.Config = quoteYAML(job.Config)
	shown.Target = strings.Join(strings.Fields(job.Target), " ") // it is in a comment
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, system+".yml.tmpl", struct {
		Job
		Plain   bool
		Release string
	}{shown, plain.MatchString(job.Config), release.FindString(job.Version)})
	return b.Bytes(), err
}

// plain is a text that YAML and a shell take as it is.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// quoteYAML returns a text as a value of YAML.
func quoteYAML(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
