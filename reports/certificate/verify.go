package certificate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Holder is somebody whose signature is accepted.
type Holder struct {
	Name string // "" if it is not named
	Key  *PublicKey
}

// Expect has the conditions that a certificate must meet, besides being genuine.
type Expect struct {
	Keys         []Holder      // whose signatures are accepted
	Target       string        // URL that it has to be about; "" for any
	Nonce        string        // that the run's ids have to be derived from; "" for any
	MaxAge       time.Duration // since the run; 0 for any
	AllowBundled bool          // accept one of the bundled server
	Profile      *Profile      // further conditions; may be nil
	Tool         Tool          // the program that checks
	Now          time.Time
}

// Check is something that was checked, and what it proves.
type Check struct {
	Checked string
	Proves  string
	Not     string // what it does not prove
}

// Verification is what came of checking a certificate.
type Verification struct {
	Refused error // why it does not count; nil if it does
	// Report is the one that counts: this program's judgement of the transcript, or the signed
	// one, if the profile accepts the version that made it.
	Report    *report.Report
	Otherwise *Otherwise // nil if this program judges as was signed, or the profile accepts the version
	Signer    Holder
	SignedAt  time.Time
	Checks    []Check
	Notes     []string // what a reader has to know besides
}

// Otherwise is how another version judged a transcript than this program does.
type Otherwise struct {
	By     string // this program's version
	Signed report.RunVerdict
	Maker  string // the version that is claimed for it
}

// Holds reports whether a certificate is one of a conformant server, fully judged, on which
// the program that checks agrees.
func (v *Verification) Holds() bool {
	return v.Agreed() && v.Report.Verdict == report.Conformant && v.Report.Run.Selection == "full"
}

// Agreed reports whether a certificate is genuine, and its verdicts are those of this program
// or of a version that the receiver accepts.
func (v *Verification) Agreed() bool { return v.Refused == nil && v.Otherwise == nil }

// Verify checks a certificate. Nothing in it is looked at before its signature was found
// good, but for what that takes; the keys are those that are expected, never one of the file.
func Verify(file []byte, e Expect, again Judge) *Verification {
	v := &Verification{}
	v.Refused = v.verifyCertificate(file, e, again)
	return v
}

func (v *Verification) verifyCertificate(file []byte, e Expect, again Judge) error {
	contents, err := unzipCertificateFiles(file)
	if err != nil {
		return err
	}
	s, err := v.verifyEnvelope(contents[EnvelopeFile], e)
	if err != nil {
		return err
	}
	if err := v.checkDigests(contents, s); err != nil {
		return err
	}
	r, err := reports.ReadJSON(bytes.NewReader(contents[ReportFile]))
	if err != nil {
		return fmt.Errorf("%s: %w", ReportFile, err)
	}
	t, err := v.judgeAgain(contents, s, r, e, again)
	if err != nil {
		return err
	}
	if err := v.checkSignedAfterRun(s, e.Now); err != nil {
		return err
	}
	if s.madeBy().hasSameVersionNumber(e.Tool) {
		if err := v.compareSummaryWithRenderedPage(contents, s); err != nil {
			return err
		}
	}
	return v.checkExpectations(s, t, e)
}

// verifyEnvelope checks the signature and reads what was signed.
func (v *Verification) verifyEnvelope(text []byte, e Expect) (*statement, error) {
	env, err := readEnvelope(text)
	if err != nil {
		return nil, err
	}
	by, payload, err := verifySignatures(env, e.Keys)
	if err != nil {
		return nil, err
	}
	s, err := readStatement(payload)
	if err != nil {
		return nil, err
	}
	v.Signer = *by
	if v.SignedAt, err = s.signedAt(); err != nil {
		return nil, err
	}
	v.addCheck("the signature of "+v.Signer.String(), "who vouches for the run, and when it was signed by the signer's clock", "that the signer is honest")
	return s, nil
}

// String is a holder for a reader.
func (h Holder) String() string {
	if h.Name == "" {
		return h.Key.ID
	}
	return fmt.Sprintf("%s (%s)", h.Name, h.Key.ID)
}

func (v *Verification) addCheck(checked, proves, provesNot string) {
	v.Checks = append(v.Checks, Check{checked, proves, provesNot})
}

