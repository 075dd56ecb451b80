package main

import (
	"errors"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reports/script"
)

// readWaiversAndRerun reads what the operator and earlier runs say of known failures.
func (f *runFlags) readWaiversAndRerun(t *conform.Target) (err error) {
	if t.Wait < 0 {
		return errors.New("--wait must not be less than 0")
	}
	if f.waivers != "" {
		if t.Waivers, err = conform.ReadWaivers(f.waivers); err != nil {
			return err
		}
	}
	if f.rerunFailed != "" {
		t.Select.Rerun, err = conform.RerunFailed(f.rerunFailed)
	}
	return err
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
