package certificate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What a statement is, in the words of in-toto and DSSE.
const (
	payloadType   = "application/vnd.in-toto+json"
	predicateType = "https://in-toto.io/attestation/test-result/v0.1"
)

// The results that a predicate may have.
const (
	passed = "PASSED"
	warned = "WARNED"
	failed = "FAILED"
)

var releasedVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// The rows of a predicate's configuration, by their names. Those of the files bear the names
// of the files, and that of a binding begins with bindingRow.
const (
	runRow        = "run"
	toolRow       = "a2a-conform"
	catalogueRow  = "catalogue"
	transcriptRow = "transcript.har" // of the bytes that are compressed
	bindingRow    = "binding "
)

// The annotations of a run.
const (
	verdictNote   = "verdict"
	selectionNote = "selection"
	signedNote    = "signedAt"
	startedNote   = "startedAt"
)

// contents are the files of a certificate, by their names, and the transcript as it is before
// it is compressed.
type contents map[string]string // to SHA-256 in hexadecimal digits

// statement is the signed content of a certificate.
type statement struct {
	*intoto.Statement
	predicate *testresult.TestResult
	signed    []byte // as it was read; nil for one that is made
}

// newStatement makes the statement about a run.
func newStatement(r *report.Report, t *record.Transcript, sums contents, tool Tool, at time.Time) (*statement, error) {
	if r.Verdict == report.Void || r.Verdict == report.Unreachable {
		return nil, fmt.Errorf("the verdict is %s, which says nothing of the server; there is nothing to certify", r.Verdict)
	}
	p := &testresult.TestResult{Result: resultOf(r), Url: r.Target.RPC}
	p.PassedTests, p.WarnedTests, p.FailedTests = groupIDsByOutcome(r)
	if err := fillConfiguration(p, r, t, sums, tool, at); err != nil {
		return nil, err
	}
	subject := &intoto.ResourceDescriptor{Name: r.Target.URL, Digest: map[string]string{"sha256": strings.TrimPrefix(r.Target.Card, "sha256:")}}
	if r.Target.Card == "" {
		subject.Digest["sha256"] = sums[transcriptRow]
	}
	text, err := protojson.Marshal(p)
	if err != nil {
		return nil, err
	}
	predicate := &structpb.Struct{}
	if err := protojson.Unmarshal(text, predicate); err != nil {
		return nil, err
	}
	s := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: []*intoto.ResourceDescriptor{subject}, PredicateType: predicateType, Predicate: predicate}
	return &statement{s, p, nil}, errors.Join(s.Validate(), validRows(p))
}

// validRows refuses a row of the configuration that no reader of in-toto takes.
func validRows(p *testresult.TestResult) error {
	for _, d := range p.Configuration {
		if err := d.Validate(); err != nil {
			return fmt.Errorf("the statement's configuration has a row %q: %w", d.Name, err)
		}
	}
	return nil
}

// canonicalBytes is the statement as it is signed: the canonical form of JSON, since protojson writes
// another one in each build.
func (s *statement) canonicalBytes() ([]byte, error) {
	text, err := protojson.Marshal(s.Statement)
	if err != nil {
		return nil, err
	}
	v := jsontext.Value(text)
	return v, v.Canonicalize()
}

// resultOf is a verdict in the words of the predicate.
func resultOf(r *report.Report) string {
	switch {
	case r.Verdict != report.Conformant:
		return failed
	case r.Summary[string(schema.Should)].Fail > 0:
		return warned
	}
	return passed
}

// groupIDsByOutcome lists the requirements that passed, the recommendations that are not followed, and
// the MUST requirements that are broken, undecided or waived.
func groupIDsByOutcome(r *report.Report) (pass, warn, fail []string) {
	for _, res := range r.Results {
		switch {
		case res.Verdict == report.Pass:
			pass = append(pass, res.ID)
		case res.Level == schema.Should && res.Verdict == report.Fail:
			warn = append(warn, res.ID)
		case res.Level == schema.Must && slices.Contains([]report.Verdict{report.Fail, report.Inconclusive, report.Waived}, res.Verdict):
			fail = append(fail, res.ID)
		}
	}
	return pass, warn, fail
}

