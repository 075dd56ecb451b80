package certificate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Holder is somebody whose signature is accepted.
type Holder struct {
	Name string // "" where nobody named him
	Key  *PublicKey
}

// Expect is what is asked of a certificate, beside that it is genuine.
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

// Row is something that was checked.
type Row struct {
	Checked string
	Proves  string
	Not     string // what it does not prove
}

// Verification is what came of checking a certificate.
type Verification struct {
	Refused  error         // why it does not count; nil if it does
	Report   *judge.Report // of the run, once its signature was found good
	Signer   Holder
	SignedAt time.Time
	Rows     []Row
	Notes    []string // what a reader has to know besides
}

// Holds reports whether a certificate is one of a conformant server, fully judged.
func (v *Verification) Holds() bool {
	return v.Refused == nil && v.Report.Verdict == judge.Conformant && v.Report.Run.Selection == "full"
}

// Verify checks a certificate. Nothing in it is looked at before its signature was found
// good, but for what that takes; the keys are those that are expected, never one of the file.
func Verify(file []byte, e Expect, again Judge) *Verification {
	v := &Verification{}
	v.Refused = v.check(file, e, again)
	return v
}

func (v *Verification) check(file []byte, e Expect, again Judge) error {
	files, err := unpack(file)
	if err != nil {
		return err
	}
	s, err := v.opened(files[EnvelopeFile], e)
	if err != nil {
		return err
	}
	if err := v.intact(files, s); err != nil {
		return err
	}
	r, err := reports.ReadJSON(bytes.NewReader(files[ReportFile]))
	if err != nil {
		return fmt.Errorf("%s: %w", ReportFile, err)
	}
	t, err := v.judged(files, s, r, e.Tool, again)
	if err != nil {
		return err
	}
	v.Report = r
	if err := v.times(s, e.Now); err != nil {
		return err
	}
	return v.expected(s, t, e)
}

// opened checks the signature and reads what was signed.
func (v *Verification) opened(text []byte, e Expect) (*statement, error) {
	var env dsse.Envelope
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&env); err != nil {
		return nil, fmt.Errorf("%s is no DSSE envelope: %w", EnvelopeFile, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the envelope in %s", EnvelopeFile)
	}
	if env.PayloadType != payloadType {
		return nil, fmt.Errorf("the envelope holds %q; expected %q", short(env.PayloadType), payloadType)
	}
	const maxSignatures = 10
	if n := len(env.Signatures); n == 0 || n > maxSignatures {
		return nil, fmt.Errorf("the envelope has %d signatures; expected 1 to %d", n, maxSignatures)
	}
	var accepted []dsse.Verifier
	var ids, signed []string
	for _, h := range e.Keys {
		accepted, ids = append(accepted, h.Key), append(ids, h.Key.ID)
	}
	for _, sig := range env.Signatures {
		if slices.Contains(signed, sig.KeyID) {
			return nil, fmt.Errorf("the envelope has two signatures of the key %q", short(sig.KeyID))
		}
		signed = append(signed, sig.KeyID)
	}
	verifier, err := dsse.NewEnvelopeVerifier(accepted...)
	if err != nil {
		return nil, err
	}
	by, payload, err := verifier.VerifyAndDecode(context.Background(), &env)
	switch known := slices.ContainsFunc(signed, func(id string) bool { return slices.Contains(ids, id) }); {
	case err != nil && strings.Contains(err.Error(), "base64"):
		return nil, fmt.Errorf("the envelope cannot be decoded: %w", err)
	case (err != nil || len(by) == 0) && known:
		return nil, errors.New("the signature is wrong: the statement was changed after it was signed, or the signature was")
	case err != nil || len(by) == 0:
		return nil, fmt.Errorf("it is signed by the key %s, and not by the one that you accept, %s", short(strings.Join(signed, ", ")), strings.Join(ids, ", "))
	}
	s, err := readStatement(payload)
	if err != nil {
		return nil, err
	}
	i := slices.Index(ids, by[0].KeyID)
	v.Signer = e.Keys[i]
	if v.SignedAt, err = s.signedAt(); err != nil {
		return nil, err
	}
	v.row("the signature of "+v.Signer.String(), "who vouches for the run, and when it was signed by the signer's clock", "that the signer is honest")
	return s, nil
}

// String is a holder for a reader.
func (h Holder) String() string {
	if h.Name == "" {
		return h.Key.ID
	}
	return fmt.Sprintf("%s (%s)", h.Name, h.Key.ID)
}

func (v *Verification) row(checked, proves, not string) {
	v.Rows = append(v.Rows, Row{checked, proves, not})
}

// intact holds the digests of the files against those that were signed.
func (v *Verification) intact(files map[string][]byte, s *statement) error {
	sums := s.sums()
	for _, name := range []string{ReportFile, TranscriptFile, PageFile} {
		switch sum := digest(files[name]); {
		case sums[name] == "":
			return fmt.Errorf("the statement has no digest of %s", name)
		case sum != sums[name]:
			return fmt.Errorf("%s is not the file that was signed: its SHA-256 is %s…, and %s… was signed", name, sum[:12], short(sums[name])[:min(12, len(sums[name]))])
		}
	}
	v.row("the digests of the three files", "they are what was signed", "that a run wrote them")
	return nil
}

