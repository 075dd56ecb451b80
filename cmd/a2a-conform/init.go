package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cifile"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/script"
)

// usualConfig is the configuration file that is read without being named.
const usualConfig = "a2a-conform.yaml"

// initFlags are those of init alone.
type initFlags struct {
	runFlags
	with      conform.Probing
	unseen    bool
	write, ci string
	force     bool
}

func initCommand() *cobra.Command {
	var f initFlags
	f.typed.Gate, f.typed.Concurrency = "conformant", harness.DefaultConcurrency
	cmd := &cobra.Command{
		Use:   "init URL",
		Short: "Probe an agent, and write a configuration file and a CI file for it",
		Long: `init asks the agent once for each behaviour, as probe does, and writes what it found to a2a-conform.yaml, which run reads by itself
in that folder. It also writes a file for your CI. It overwrites nothing without --force, and prints the next command.`,
		Args: func(_ *cobra.Command, args []string) error { return refuseSecondServerArg("init", args) },
		RunE: func(cmd *cobra.Command, args []string) error { return f.writeFiles(cmd, args) },
	}
	f.addTargetFlags(cmd)
	f.addStimuliFlag(cmd)
	addProbingFlags(cmd, &f.with, &f.unseen)
	fl := cmd.Flags()
	fl.StringVar(&f.write, "write", usualConfig, "the configuration file to write")
	fl.StringVar(&f.ci, "ci", cifile.GitHub, "the CI system to write a file for: "+strings.Join(cifile.Systems(), ", "))
	fl.BoolVar(&f.force, "force", false, "overwrite files that are there")
	return cmd
}

// writeFiles probes and writes. Nothing is sent if a file could not be written.
func (f *initFlags) writeFiles(cmd *cobra.Command, args []string) error {
	if !slices.Contains(cifile.Systems(), f.ci) {
		return fmt.Errorf("--ci %q is not one of %s", f.ci, strings.Join(cifile.Systems(), ", "))
	}
	ciPath, include := cifile.Path(f.ci), ""
	if f.ci == cifile.GitLab && fileExists(ciPath) && !f.force { // a project has one of these
		ciPath, include = "a2a-conform.gitlab-ci.yml", ciPath
	}
	for _, path := range []string{f.write, ciPath} {
		if path == "" {
			continue
		}
		if err := checkVacant(path, f.force); err != nil {
			return err
		}
	}
	target, probed, err := f.probeTarget(cmd, args, f.with)
	if err != nil {
		return err
	}
	var config bytes.Buffer
	if err := f.writeProbedConfig(&config, target, probed, f.unseen, true); err != nil {
		return err
	}
	if err := writeVacant(f.write, config.Bytes(), f.force); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s: %s\n", f.write, describeProbed(probed, f.unseen))
	if ciPath != "" {
		text, err := cifile.Render(f.ci, cifile.Job{Config: filepath.ToSlash(f.write), Target: safetext.OneLine(redact.StripSecrets(target.URL)), Local: isLoopback(target.URL), Variables: f.credentialVariables(), Version: programVersion()})
		if err != nil {
			return err
		}
		if err := writeVacant(ciPath, text, f.force); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: judges the agent on each change%s\n", ciPath, ciAgentStartHint(target.URL))
		if include != "" {
			fmt.Fprintf(out, "add to %s: include: {local: %s}\n", include, ciPath)
		}
	}
	fmt.Fprintf(out, "next: %s\n", runCommandLine(f.write))
	return nil
}

// runCommandLine returns the command that judges by a configuration file.
func runCommandLine(config string) string {
	if filepath.Clean(config) == usualConfig {
		return "a2a-conform run"
	}
	return "a2a-conform run --config " + script.QuoteWithSecretVariables(config)
}

// ciAgentStartHint returns what a file for CI leaves to its reader.
func ciAgentStartHint(url string) string {
	if isLoopback(url) {
		return "; add to it how the agent is started"
	}
	return ""
}

// credentialVariables returns the names of the variables that the command line takes credentials from.
func (f *runFlags) credentialVariables() (out []string) {
	for _, name := range []string{f.bearerEnv, f.basicEnv, f.apiKeyEnv} {
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// describeProbed returns in a line what was found.
func describeProbed(p *conform.Probed, unseenAreNever bool) string {
	var shown, open []string
	for _, one := range p.Behaviours {
		switch {
		case one.Shown:
			shown = append(shown, one.Name)
		case one.Cannot == "" && !unseenAreNever:
			open = append(open, one.Name)
		}
	}
	text := fmt.Sprintf("%s; in answer to %s the agent showed %s", p.Dialect.Title, safetext.CountWithNoun(p.Messages, "message"), strings.Join(shown, ", "))
	if len(open) > 0 {
		text += "; not seen: " + strings.Join(open, ", ") + " (see the comments in the file; --never-unseen declares that it never does them)"
	}
	return text
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// checkVacant refuses to overwrite what is at a path, unless that is wished.
func checkVacant(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", path)
	case !force && fileExists(path):
		return fmt.Errorf("%s is already there; --force overwrites it", path)
	}
	return nil
}

// writeVacant writes a file as a whole. Without force it does not overwrite one that has come to be there since.
func writeVacant(path string, text []byte, force bool) error {
	if err := checkVacant(path, force); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := files.MakeDir(dir); err != nil {
		return err
	}
	return files.Write(dir, filepath.Base(path), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