// fillConfiguration fills in what was judged, by what, and how.
func fillConfiguration(p *testresult.TestResult, r *report.Report, t *record.Transcript, sums contents, tool Tool, at time.Time) error {
	configuration, err := configurationOf(t.Facts)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(configuration)
	row := func(name, digest string, notes map[string]any) {
		d := &intoto.ResourceDescriptor{Name: name}
		if digest != "" {
			d.Digest = map[string]string{"sha256": digest}
		}
		if len(notes) > 0 {
			d.Annotations, err = structpb.NewStruct(notes)
		}
		p.Configuration = append(p.Configuration, d)
	}
	row(runRow, hex.EncodeToString(sum[:]), map[string]any{verdictNote: string(r.Verdict), selectionNote: r.Run.Selection,
		startedNote: r.Run.StartedAt.UTC().Format(time.RFC3339Nano), signedNote: at.UTC().Format(time.RFC3339Nano), "allowed": toAnySlice(t.Facts.Allow)})
	row(toolRow, tool.Program, map[string]any{"version": tool.Version, "commit": tool.Commit, "module": tool.Module})
	row(catalogueRow, strings.TrimPrefix(r.Tool.Catalogue, "sha256:"), map[string]any{"dialect": r.Target.Dialect, "version": r.Tool.CatalogueVersion})
	for _, name := range []string{ReportFile, transcriptRow, TranscriptFile, PageFile} {
		row(name, sums[name], nil)
	}
	if sums[SummaryFile] != "" { // earlier versions made none
		row(SummaryFile, sums[SummaryFile], nil)
	}
	for _, b := range r.Target.Bindings {
		row(bindingRow+b, "", map[string]any{"requirementsTried": countDecided(r, b)})
	}
	return err
}

// countDecided counts the requirements that were decided in a binding.
func countDecided(r *report.Report, binding string) (n int) {
	for _, res := range r.Results {
		switch {
		case len(res.Subjects) == 0:
			if res.Verdict.IsDecided() && r.Target.Bindings[0] == binding {
				n++
			}
		case slices.ContainsFunc(res.Subjects, func(s report.SubjectResult) bool {
			return cmp.Or(s.Binding, r.Target.Bindings[0]) == binding && s.Verdict.IsDecided()
		}):
			n++
		}
	}
	return n
}

// configurationOf is what the operator configured, in a form that is the same for the same
// configuration. The transcript has no secrets of his.
func configurationOf(f record.Facts) ([]byte, error) {
	all := map[string]any{"never": toAnySlice(f.Never), "words": toAnySlice(f.Operator), "stimuli": f.Stimuli, "allow": toAnySlice(f.Allow), "selection": f.Selection, "gate": f.Gate,
		"insecure": f.Insecure, "disguise": f.Disguise, "rateLimit": f.RateLimit, "timeouts": f.Timeouts, "schema": f.Schema, "cardKey": f.CardKey, "waivers": f.Waivers, "baseline": f.Baseline}
	if f.SDK != "" { // so that the digest of a run without one stays what it was
		all["sdk"] = f.SDK
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	v := jsontext.Value(text)
	return v, v.Canonicalize()
}

// toAnySlice is a list of texts as annotations have it.
func toAnySlice(in []string) []any {
	out := []any{}
	for _, s := range in {
		out = append(out, s)
	}
	return out
}

// readStatement reads what was signed.
func readStatement(payload []byte) (*statement, error) {
	s, p := &intoto.Statement{}, &testresult.TestResult{}
	if err := protojson.Unmarshal(payload, s); err != nil {
		return nil, fmt.Errorf("what was signed is no statement of in-toto: %s", flattenError(err))
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("what was signed is no valid statement of in-toto: %w", err)
	}
	if s.GetType() != intoto.StatementTypeUri {
		return nil, fmt.Errorf("the statement is of the type %q; expected %q", s.GetType(), intoto.StatementTypeUri)
	}
	if s.PredicateType != predicateType {
		return nil, fmt.Errorf("the statement's predicate is of the type %q; expected %q", s.PredicateType, predicateType)
	}
	text, err := protojson.Marshal(s.Predicate)
	if err != nil {
		return nil, err
	}
	if err := protojson.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("the statement's predicate is no test result: %s", flattenError(err))
	}
	read := &statement{s, p, payload}
	if err := validRows(p); err != nil {
		return nil, err
	}
	return read, read.refuseAmbiguous()
}

