package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/transport"
)

// renewalDays is how long a first waiver lasts, in days.
const renewalDays = 90

func waiversCommand() *cobra.Command {
	var from, why, until string
	cmd := &cobra.Command{
		Use:   "waivers --from report.json",
		Short: "Write a first waiver file for the broken MUST requirements of a report",
		Long: `waivers prints a file for run --waivers, or for client --waivers if the report is on a client: one entry for each MUST that is
broken in the report. Each entry names the place of the failure, so another failure of the same requirement is not waived. Both
commands refuse the file until every entry has a why.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if until == "" {
				until = time.Now().UTC().AddDate(0, 0, renewalDays).Format(time.DateOnly)
			} else if _, err := time.Parse(time.DateOnly, until); err != nil {
				return fmt.Errorf("--until %q is not a date; write it like 2026-12-31", until)
			}
			r, err := conform.ReadReport(from)
			if err != nil {
				return fmt.Errorf("--from: %w", err)
			}
			return firstWaivers(cmd.OutOrStdout(), r, why, until)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the report.json of a run")
	cmd.Flags().StringVar(&why, "why", "", "the reason why all of them are tolerated, such as a ticket")
	cmd.Flags().StringVar(&until, "until", "", fmt.Sprintf("the last day on which the waivers count, like 2026-12-31 (default: %d days from now)", renewalDays))
	if err := cmd.MarkFlagRequired("from"); err != nil {
		panic(err)
	}
	return cmd
}

// firstWaivers writes the file. What the server reported is in comments, on
// one line each and without a control character.
func firstWaivers(w io.Writer, r *report.Report, why, until string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# yaml-language-server: $schema=./waivers.schema.json\n# (for completion in an editor: a2a-conform schema waivers > waivers.schema.json)\n# Known failures of %s.\nwaivers:\n", view.DescribeTargetByKind(r.Target))
	n := 0
	for _, res := range r.Results {
		if res.ID == transport.Discoverable {
			return fmt.Errorf("--from: this run judged nothing that can be waived: %s", safetext.OneLine(r.Reason))
		}
		if res.Verdict != report.Fail || res.Level != schema.Must {
			continue
		}
		n++
		fmt.Fprintf(&b, "  # %s\n  # %s\n  - id: %s\n    why: %s\n    until: %s\n",
			safetext.OneLine(res.Statement), safetext.OneLine(res.Reason), yamlScalar(res.ID), yamlScalar(why), until)
		if at := placesCoveringWholeFailure(&res); len(at) > 0 {
			fmt.Fprintf(&b, "    at: %s\n", report.WritePlaces(at))
		}
	}
	if n == 0 {
		fmt.Fprintf(&b, "  []\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// placesCoveringWholeFailure returns the places that cover a failure for every agent and in every binding, and
// nothing if some violation may be elsewhere: the report does not list it, or a version wrote it that
// names the places of one binding only.
func placesCoveringWholeFailure(res *report.Result) []string {
	if res.More > 0 {
		return nil
	}
	var all []string
	for _, s := range res.Subjects {
		switch {
		case s.Verdict != report.Fail:
		case len(s.At) == 0:
			return nil
		default:
			all = append(all, s.At...)
		}
	}
	if len(all) == 0 {
		return report.PlacesOf(res.Evidence)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// yamlScalar returns a text as YAML writes it.
func yamlScalar(s string) string {
	text, err := yaml.Marshal(s)
	if err != nil {
		return `""`
	}
	return strings.TrimSpace(string(text))
}
