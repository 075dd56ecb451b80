package main

import "github.com/spf13/cobra"

func proveCommand() *cobra.Command { return &cobra.Command{Use: "prove"} }
