//go:build unix

package main

import (
	"os"
	"syscall"

	"github.com/spf13/cobra"
)

// replaceProcess has a program take the place of this process, which keeps its number: signals
// reach the program, and its exit code is that of the process.
func replaceProcess(_ *cobra.Command, program string, args []string) error {
	return &os.PathError{Op: "start", Path: program, Err: syscall.Exec(program, append([]string{program}, args...), os.Environ())}
}
