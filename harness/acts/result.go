package acts

import (
	"cmp"
	"fmt"
	"time"
)

// The results of tests and steps.
const (
	Passed  = "pass"
	Failed  = "fail"
	Skipped = "skip"
	Broken  = "error" // the test could not be performed or evaluated, which shows nothing about the server
)

// TestResult is what a test came to over one transport.
type TestResult struct {
	Test       *Test
	Result     string
	SkipReason string
	Failure    *Failure
	Duration   time.Duration
	Steps      []StepResult
	Notes      []string // what is worth knowing about the document, with file and line
}

// StepResult is what a step came to.
type StepResult struct {
	ID       string
	Result   string
	Duration time.Duration
	Failure  *Failure
}

// setFailure notes why a test did not pass.
func (r *TestResult) setFailure(f *Failure) {
	r.Failure, r.Result = f, Failed
	if f.Broken {
		r.Result = Broken
	}
}

// Describe returns why a test did not pass, with the file, the line and the step; "" if it did.
func (r *TestResult) Describe() string {
	f := r.Failure
	if f == nil {
		return ""
	}
	text := fmt.Sprintf("%s:%d: ", r.Test.File, cmp.Or(f.Line, r.Test.Line))
	if f.Step != "" {
		text += "step " + f.Step + ": "
	}
	return text + f.Message
}
