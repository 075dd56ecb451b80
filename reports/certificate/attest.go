package certificate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Run are the files that a run left in its folder, as they are there.
type Run struct {
	Report     []byte // report.json
	Transcript []byte // transcript.har
	Page       []byte // report.html
}

// Attest makes a certificate of a run that somebody vouches for. Files that do not belong
// together are refused: the transcript is judged again, and has to give the report and the
// page that lie next to it, byte for byte.
func Attest(run Run, by *PrivateKey, tool Tool, again Judge, at time.Time) ([]byte, error) {
	if err := checkVersion(tool.Version); err != nil {
		return nil, fmt.Errorf("this build of the program cannot sign: it has %w", err)
	}
	r, err := reports.ReadJSON(bytes.NewReader(run.Report))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ReportFile, err)
	}
	if r.Target.Kind == report.ReplayedTarget {
		return nil, fmt.Errorf("%s is about an unsigned transcript, which replay judged; attest the folder of the run itself", ReportFile)
	}
	now, t, err := again(bytes.NewReader(run.Transcript))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files.TranscriptFile, err)
	}
	if t.Facts.Messages > 0 {
		return nil, fmt.Errorf("the run could send %d messages to the agent (--max-messages) and left requirements out for that; attest a run without it", t.Facts.Messages)
	}
	if err := checkSameRun(r, now); err != nil {
		return nil, err
	}
	if err := compareAnew(run.Report, run.Page, bytes.NewReader(run.Transcript), r, now, t); err != nil {
		if r.Tool.Version != tool.Version {
			err = fmt.Errorf("%w; the run was made by version %s and this is %s: attest with that one", err, shortenText(r.Tool.Version), tool.Version)
		}
		return nil, err
	}
	packed, err := compressTranscript(run.Transcript)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{ReportFile: run.Report, TranscriptFile: packed, PageFile: run.Page}
	sums := contents{transcriptRow: hexSHA256(run.Transcript)}
	for name, b := range files {
		sums[name] = hexSHA256(b)
	}
	if files[SummaryFile], err = renderPage(r, sums, tool, by.ID, at); err != nil {
		return nil, err
	}
	sums[SummaryFile] = hexSHA256(files[SummaryFile])
	s, err := newStatement(r, t, sums, tool, at)
	if err != nil {
		return nil, err
	}
	if files[EnvelopeFile], err = signStatement(s, by); err != nil {
		return nil, err
	}
	return zipCertificateFiles(files, at)
}

// signStatement signs a statement.
func signStatement(s *statement, by *PrivateKey) ([]byte, error) {
	payload, err := s.canonicalBytes()
	if err != nil {
		return nil, err
	}
	return Sign(payloadType, payload, by)
}

// Sign writes a DSSE envelope around a payload.
func Sign(payloadType string, payload []byte, by *PrivateKey) ([]byte, error) {
	signer, err := dsse.NewEnvelopeSigner(by)
	if err != nil {
		return nil, err
	}
	e, err := signer.SignPayload(context.Background(), payloadType, payload)
	if err != nil {
		return nil, err
	}
	return envelopeText(e)
}

// envelopeText is an envelope as it is written.
func envelopeText(e *dsse.Envelope) ([]byte, error) {
	text, err := json.MarshalIndent(e, "", "  ")
	return append(text, '\n'), err
}