// checkDigests holds the digests of the files against those that were signed.
func (v *Verification) checkDigests(contents map[string][]byte, s *statement) error {
	sums := s.fileDigests()
	names := []string{ReportFile, TranscriptFile, PageFile}
	switch is, signed := contents[SummaryFile] != nil, sums[SummaryFile] != ""; {
	case is:
		names = append(names, SummaryFile)
	case signed:
		return fmt.Errorf("the file lacks %s, which was signed", SummaryFile)
	}
	for _, name := range names {
		switch sum := hexSHA256(contents[name]); {
		case sums[name] == "":
			return fmt.Errorf("the statement has no digest of %s", name)
		case sum != sums[name]:
			return fmt.Errorf("%s is not the file that was signed: its SHA-256 is %s…, and %s… was signed", name, sum[:12], shortenText(sums[name])[:min(12, len(sums[name]))])
		}
	}
	v.addCheck(fmt.Sprintf("the digests of the %s files", map[int]string{3: "three", 4: "four"}[len(names)]), "they are what was signed", "that a run wrote them")
	return nil
}

// judgeAgain has the transcript judged again. The same version of the program has to make every
// file anew as it is; of another one, only the transcript counts.
func (v *Verification) judgeAgain(contents map[string][]byte, s *statement, r *report.Report, e Expect, again Judge) (*record.Transcript, error) {
	made := s.madeBy()
	if made.Version == "" {
		return nil, errors.New("the statement does not say which version of the program made it")
	}
	if r.Tool.Version != made.Version {
		return nil, fmt.Errorf("the statement was made by version %q of the program, and the report by %q", shortenText(made.Version), shortenText(r.Tool.Version))
	}
	if err := checkClaim(made, e.Tool); err != nil {
		return nil, err
	}
	now, t, err := judgeTranscript(contents[TranscriptFile], s, made, e.Tool, again)
	if err != nil {
		return nil, err
	}
	if err := checkSameRun(r, now); err != nil {
		return nil, err
	}
	if made.hasSameVersionNumber(e.Tool) {
		return t, v.verifySameVersionBytes(contents, s, r, now, t, e.Tool)
	}
	return t, v.verifyAcrossVersions(contents, s, r, now, t, e)
}

// judgeTranscript has the transcript of a certificate judged again.
func judgeTranscript(file []byte, s *statement, made, checks Tool, again Judge) (*report.Report, *record.Transcript, error) {
	packed, err := openTranscriptExpander(file)
	if err != nil {
		return nil, nil, err
	}
	now, t, err := again(packed)
	if err != nil {
		err = fmt.Errorf("%s: %w", TranscriptFile, err)
		if !made.hasSameVersionNumber(checks) {
			err = fmt.Errorf("%w; it was made by version %s, which can check it: %s", err, made.Version, verifyingWith(made))
		}
		return nil, nil, err
	}
	if sum := fmt.Sprintf("%x", packed.sum.Sum(nil)); sum != s.fileDigests()[transcriptRow] {
		return nil, nil, fmt.Errorf("%s unpacks to another text than the statement names: its SHA-256 is %s…", TranscriptFile, sum[:12])
	}
	return now, t, packed.checkEnd()
}

// verifyingWith is the command by which another version verifies.
func verifyingWith(t Tool) string {
	return fmt.Sprintf("go run github.com/a2a-conform/a2a-conform/cmd/a2a-conform@%s verify", t.Version)
}

// compareStatement compares a statement with the one that is due.
func compareStatement(s *statement, r *report.Report, t *record.Transcript) (due *statement, err error) {
	at, err := s.signedAt()
	if err != nil {
		return nil, err
	}
	if due, err = newStatement(r, t, s.fileDigests(), s.madeBy(), at); err != nil {
		return nil, err
	}
	return due, s.compareWith(due)
}

// verifySameVersionBytes makes every file anew, and refuses one that differs in a byte.
func (v *Verification) verifySameVersionBytes(contents map[string][]byte, s *statement, r, now *report.Report, t *record.Transcript, checks Tool) error {
	har, err := openTranscriptExpander(contents[TranscriptFile])
	if err != nil {
		return err
	}
	if err := compareAnew(contents[ReportFile], contents[PageFile], har, r, now, t); err != nil {
		return err
	}
	if s.madeBy().sameFile(checks) {
		if err := compareCompressed(contents[TranscriptFile]); err != nil {
			return err
		}
	}
	due, err := compareStatement(s, r, t)
	if err != nil {
		return err
	}
	if err := s.compareConfigurationRows(due); err != nil {
		return err
	}
	if err := s.requireOwnEncoding(due, contents[EnvelopeFile]); err != nil {
		return err
	}
	v.Report = now
	v.addCheck("the transcript: its parts against each other, and judged again by version "+checks.Version, "the verdicts follow from the transcript and the catalogue", "that the conversation took place")
	v.addCheck("the report, the pages and the statement, made anew from the transcript", "each is what this version makes of it, byte for byte", "")
	return nil
}