// refuseAmbiguous refuses a statement that is more than what was read from it, such as one with
// the names of members in another form, which protojson also takes.
func (s *statement) refuseAmbiguous() error {
	text, err := protojson.Marshal(s.predicate)
	if err != nil {
		return err
	}
	predicate, err := protojson.Marshal(s.Predicate)
	if err != nil {
		return err
	}
	again, err := s.canonicalBytes()
	if err != nil {
		return err
	}
	const what = "what was signed"
	if err := checkMembers(what, bytes.NewReader(s.signed), bytes.NewReader(again)); err != nil {
		return err
	}
	if err := compareJSON(what, s.signed, again); err != nil {
		return err
	}
	return compareJSON("the statement's predicate", predicate, text)
}

// compareJSON refuses a text of JSON that means something else than another.
func compareJSON(what string, is, want []byte) error {
	a, b := jsontext.Value(is).Clone(), jsontext.Value(want).Clone()
	if err := errors.Join(a.Canonicalize(), b.Canonicalize()); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if place := firstDifference(a, b); place != "" {
		return fmt.Errorf("%s has members that are not named as they should be, or are empty: %s", what, place)
	}
	return nil
}

// flattenError is an error of protojson without the space by which it differs from build to build.
func flattenError(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\u00a0", " ")), " ")
}

