package certificate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Run are the files that a run left in its folder, as they are there.
type Run struct {
	Report     []byte // report.json
	Transcript []byte // transcript.har
	Page       []byte // report.html
}

// Attest makes a certificate of a run that somebody vouches for. Files that do not belong
// together are refused: the transcript is judged again, and has to give the report and the
// page that lie beside it.
func Attest(run Run, by *PrivateKey, tool Tool, again Judge, at time.Time) ([]byte, error) {
	r, err := reports.ReadJSON(bytes.NewReader(run.Report))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ReportFile, err)
	}
	if r.Target.Kind == judge.ReplayedTarget {
		return nil, fmt.Errorf("%s is about an unsigned transcript, which replay judged; attest the folder of the run itself", ReportFile)
	}
	now, t, err := again(bytes.NewReader(run.Transcript))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reports.TranscriptFile, err)
	}
	if err := together(r, now, t, run.Page, true); err != nil {
		if r.Tool.Version != tool.Version {
			err = fmt.Errorf("%w; the run was made by version %s and this is %s: attest with that one", err, short(r.Tool.Version), tool.Version)
		}
		return nil, err
	}
	packed, err := compress(run.Transcript)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{ReportFile: run.Report, TranscriptFile: packed, PageFile: run.Page}
	sums := contents{transcriptRow: digest(run.Transcript)}
	for name, b := range files {
		sums[name] = digest(b)
	}
	s, err := stating(r, t, sums, tool, at)
	if err != nil {
		return nil, err
	}
	if files[EnvelopeFile], err = seal(s, by); err != nil {
		return nil, err
	}
	return pack(files, at)
}

// seal signs a statement.
func seal(s *statement, by *PrivateKey) ([]byte, error) {
	payload, err := s.bytes()
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
	text, err := json.MarshalIndent(e, "", "  ")
	return append(text, '\n'), err
}

// together refuses a report and a page that do not follow from the transcript. Where the
// program is another one than made them, only what no version changes is compared.
func together(was, now *judge.Report, t *wire.Transcript, page []byte, same bool) error {
	if err := aboutAnother(was, now); err != nil {
		return err
	}
	if !same {
		return nil
	}
	if changed := otherwise(was, now); len(changed) > 0 {
		return fmt.Errorf("%s does not follow from its transcript, which gives another verdict: %s", ReportFile, strings.Join(changed, "; "))
	}
	for i := range now.Results {
		now.Results[i].Reproduce = was.Results[i].Reproduce // which the files beside it tell, and not the transcript
	}
	var due, is bytes.Buffer
	if err := errors.Join(reports.JSON(&due, now), reports.JSON(&is, was)); err != nil {
		return err
	}
	if place := firstDifference(is.Bytes(), due.Bytes()); place != "" {
		return fmt.Errorf("%s does not follow from its transcript: %s", ReportFile, place)
	}
	var shown bytes.Buffer
	if err := reports.HTML(&shown, now, t); err != nil {
		return err
	}
	if place := firstDifference(page, shown.Bytes()); place != "" {
		return fmt.Errorf("%s does not show its report: %s", PageFile, place)
	}
	return nil
}

// aboutAnother tells in what two reports cannot be about one run.
func aboutAnother(was, now *judge.Report) error {
	for _, c := range []struct{ what, was, now string }{
		{"the target", was.Target.URL, now.Target.URL},
		{"the kind of target", was.Target.Kind, now.Target.Kind},
		{"the endpoint", was.Target.RPC, now.Target.RPC},
		{"the dialect", was.Target.Dialect, now.Target.Dialect},
		{"the agent card", was.Target.Card, now.Target.Card},
		{"the bindings", strings.Join(was.Target.Bindings, ", "), strings.Join(now.Target.Bindings, ", ")},
		{"the start of the run", was.Run.StartedAt.UTC().Format(time.RFC3339Nano), now.Run.StartedAt.UTC().Format(time.RFC3339Nano)},
		{"the selection", was.Run.Selection, now.Run.Selection},
		{"the version of the program", was.Tool.Version, now.Tool.Version},
		{"the number of exchanges", fmt.Sprint(was.Run.Exchanges), fmt.Sprint(now.Run.Exchanges)},
	} {
		if c.was != c.now {
			return fmt.Errorf("the report and the transcript are of different runs: for %s, the report has %q and the transcript %q", c.what, short(c.was), short(c.now))
		}
	}
	return nil
}

func short(s string) string { return judge.Shorten(s, 120) }

// most is how many requirements a sentence names.
const most = 5

// otherwise lists the requirements that two judgements of one transcript differ in, and the
// verdict on the run.
func otherwise(was, now *judge.Report) (out []string) {
	if was.Verdict != now.Verdict {
		out = append(out, fmt.Sprintf("the verdict was %s, and is %s", was.Verdict, now.Verdict))
	}
	at := map[string]judge.Verdict{}
	for _, r := range now.Results {
		at[r.ID] = r.Verdict
	}
	n := 0
	add := func(format string, args ...any) {
		if n++; n <= most {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	for _, r := range was.Results {
		switch v, is := at[r.ID]; {
		case !is:
			add("%s was %s, and is no longer judged", r.ID, r.Verdict)
		case v != r.Verdict:
			add("%s was %s, and is %s", r.ID, r.Verdict, v)
		}
		delete(at, r.ID)
	}
	for _, r := range now.Results {
		if _, is := at[r.ID]; is {
			add("%s was not judged, and is %s", r.ID, r.Verdict)
		}
	}
	if n > most {
		out = append(out, fmt.Sprintf("and %d more", n-most))
	}
	return out
}

// firstDifference says where two texts part; "" where they do not.
func firstDifference(is, due []byte) string {
	if bytes.Equal(is, due) {
		return ""
	}
	a, b := bytes.Split(is, []byte("\n")), bytes.Split(due, []byte("\n"))
	i := 0
	for ; i < len(a) && i < len(b) && bytes.Equal(a[i], b[i]); i++ {
	}
	line := func(of [][]byte) string {
		if i < len(of) {
			return short(strings.TrimSpace(string(of[i])))
		}
		return ""
	}
	return fmt.Sprintf("its line %d is %q; expected %q", i+1, line(a), line(b))
}