// compareSummaryWithRenderedPage refuses a page about the certificate that is not, byte for byte, what this program makes of it.
func (v *Verification) compareSummaryWithRenderedPage(contents map[string][]byte, s *statement) error {
	if contents[SummaryFile] == nil {
		return nil
	}
	due, err := renderPage(v.Report, s.fileDigests(), s.madeBy(), v.Signer.Key.ID, v.SignedAt)
	if err != nil {
		return err
	}
	if place := firstDifference(contents[SummaryFile], due); place != "" {
		return fmt.Errorf("%s does not show its certificate: %s", SummaryFile, place)
	}
	return nil
}

// verifyAcrossVersions lets the transcript count, and what follows from it in every version. The
// page and the texts of the report do not.
func (v *Verification) verifyAcrossVersions(contents map[string][]byte, s *statement, r, now *report.Report, t *record.Transcript, e Expect) error {
	made := s.madeBy()
	if err := checkSameTargetDetails(r, now); err != nil {
		return err
	}
	if err := refuseAmbiguous(contents, r, t); err != nil {
		return err
	}
	due, err := compareStatement(s, r, t)
	if err != nil {
		return err
	}
	if err := s.knownRows(due); err != nil {
		return err
	}
	v.Report = now
	changed := compareVerdicts(r, now)
	accepted := e.Profile.acceptsVersion(made.Version)
	follows := "the verdicts follow from the transcript and the catalogue"
	switch {
	case len(changed.all) == 0:
		v.Notes = append(v.Notes, fmt.Sprintf("made by another build of the program (%s), and judged alike by this one (%s)", made.Version, e.Tool.Version))
	case !made.isRelease():
		return fmt.Errorf("it was made by a build that is no release (%s), and this one (%s) judges its transcript otherwise: %s. That judgement cannot be repeated; ask for a certificate made by a release", made.Version, e.Tool.Version, changed)
	default:
		v.Notes = append(v.Notes, fmt.Sprintf("judged otherwise since %s: %s. The signature and the digests hold. For the judgement of that version: %s", made.Version, changed, verifyingWith(made)))
	}
	switch {
	case changed.counts && accepted:
		follows = "what this version makes of the transcript; the profile accepts the verdicts of " + made.Version
		signed := *r
		signed.Target = now.Target // which every version reads from the transcript
		v.Report = &signed
		v.Notes = append(v.Notes, fmt.Sprintf("this version (%s) judges the server %s; %s accepts the judgement of %s, which is %s", e.Tool.Version, now.Verdict, e.Profile.file, made.Version, r.Verdict))
	case changed.counts:
		follows = "what this version makes of the transcript"
		v.Otherwise = &Otherwise{By: e.Tool.Version, Signed: r.Verdict, Maker: made.Version}
	}
	v.addCheck("the transcript: its parts against each other, and judged again by version "+e.Tool.Version, follows, "that the conversation took place")
	v.addCheck(fmt.Sprintf("not %s and the texts of %s: version %s made them", PageFile, ReportFile, made.Version), "", "that they show this run")
	v.Notes = append(v.Notes, fmt.Sprintf("do not open %s: another version (%s) made it, so it could not be compared with what follows from the transcript, nor could the texts of %s. replay %s (after gunzip) makes both anew", PageFile, made.Version, ReportFile, files.TranscriptFile))
	if contents[SummaryFile] != nil {
		v.Notes = append(v.Notes, fmt.Sprintf("nor open %s, for the same reason", SummaryFile))
	}
	return nil
}

// refuseAmbiguous refuses a report and a transcript that two readers may understand differently.
func refuseAmbiguous(contents map[string][]byte, r *report.Report, t *record.Transcript) error {
	var again bytes.Buffer
	if err := reports.JSON(&again, r); err != nil {
		return err
	}
	if err := checkMembers(ReportFile, bytes.NewReader(contents[ReportFile]), &again); err != nil {
		return err
	}
	har, err := openTranscriptExpander(contents[TranscriptFile])
	if err != nil {
		return err
	}
	written, w := io.Pipe()
	defer written.Close() // which ends the writer
	go func() { w.CloseWithError(record.WriteHAR(w, t)) }()
	return checkMembers(TranscriptFile, har, written)
}

