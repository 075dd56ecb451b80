package fleet

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
)

// evidenceName returns what report and transcript of a run are called; evidence is ROUND.RUN.
func evidenceName(target, evidence string) string { return target + "." + evidence }

// The files of the evidence.
const (
	reportFile     = files.JSONFile
	transcriptFile = files.TranscriptFile
)

// storeEvidence stores report and transcript, compressed as they are written.
func (f *Fleet) storeEvidence(ctx context.Context, j finishedRun) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{reportFile, func(w io.Writer) error { return reports.JSON(w, j.outcome.Report) }},
		{transcriptFile, func(w io.Writer) error { return record.WriteHAR(w, j.outcome.Transcript) }},
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: j.at.UTC()})
		if err == nil {
			err = file.write(w)
		}
		if err != nil {
			return fmt.Errorf("the evidence cannot be written: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.conn.RetryEachWithin(ctx, broker.UploadTimeout(b.Len()), func(ctx context.Context) error {
		_, err := f.evidence.PutBytes(ctx, evidenceName(j.target.ID, j.evidenceRoundAndRun()), b.Bytes())
		return err
	})
}

// Evidence is the report and the transcript of a run, as they are kept: compressed, because others
// may have written them.
type Evidence struct {
	report, transcript *zip.File
}

// The bounds of what is read of a run, in bytes: of what is kept, of its report, and of its
// transcript once it is no longer compressed.
const (
	maxEvidenceBytes   = 48 << 20
	maxReportBytes     = 24 << 20
	maxTranscriptBytes = 256 << 20 // which is never in memory as a whole
)

// Evidence reads what shows a result of a target; found is false if it is kept no more.
func (f *Fleet) Evidence(ctx context.Context, target, evidence string) (e Evidence, found bool, err error) {
	name := evidenceName(target, evidence)
	var text []byte
	err = f.conn.RetryEachWithin(ctx, broker.LongRequestTimeout, func(ctx context.Context) (err error) {
		text, err = broker.ReadObject(ctx, f.evidence, name, maxEvidenceBytes)
		return err
	})
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return e, false, nil
	}
	if err == nil {
		e, err = openEvidence(text)
	}
	return e, err == nil, err
}

// openEvidence finds the report and the transcript, and nothing else may be there.
func openEvidence(text []byte) (e Evidence, err error) {
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return e, fmt.Errorf("%w: %w", broker.ErrUnreadableObject, err)
	}
	for _, file := range z.File {
		switch {
		case file.Name == reportFile && e.report == nil && file.UncompressedSize64 <= maxReportBytes:
			e.report = file
		case file.Name == transcriptFile && e.transcript == nil && file.UncompressedSize64 <= maxTranscriptBytes:
			e.transcript = file
		default:
			return e, fmt.Errorf("%w: %.60q with %d bytes is not expected in it", broker.ErrUnreadableObject, file.Name, file.UncompressedSize64)
		}
	}
	if e.report == nil || e.transcript == nil {
		return e, fmt.Errorf("%w: the report or the transcript is not in it", broker.ErrUnreadableObject)
	}
	return e, nil
}

// unpackedSize returns about how many bytes are read at most to show a result.
func (e Evidence) unpackedSize() int64 {
	return int64(e.report.UncompressedSize64 + e.transcript.UncompressedSize64)
}

// readEvidence reads one of the files with a function, and no more of it than is stated to be there.
func readEvidence(file *zip.File, read func(io.Reader) error) error {
	r, err := file.Open()
	if err != nil {
		return fmt.Errorf("%w: %w", broker.ErrUnreadableObject, err)
	}
	defer r.Close()
	if err := read(io.LimitReader(r, int64(file.UncompressedSize64))); err != nil {
		return fmt.Errorf("%w: %s: %w", broker.ErrUnreadableObject, file.Name, err)
	}
	return nil
}
