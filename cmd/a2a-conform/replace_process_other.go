//go:build !unix

package main

import (
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

// replaceProcess runs a program as a child, because this system cannot have it take the place of
// a process. An interruption reaches both, and is the child's to act on.
func replaceProcess(cmd *cobra.Command, program string, args []string) error {
	signal.Ignore(os.Interrupt)
	return runProgram(cmd, program, args)
}