// slack is how far the clocks of a signer and of a receiver may be apart.
const slack = 10 * time.Minute

// checkSignedAfterRun refuses what is signed before it was, or will be.
func (v *Verification) checkSignedAfterRun(s *statement, now time.Time) error {
	started := v.Report.Run.StartedAt
	ended := started.Add(time.Duration(v.Report.Run.DurationMs) * time.Millisecond)
	switch {
	case v.SignedAt.Before(started):
		return fmt.Errorf("it was signed at %s, before its run began at %s", v.SignedAt.Format(time.RFC3339), started.UTC().Format(time.RFC3339))
	case v.SignedAt.Before(ended.Add(-slack)):
		return fmt.Errorf("it was signed at %s, before its run ended at %s", v.SignedAt.Format(time.RFC3339), ended.UTC().Format(time.RFC3339))
	case v.SignedAt.After(now.Add(slack)):
		return fmt.Errorf("it was signed at %s, which is yet to come", v.SignedAt.Format(time.RFC3339))
	}
	return nil
}

// checkExpectations holds the run against what is asked for.
func (v *Verification) checkExpectations(s *statement, t *record.Transcript, e Expect) error {
	r := v.Report
	if r.Target.Kind == report.BundledTarget && !e.AllowBundled {
		return errors.New("it is about the server that is bundled with the program, which proves nothing about another; give --allow-bundled to try the command out")
	}
	if e.Target != "" {
		if !sameURL(e.Target, r.Target.URL) {
			return fmt.Errorf("it is about %s, and not about %s", shortenText(r.Target.URL), shortenText(e.Target))
		}
		v.addCheck("the target", "the transcript names "+shortenText(r.Target.URL), "that this server sent the answers")
	} else {
		v.addCheck("not the target: give --target URL", "", "that it is about the server that you mean")
	}
	if e.Nonce != "" {
		n, err := t.CheckNonce(e.Nonce)
		if err != nil {
			return fmt.Errorf("the run was not made with the nonce that you gave: %w", err)
		}
		v.addCheck(fmt.Sprintf("the nonce: %d of %d calls with a body have an id that is derived from it, and %d answers repeat theirs", n.Calls, n.Bodies, n.Echoed),
			"the transcript was written after the nonce was given", "that anybody but the signer took part: who signs can write both halves")
	} else {
		v.addCheck("no nonce: give one to the signer, and then --nonce", "", "that the transcript is new")
	}
	if err := checkNotOlderThan(r.Run.StartedAt, e.Now, e.MaxAge); err != nil {
		return err
	}
	if e.MaxAge > 0 {
		v.addCheck("the age", fmt.Sprintf("by the signer's clock the run is not older than %s", formatAge(e.MaxAge)), "that the server is still the same")
	}
	if e.Profile != nil {
		n, err := e.Profile.checkAndCountConditions(v, t, s.madeBy(), e)
		if err != nil {
			return fmt.Errorf("the profile %s is not met: %w", e.Profile.file, err)
		}
		v.addCheck(fmt.Sprintf("the %d conditions of the profile %s", n, e.Profile.file), "the run was made as the profile asks", "")
	}
	if r.Target.Insecure {
		v.Notes = append(v.Notes, "the run did not verify the server's TLS certificate (--insecure)")
	}
	return nil
}

// checkNotOlderThan refuses a run that is too old.
func checkNotOlderThan(started, now time.Time, most time.Duration) error {
	if age := now.Sub(started); most > 0 && age > most {
		return fmt.Errorf("its run is %s old, and at most %s is accepted", formatAge(age), formatAge(most))
	}
	return nil
}

// formatAge is a time for a reader.
func formatAge(d time.Duration) string {
	if d >= 48*time.Hour {
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
	return d.Round(time.Second).String()
}

// sameURL reports whether two addresses name one server: neither case nor a default port
// matters, nor a slash at the end.
func sameURL(a, b string) bool { return plainURL(a) == plainURL(b) }

func plainURL(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return s
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	u.Host = strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.RawPath = strings.TrimSuffix(u.RawPath, "/")
	u.Fragment = ""
	return u.String()
}
