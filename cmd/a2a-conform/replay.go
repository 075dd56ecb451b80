package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
)

func replayCommand() *cobra.Command {
	var out, cardKey string
	var p outputFlags
	cmd := &cobra.Command{
		Use:   "replay FILE.har",
		Short: "Judge a recorded transcript again, without any network",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.resolveFlags(); err != nil {
				return err
			}
			if err := p.readHistory(cmd.ErrOrStderr()); err != nil {
				return err
			}
			if in := filepath.Join(args[0], files.TranscriptFile); isFile(in) { // a folder means the transcript in it
				args[0] = in
			}
			file, err := schema.OpenFile(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			key, err := config.CardKey("--card-key", cardKey)
			if err != nil {
				return err
			}
			o, err := conform.ReplayWith(file, conform.Again{CardKey: key})
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return p.writeReportsAndPrintOutcome(cmd.OutOrStdout(), cmd.ErrOrStderr(), out, o)
		},
	}
	cmd.Flags().StringVar(&out, "out", "a2a-replay", "folder for the reports")
	cmd.Flags().StringVar(&cardKey, "card-key", "", "file with the public key of the card's signer, instead of the one given to the run")
	p.registerFlags(cmd)
	return cmd
}
