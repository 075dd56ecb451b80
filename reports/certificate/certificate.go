// Package certificate makes and checks certificates of runs: a signed statement of what a run
// found, in one file together with the report and the transcript that it rests on.
//
// The statement is an in-toto test result in a DSSE envelope, so that anybody can check the
// signature without this program. Who checks a certificate with it has the transcript judged
// again. The checks of a Verification state what a certificate proves, and what it does not:
// a signature shows who vouches for a transcript, never that the conversation took place.
package certificate

import (
	"io"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// File is the name of a certificate in the folder of its run.
const File = "certificate.zip"

// The files in it.
const (
	EnvelopeFile   = "envelope.dsse.json"
	ReportFile     = "report.json"
	TranscriptFile = "transcript.har.gz"
	PageFile       = "report.html"
	// SummaryFile is a page about the certificate itself. Those of earlier versions lack it.
	SummaryFile = "certificate.html"
)

// Judge judges a transcript again. The report is as a run would have written it, with the
// kind of target that the transcript records.
type Judge func(har io.Reader) (*report.Report, *record.Transcript, error)

// Tool is the program that makes a certificate, or checks it.
type Tool struct {
	Version string // such as v1.2.0, or devel
	Commit  string // of which it was built; "" if unknown
	Module  string // checksum of its module as in go.sum; "" for what was built in a checkout
	Program string // SHA-256 of the executable, in hexadecimal digits
}
