//go:build unix

package serve

import (
	"os"
	"os/exec"
	"syscall"
)

// processGroup is a program and its children.
type processGroup struct{ cmd *exec.Cmd }

// newProcessGroup has the program that is started next lead a group of its own.
func newProcessGroup(cmd *exec.Cmd) processGroup {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return processGroup{cmd}
}

// terminateGroup asks all of them to end.
func (g processGroup) terminateGroup() error {
	return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM)
}

// killGroup ends all of them.
func (g processGroup) killGroup() { syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

// nameSignal names the signal that ended a program; "" if none did.
func nameSignal(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}
