package report

import "fmt"

// SDKFaults is what a run has of the known faults of an SDK. It changes no verdict.
type SDKFaults struct {
	Name     string `json:"name"`              // of the SDK: @a2a-js/sdk
	Version  string `json:"version,omitempty"` // if the operator named it
	Declared bool   `json:"declared"`          // the operator named it; else the bytes of the agent look like it
	Declare  string `json:"declare,omitempty"` // if it was not named: the flags, one of which would name it
	Waive    string `json:"waive,omitempty"`   // if it was named: what --waivers takes to waive its known faults, sdk:js@1.3.0
	Failures int    `json:"failures"`          // that are known faults of it, waived ones not included
	Waived   int    `json:"waived"`            // those that are waived
	Causes   int    `json:"causes"`            // all failures of which are known faults of it
}

// Title returns the SDK as texts name it.
func (s *SDKFaults) Title() string {
	if s.Version == "" {
		return s.Name
	}
	return s.Name + " " + s.Version
}

// KnownFault is the known fault of an SDK by which a requirement fails.
type KnownFault struct {
	SDK      string `json:"sdk"`                // its name and, if the operator named it, its version
	Supposed bool   `json:"supposed,omitempty"` // the operator named no SDK: the bytes of the run look like this one
	Fault    string `json:"fault"`              // what the SDK does
	File     string `json:"file"`               // of its source
	Function string `json:"function"`
	Upstream string `json:"upstream"` // the address of the report to its makers, or "not reported"
	Seen     string `json:"seen"`     // the day on which it was last seen
}

// Place returns the place of the fault in the source of the SDK.
func (k *KnownFault) Place() string { return fmt.Sprintf("%s, %s", k.File, k.Function) }
