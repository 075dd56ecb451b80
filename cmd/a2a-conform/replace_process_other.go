//go:build !unix

package main

import "github.com/spf13/cobra"

// replaceProcess runs a program as a child, because this system cannot have it take the place of
// a process.
func replaceProcess(cmd *cobra.Command, program string, args []string) error {
	return runProgram(cmd, program, args)
}
