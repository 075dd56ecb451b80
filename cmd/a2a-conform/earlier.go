package main

import (
	"strings"

	"github.com/spf13/pflag"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/proxycmd"
	"github.com/a2a-conform/a2a-conform/reports/script"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// judgingFlags are the flags that say what is judged, and what counts as good enough.
type judgingFlags struct {
	waivers     []string
	rerunFailed string
}

// registerFlags adds the flags to a command whose gate is the given one if it is not named.
func (f *judgingFlags) registerFlags(fl *pflag.FlagSet, j *conform.Judging, gate string) {
	fl.StringArrayVar(&j.Select.Run, "run", nil, "judge only requirements whose id matches this pattern")
	fl.StringArrayVar(&j.Select.Skip, "skip", nil, "leave out requirements whose id matches this pattern")
	fl.StringSliceVar(&j.Select.Areas, "area", nil, "judge only these areas")
	fl.StringArrayVar(&j.Select.Sections, "section", nil, "judge only requirements from this section of the specification or its subsections, such as 8.1; may be given several times")
	fl.StringSliceVar(&j.Select.Levels, "level", nil, "judge only these levels: MUST, SHOULD, MAY")
	fl.StringArrayVar(&f.waivers, "waivers", nil, "YAML file of known failures, with the reason and the last day for each; or sdk:NAME@VERSION for the known faults of an SDK, such as sdk:js@1.3.0; may be given several times")
	fl.StringVar(&f.rerunFailed, "rerun-failed", "", "judge only what is broken or undecided in this report.json, and what that depends on")
	fl.StringVar(&j.Gate, "gate", gate, strings.Join(report.Gates(), " or "))
}

// readFiles reads what the operator and earlier runs say of known failures.
func (f *judgingFlags) readFiles(j *conform.Judging) (err error) {
	for _, name := range f.waivers {
		more, err := conform.ReadWaivers(name)
		if err != nil {
			return err
		}
		j.Waivers = append(j.Waivers, more...)
	}
	if f.rerunFailed != "" {
		j.Select.Rerun, err = conform.RerunFailed(f.rerunFailed)
	}
	return err
}

// judgingOfTraffic is what the proxy has in common with the other commands that judge.
func judgingOfTraffic() proxycmd.Shared {
	return proxycmd.Shared{
		Register: func(fl *pflag.FlagSet, j *conform.Judging) (read func(j *conform.Judging) error) {
			f := &judgingFlags{}
			f.registerFlags(fl, j, report.NoFailuresGate)
			return f.readFiles
		},
		IsColored: isColored,
	}
}

// waiverFiles returns the waivers that are in files, and not those of an SDK.
func waiverFiles(names []string) (out []string) {
	for _, name := range names {
		if !strings.HasPrefix(name, "sdk:") {
			out = append(out, name)
		}
	}
	return out
}

// reproduceScriptsSuffix reports the scripts that repeat failures, if there are any.
func reproduceScriptsSuffix(o *conform.Outcome) string {
	for _, r := range o.Report.Results {
		if r.Reproduce != "" {
			return ", " + script.Folder + "/*.sh"
		}
	}
	return ""
}
