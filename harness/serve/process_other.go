//go:build !unix

package serve

import (
	"os"
	"os/exec"
)

// processGroup is a program; this system has no groups.
type processGroup struct{ cmd *exec.Cmd }

// newProcessGroup has nothing to prepare.
func newProcessGroup(cmd *exec.Cmd) processGroup { return processGroup{cmd} }

func (g processGroup) terminateGroup() error { return g.cmd.Process.Kill() }
func (g processGroup) killGroup()            { g.cmd.Process.Kill() }

func nameSignal(*os.ProcessState) string { return "" }
