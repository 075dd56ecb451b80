package fleet

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/reports"
)

// evidenceName is what report and transcript of a run are called; evidence is ROUND.RUN.
func evidenceName(target, evidence string) string { return target + "." + evidence }

// The files of the evidence.
const (
	reportFile     = reports.JSONFile
	transcriptFile = reports.TranscriptFile
)

// keepEvidence stores report and transcript, compressed as they are written.
func (f *Fleet) keepEvidence(ctx context.Context, j judged) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{reportFile, func(w io.Writer) error { return reports.JSON(w, j.outcome.Report) }},
		{transcriptFile, func(w io.Writer) error { return wire.WriteHAR(w, j.outcome.Transcript) }},
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
	return f.untilWithin(ctx, carried(b.Len()), func(ctx context.Context) error {
		_, err := f.evidence.PutBytes(ctx, evidenceName(j.target.ID, j.evidence()), b.Bytes())
		return err
	})
}

// Evidence is the report and the transcript of a run, as they are kept.
type Evidence struct {
	Report     []byte
	Transcript []byte
}

// mostEvidence bounds a file of the evidence that is read, in bytes.
const mostEvidence = 256 << 20

// Evidence reads what shows a result of a target; found is false where it is kept no more.
func (f *Fleet) Evidence(ctx context.Context, target, evidence string) (e Evidence, found bool, err error) {
	var text []byte
	err = f.untilWithin(ctx, patient, func(ctx context.Context) (err error) {
		text, err = f.evidence.GetBytes(ctx, evidenceName(target, evidence))
		return err
	})
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return e, false, nil
	}
	if err != nil {
		return e, false, err
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return e, false, err
	}
	for _, file := range z.File {
		to := map[string]*[]byte{reportFile: &e.Report, transcriptFile: &e.Transcript}[file.Name]
		if to == nil {
			continue
		}
		r, err := file.Open()
		if err != nil {
			return e, false, err
		}
		*to, err = io.ReadAll(io.LimitReader(r, mostEvidence))
		r.Close()
		if err != nil {
			return e, false, err
		}
	}
	return e, true, nil
}