// judged has the transcript judged again, and compares what was stated with what follows from
// it.
func (v *Verification) judged(files map[string][]byte, s *statement, r *judge.Report, checks Tool, again Judge) (*wire.Transcript, error) {
	made := s.tool()
	if made.Version == "" {
		return nil, errors.New("the statement does not say which version of the program made it")
	}
	if r.Tool.Version != made.Version {
		return nil, fmt.Errorf("the statement was made by version %q of the program, and the report by %q", short(made.Version), short(r.Tool.Version))
	}
	packed, err := expand(files[TranscriptFile])
	if err != nil {
		return nil, err
	}
	now, t, err := again(packed)
	if err != nil {
		if !made.same(checks) {
			return nil, fmt.Errorf("%s: %w; it was made by version %s, which can check it: go run github.com/a2a-conform/a2a-conform/cmd/a2a-conform@%[3]s verify", TranscriptFile, err, made.Version)
		}
		return nil, fmt.Errorf("%s: %w", TranscriptFile, err)
	}
	if sum := fmt.Sprintf("%x", packed.sum.Sum(nil)); sum != s.sums()[transcriptRow] {
		return nil, fmt.Errorf("%s unpacks to another text than the statement names: its SHA-256 is %s…", TranscriptFile, sum[:12])
	}
	same := made.same(checks)
	changed := otherwise(r, now)
	if err := together(r, now, t, files[PageFile], same); err != nil {
		return nil, err
	}
	at, err := s.signedAt()
	if err != nil {
		return nil, err
	}
	due, err := stating(r, t, s.sums(), made, at)
	if err != nil {
		return nil, err
	}
	if err := s.differs(due); err != nil {
		return nil, err
	}
	if same {
		if err := s.rowsDiffer(due); err != nil {
			return nil, err
		}
	}
	v.row("the transcript: its parts against each other, and judged again by version "+checks.Version, "the verdicts follow from the transcript and the catalogue", "that the conversation took place")
	switch {
	case len(changed) > 0 && !made.released():
		return nil, fmt.Errorf("it was made by a build that is no release (%s), and this one (%s) judges its transcript otherwise: %s. Nobody can make that judgement again; ask for a certificate by a release", short(made.Version), checks.Version, strings.Join(changed, "; "))
	case len(changed) > 0:
		v.Notes = append(v.Notes, fmt.Sprintf("judged otherwise since %s: %s. The signature and the digests hold. For the judgement of that version: go run github.com/a2a-conform/a2a-conform/cmd/a2a-conform@%[1]s verify", made.Version, strings.Join(changed, "; ")))
	case !same:
		v.Notes = append(v.Notes, fmt.Sprintf("made by another build of the program (%s), and judged alike by this one (%s)", short(made.Version), checks.Version))
	}
	if !same {
		v.Notes = append(v.Notes, "the texts of report.json and the page report.html could not be compared with what follows from the transcript, because another build wrote them")
	}
	return t, nil
}

// slack is how far the clocks of a signer and of a receiver may be apart.
const slack = 10 * time.Minute

// times refuses what is signed before it was, or will be.
func (v *Verification) times(s *statement, now time.Time) error {
	started := v.Report.Run.StartedAt
	switch {
	case v.SignedAt.Before(started):
		return fmt.Errorf("it was signed at %s, before its run began at %s", v.SignedAt.Format(time.RFC3339), started.UTC().Format(time.RFC3339))
	case v.SignedAt.After(now.Add(slack)):
		return fmt.Errorf("it was signed at %s, which is yet to come", v.SignedAt.Format(time.RFC3339))
	}
	return nil
}

// expected holds the run against what is asked for.
func (v *Verification) expected(s *statement, t *wire.Transcript, e Expect) error {
	r := v.Report
	if r.Target.Kind == "bundled" && !e.AllowBundled {
		return errors.New("it is about the server that is bundled with the program, which proves nothing about another; give --allow-bundled to try the command out")
	}
	if e.Target != "" {
		if !sameURL(e.Target, r.Target.URL) {
			return fmt.Errorf("it is about %s, and not about %s", short(r.Target.URL), short(e.Target))
		}
		v.row("the target", "the transcript names "+short(r.Target.URL), "that this server sent the answers")
	} else {
		v.row("not the target: give --target URL", "", "that it is about the server that you mean")
	}
	if e.Nonce != "" {
		n, err := t.CheckNonce(e.Nonce)
		if err != nil {
			return fmt.Errorf("the run was not made with the nonce that you gave: %w", err)
		}
		v.row(fmt.Sprintf("the nonce: %d of %d calls with a body have an id that is derived from it, and %d answers repeat theirs", n.Calls, n.Bodies, n.Echoed),
			"the transcript was written after the nonce was given", "that anybody but the signer took part: who signs can write both halves")
	} else {
		v.row("no nonce: give one to the signer, and then --nonce", "", "that the transcript is new")
	}
	if err := fresh(r.Run.StartedAt, e.Now, e.MaxAge); err != nil {
		return err
	}
	if e.MaxAge > 0 {
		v.row("the age", fmt.Sprintf("by the signer's clock the run is not older than %s", days(e.MaxAge)), "that the server is still the same")
	}
	if e.Profile != nil {
		n, err := e.Profile.check(v, t, s.tool(), e)
		if err != nil {
			return fmt.Errorf("the profile %s is not met: %w", e.Profile.file, err)
		}
		v.row(fmt.Sprintf("the %d conditions of %s", n, e.Profile.file), "the run was made as the profile asks", "")
	}
	if r.Target.Insecure {
		v.Notes = append(v.Notes, "the run did not verify the server's TLS certificate (--insecure)")
	}
	return nil
}

// fresh refuses a run that is too old.
func fresh(started, now time.Time, most time.Duration) error {
	if age := now.Sub(started); most > 0 && age > most {
		return fmt.Errorf("its run is %s old, and at most %s is accepted", days(age), days(most))
	}
	return nil
}

// days is a time for a reader.
func days(d time.Duration) string {
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
