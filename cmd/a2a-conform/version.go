package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Stamped by a release with -ldflags "-X main.version=… -X main.commit=…".
// Otherwise the build information of Go describes what it knows.
var version, commit string

func programVersion() string {
	if version != "" {
		return version
	}
	return conform.Version()
}

func programCommit() string {
	if commit != "" {
		return commit
	}
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program and of the catalogues, and the digest of each catalogue",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "a2a-conform %s\ncommit %s\n%s %s/%s\n", programVersion(), programCommit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			fmt.Fprintf(out, "catalogues version %s\n", schema.Changes().Latest())
			for _, name := range schema.Names() {
				digest, err := schema.Digest(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(out, "catalogue %s %s\n", name, digest)
			}
			return nil
		},
	}
}