// findRow is the row of the configuration of that name.
func (s *statement) findRow(name string) *intoto.ResourceDescriptor {
	for _, d := range s.predicate.Configuration {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// annotationOf returns an annotation of a row; "" if there is none.
func (s *statement) annotationOf(row, name string) string {
	return s.findRow(row).GetAnnotations().GetFields()[name].GetStringValue()
}

// madeBy is the program that made the certificate.
func (s *statement) madeBy() Tool {
	return Tool{Version: s.annotationOf(toolRow, "version"), Commit: s.annotationOf(toolRow, "commit"), Module: s.annotationOf(toolRow, "module"), Program: s.findRow(toolRow).GetDigest()["sha256"]}
}

// signedAt returns the time of the signature by the clock of the signer.
func (s *statement) signedAt() (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, s.annotationOf(runRow, signedNote))
	if err != nil {
		return at, errors.New("the statement does not say when it was signed")
	}
	return at, nil
}

// fileDigests are the digests of the files that the statement names.
func (s *statement) fileDigests() contents {
	out := contents{}
	for _, name := range []string{ReportFile, transcriptRow, TranscriptFile, PageFile, SummaryFile} {
		out[name] = s.findRow(name).GetDigest()["sha256"]
	}
	return out
}

// compareWith returns an error if a statement differs from the one that follows from the report and the
// files. Only members that every version states are compared.
func (s *statement) compareWith(expected *statement) error {
	if len(s.Subject) != 1 {
		return fmt.Errorf("the statement has %d subjects; it has one", len(s.Subject))
	}
	is, want := s.Subject[0], expected.Subject[0]
	for _, c := range []struct{ what, is, want string }{
		{"names the subject", is.Name, want.Name},
		{"has the card's digest", is.Digest["sha256"], want.Digest["sha256"]},
		{"has the result", s.predicate.Result, expected.predicate.Result},
		{"has the URL", s.predicate.Url, expected.predicate.Url},
		{"has the verdict", s.annotationOf(runRow, verdictNote), expected.annotationOf(runRow, verdictNote)},
		{"has the selection", s.annotationOf(runRow, selectionNote), expected.annotationOf(runRow, selectionNote)},
		{"has the time of the run", s.annotationOf(runRow, startedNote), expected.annotationOf(runRow, startedNote)},
		{"has the catalogue's digest", s.findRow(catalogueRow).GetDigest()["sha256"], expected.findRow(catalogueRow).GetDigest()["sha256"]},
		{"has the dialect", s.annotationOf(catalogueRow, "dialect"), expected.annotationOf(catalogueRow, "dialect")},
		{"has the version of the catalogue", s.annotationOf(catalogueRow, "version"), expected.annotationOf(catalogueRow, "version")},
	} {
		if c.is != c.want {
			return fmt.Errorf("the statement %s %q, but by its report it is %q", c.what, c.is, c.want)
		}
	}
	for _, c := range []struct {
		name     string
		is, want []string
	}{
		{"passedTests", s.predicate.PassedTests, expected.predicate.PassedTests},
		{"warnedTests", s.predicate.WarnedTests, expected.predicate.WarnedTests},
		{"failedTests", s.predicate.FailedTests, expected.predicate.FailedTests},
	} {
		if why := describeListDifference(c.is, c.want); why != "" {
			return fmt.Errorf("the statement's %s %s", c.name, why)
		}
	}
	return nil
}

// knownRows refuses a configuration with other rows than those that every version states, or
// with one of them twice, whose readers may differ in which one counts.
func (s *statement) knownRows(due *statement) error {
	known, seen := map[string]bool{}, map[string]bool{}
	for _, d := range due.predicate.Configuration {
		known[d.Name] = true
	}
	for _, d := range s.predicate.Configuration {
		switch {
		case seen[d.Name]:
			return fmt.Errorf("the statement's configuration has two rows %q", shortenText(d.Name))
		case !known[d.Name]:
			return fmt.Errorf("the statement's configuration has a row %q, which belongs to no file and no binding of the run", shortenText(d.Name))
		}
		seen[d.Name] = true
		for algorithm := range d.Digest {
			if algorithm != "sha256" {
				return fmt.Errorf("the row %q of the statement's configuration has a digest by %q; expected one by sha256", d.Name, shortenText(algorithm))
			}
		}
	}
	return nil
}

// compareConfigurationRows returns an error if the configuration differs from the one that this version states.
func (s *statement) compareConfigurationRows(expected *statement) error {
	if is, want := len(s.predicate.Configuration), len(expected.predicate.Configuration); is != want {
		return fmt.Errorf("the statement's configuration has %d rows; expected %d", is, want)
	}
	for i, want := range expected.predicate.Configuration {
		if is := s.predicate.Configuration[i]; !proto.Equal(is, want) {
			return fmt.Errorf("row %d of the statement's configuration is %s; expected %s", i+1, rowText(is), rowText(want))
		}
	}
	if !proto.Equal(s.Statement, expected.Statement) {
		return errors.New("the statement has members that do not belong there")
	}
	return nil
}

// rowText is a row for a reader.
func rowText(d *intoto.ResourceDescriptor) string {
	text, err := protojson.Marshal(d)
	v := jsontext.Value(text)
	if err == nil {
		err = v.Canonicalize()
	}
	if err != nil {
		return d.Name
	}
	return shorten.Visible(string(v), 200)
}

// describeListDifference names the first difference of a list from the one that is expected.
func describeListDifference(is, want []string) string {
	have := map[string]bool{}
	for _, id := range is {
		have[id] = true
	}
	for _, id := range want {
		if !have[id] {
			return fmt.Sprintf("lack %s, which the report has", id)
		}
		delete(have, id)
	}
	for _, id := range slices.Sorted(maps.Keys(have)) {
		return fmt.Sprintf("have %s, which the report has not", id)
	}
	if !slices.Equal(is, want) {
		return "are not in the order of the report, or one is there twice"
	}
	return ""
}
