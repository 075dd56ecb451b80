package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
)

// fleetName is the name of the subcommand whose work another program does: fleets need a broker
// of messages, which is as large as everything else.
const fleetName = "fleet"

// fleetProgram is the name of that program.
const fleetProgram = "a2a-conform-fleet"

// runFleetProgram has a program take the place of this process. Tests that are no process of their own
// call it as a child.
var runFleetProgram = replaceProcess

func fleetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   fleetName,
		Short: "Judge many agents, every night, with workers on one machine or on many",
		Long: `fleet passes its arguments on to a program of its own, a2a-conform-fleet, of the same version: the one beside this program, or else
the one in PATH.`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			program, err := findFleet(cmd.Context())
			if err == nil {
				err = cmd.Context().Err() // the program would not learn of a signal that came before it began
			}
			if err != nil {
				return err
			}
			return runFleetProgram(cmd, program, args)
		},
		ValidArgsFunction: completeByFleet,
	}
}

// findFleet finds the program for fleets, of the version that this program has.
func findFleet(ctx context.Context) (string, error) {
	other := ""
	for _, program := range listFleetPrograms() {
		version, err := readFleetVersion(ctx, program)
		if err == nil && version == programVersion() {
			return program, nil
		}
		if err != nil {
			version = fmt.Sprintf("a program that does not print its version (%v)", err)
		}
		other = cmp.Or(other, fmt.Sprintf("; %s is %s", program, version))
	}
	return "", fmt.Errorf("fleet is a program of its own, %s, and none of version %s is beside this one or in PATH%s; %s", fleetProgram, programVersion(), other, explainInstallation())
}

// listFleetPrograms lists the programs for fleets that there are: the one in the folder of this
// program, and those in PATH.
func listFleetPrograms() (programs []string) {
	var folders []string
	if own, err := os.Executable(); err == nil {
		if own, err = filepath.EvalSymlinks(own); err == nil {
			folders = append(folders, filepath.Dir(own))
		}
	}
	for _, folder := range append(folders, filepath.SplitList(os.Getenv("PATH"))...) {
		if !filepath.IsAbs(folder) {
			continue // it depends on the folder in which somebody calls the command
		}
		if program, err := exec.LookPath(filepath.Join(folder, fleetProgram)); err == nil && !slices.Contains(programs, program) {
			programs = append(programs, program)
		}
	}
	return programs
}

// explainInstallation returns a sentence about how to install the program.
func explainInstallation() string {
	const folder = "cmd/" + fleetProgram
	if version := programVersion(); strings.HasPrefix(version, "v") && !strings.Contains(version, "+") {
		return fmt.Sprintf("it is in the archive of the release, or install it: go install github.com/a2a-conform/a2a-conform/%s@%s", folder, version)
	}
	return "in a checkout, run it: go run ./" + folder
}

// readFleetVersion returns the version that a program for fleets prints.
func readFleetVersion(ctx context.Context, program string) (string, error) {
	asked := exec.CommandContext(ctx, program, "--version")
	asked.WaitDelay = time.Second // for what it started itself, which may hold its output
	printed, err := asked.Output()
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(printed), "\n")
	version, found := strings.CutPrefix(first, "a2a-conform fleet version ")
	if !found {
		return "", errors.New("it prints something else")
	}
	return version, nil
}

// runProgram runs a program as a child, and ends with its exit code. It waits for a child that an
// interruption has reached as well, as it does from a terminal: that is the child's to act on.
func runProgram(cmd *cobra.Command, program string, args []string) error {
	child := exec.Command(program, args...)
	child.Stdin, child.Stdout, child.Stderr = cmd.InOrStdin(), cli.Underlying(cmd.OutOrStdout()), cli.Underlying(cmd.ErrOrStderr())
	err := child.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.Exited() {
		return cli.ExitCode(ended.ExitCode())
	}
	return err
}

// completeByFleet asks the program what could follow, as a shell would.
func completeByFleet(cmd *cobra.Command, args []string, typed string) (out []cobra.Completion, directive cobra.ShellCompDirective) {
	program, err := findFleet(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	printed, err := exec.CommandContext(cmd.Context(), program, append(append([]string{cobra.ShellCompRequestCmd}, args...), typed)...).Output()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for line := range strings.Lines(string(printed)) {
		line = strings.TrimSuffix(line, "\n")
		if number, found := strings.CutPrefix(line, ":"); found { // the last line
			n, _ := strconv.Atoi(number)
			return out, cobra.ShellCompDirective(n)
		}
		out = append(out, line)
	}
	return out, cobra.ShellCompDirectiveError
}
