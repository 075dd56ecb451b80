package main

import (
	"errors"
	"strings"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reports/script"
)

// readWaiversAndRerun reads what the operator and earlier runs say of known failures.
func (f *runFlags) readWaiversAndRerun(t *conform.Target) (err error) {
	if t.Wait < 0 {
		return errors.New("--wait must not be less than 0")
	}
	for _, name := range f.waivers {
		more, err := conform.ReadWaivers(name)
		if err != nil {
			return err
		}
		t.Waivers = append(t.Waivers, more...)
	}
	if f.rerunFailed != "" {
		t.Select.Rerun, err = conform.RerunFailed(f.rerunFailed)
	}
	return err
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
