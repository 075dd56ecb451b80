package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/forge"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/certificate"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// judgingBy judges a certificate's transcript as a version of the program with these checks
// and this catalogue does; nil for those of today.
func judgingBy(checks judge.Checks, d *schema.Dialect) certificate.Judge {
	return func(har io.Reader) (*report.Report, *record.Transcript, error) {
		o, err := conform.Replay(har)
		if err != nil {
			return nil, nil, err
		}
		if d == nil {
			d = o.Dialect
		}
		if checks == nil {
			checks = suites.Checks()
		}
		judged, err := summary.Judge(d, o.Transcript, checks, summary.CallDirectly)
		if err != nil {
			return nil, nil, err
		}
		return judged.Report, o.Transcript, nil
	}
}

// judgingOnce judges the transcript of one certificate by a judge, whatever is then asked of it.
func judgingOnce(by certificate.Judge) certificate.Judge {
	var once sync.Once
	var judged *report.Report
	var transcript *record.Transcript
	var err error
	return func(har io.Reader) (*report.Report, *record.Transcript, error) {
		once.Do(func() { judged, transcript, err = by(har) })
		if _, unread := io.Copy(io.Discard, har); unread != nil { // it is summed up as it is read
			return nil, nil, unread
		}
		return judged, transcript, err
	}
}

// attested is the certificate of a run, by a version of the program that was released.
func attested(t *testing.T, o *conform.Outcome, har []byte, by *certificate.PrivateKey, tool certificate.Tool) []byte {
	t.Helper()
	var report, page bytes.Buffer
	if err := reports.JSON(&report, o.Report); err != nil {
		t.Fatal(err)
	}
	if err := html.WriteReport(&page, o.Report, o.Transcript); err != nil {
		t.Fatal(err)
	}
	file, err := certificate.Attest(certificate.Run{Report: report.Bytes(), Transcript: har, Page: page.Bytes()}, by, tool, judgingBy(nil, nil), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func keys(t *testing.T) (*certificate.PrivateKey, certificate.Expect) {
	t.Helper()
	private, public, err := certificate.Generate(certificate.Ed25519)
	if err != nil {
		t.Fatal(err)
	}
	key, err := certificate.ReadPrivate(private)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := certificate.ReadPublic(public)
	if err != nil {
		t.Fatal(err)
	}
	return key, certificate.Expect{Keys: []certificate.Holder{{Key: pub}}, AllowBundled: true, Now: time.Now(), Tool: certificate.Tool{Version: "v1.3.0", Program: strings.Repeat("2", 64)}}
}

// A later version that judges otherwise says so and does not agree, unless the receiver's
// profile names the version that made the certificate. That version itself takes the same
// difference for a lie, and a transcript that it does not write so.
func TestJudgedOtherwiseSince(t *testing.T) {
	t.Parallel()
	const warned = "A2A01-MSG-040"
	o, har := recordedRun(t, reference.Options{Dialect: "a2a-0.1", Mutant: "bare-file-refused"}, conform.Target{Version: "v1.2.0", Behaviour: conform.Behaviour{DefaultStimuli: true, Bundled: true}})
	key, expect := keys(t)
	made := certificate.Tool{Version: "v1.2.0", Program: strings.Repeat("1", 64)}
	file := attested(t, o, har, key, made)

	checks := maps.Clone(suites.Checks())
	i := slices.IndexFunc(o.Dialect.Requirements, func(r schema.Requirement) bool { return r.ID == warned })
	name := o.Dialect.Requirements[i].Check
	checks[name] = checks[name].Sabotaged()
	fewer := *o.Dialect
	fewer.Digest, fewer.Requirements = "sha256:"+strings.Repeat("0", 64), slices.Delete(slices.Clone(fewer.Requirements), i, i+1)
	var otherWriter bytes.Buffer
	if err := json.Compact(&otherWriter, har); err != nil {
		t.Fatal(err)
	}
	compact := forge.Open(file).Retell(func(payloadType string, payload []byte) []byte {
		text, err := certificate.Sign(payloadType, payload, key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}, otherWriter.Bytes()).Pack()
	for _, c := range []struct {
		name  string
		file  []byte
		by    certificate.Judge
		notes string
		agree bool
		same  string // by which the version that made it refuses it
	}{
		{"nothing", file, judgingBy(nil, nil), "judged alike by this one", true, ""},
		{"a check", file, judgingBy(checks, nil), "judged otherwise since v1.2.0: " + warned + " was fail, and is pass", false, warned + " was fail, and is pass"},
		{"an entry of the catalogue", file, judgingBy(nil, &fewer), "judged otherwise since v1.2.0: " + warned + " was fail, and is no longer judged", false, warned + " was fail, and is no longer judged"},
		{"the writer of transcripts", compact, judgingBy(nil, nil), "judged alike by this one", true, "transcript.har is not as this program writes what it holds"},
	} {
		by := judgingOnce(c.by)
		for versions, accepts := range map[string]bool{"": false, "'*'": false, "v0.*": false, "v1.*": true, "v1.2.0": true} {
			receiver := expect
			if versions != "" {
				receiver.Profile = profileOf(t, "versions: ["+versions+", '*']\n")
			}
			v := certificate.Verify(c.file, receiver, by)
			if v.Refused != nil || v.Holds() != (c.agree || accepts) || !strings.Contains(strings.Join(v.Notes, "\n"), c.notes) {
				t.Errorf("%s, versions %s: %v, holds: %v, %q", c.name, versions, v.Refused, v.Holds(), v.Notes)
			}
			var text strings.Builder
			if err := v.Text(&text); err != nil || strings.Contains(text.String(), " as judged otherwise by version v1.3.0, signature valid: ") == v.Holds() || !strings.Contains(text.String(), "do not open report.html") {
				t.Errorf("%s, versions %s: %v\n%s", c.name, versions, err, &text)
			}
		}
		same := expect
		same.Tool = made
		switch v := certificate.Verify(c.file, same, by); {
		case c.same == "" && (v.Refused != nil || len(v.Notes) > 0):
			t.Errorf("%s, same version: %v, %q", c.name, v.Refused, v.Notes)
		case c.same != "" && (v.Refused == nil || !strings.Contains(v.Refused.Error(), c.same)):
			t.Errorf("%s, same version: %v", c.name, v.Refused)
		}
	}
}

// A version that the receiver accepts decides, also if this one finds the server nonconformant.
func TestAcceptedVersionDecides(t *testing.T) {
	t.Parallel()
	const missing = "A2A01-CARD-001"
	o, har := recordedRun(t, reference.Options{Dialect: "a2a-0.1"}, conform.Target{Version: "v1.2.0", Behaviour: conform.Behaviour{DefaultStimuli: true, Bundled: true}})
	key, expect := keys(t)
	file := attested(t, o, har, key, certificate.Tool{Version: "v1.2.0", Program: strings.Repeat("1", 64)})
	stricter := func(har io.Reader) (*report.Report, *record.Transcript, error) {
		r, tr, err := judgingBy(nil, nil)(har)
		if err == nil {
			i := slices.IndexFunc(r.Results, func(res report.Result) bool { return res.ID == missing })
			r.Results[i].Verdict, r.Verdict = report.Fail, report.Nonconformant
		}
		return r, tr, err
	}
	v := certificate.Verify(file, expect, stricter)
	if v.Refused != nil || v.Holds() || v.Agreed() || v.Report.Verdict != report.Nonconformant || v.Otherwise.Signed != report.Conformant || v.Otherwise.By != "v1.3.0" {
		t.Errorf("%v, %+v", v.Refused, v.Otherwise)
	}
	expect.Profile = profileOf(t, "versions: [v1.2.*]\n")
	v = certificate.Verify(file, expect, stricter)
	if want := "this version (v1.3.0) judges the server nonconformant; profile.yaml accepts the judgement of v1.2.0, which is conformant"; v.Refused != nil || !v.Holds() || !slices.Contains(v.Notes, want) {
		t.Errorf("%v, %q", v.Refused, v.Notes)
	}
}

func profileOf(t *testing.T, text string) *certificate.Profile {
	t.Helper()
	p, err := certificate.ReadProfile("profile.yaml", []byte(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A build that is no release cannot be asked again: where it is judged otherwise, it counts
// for nothing.
func TestUnreleasedBuildsJudgedOtherwise(t *testing.T) {
	t.Parallel()
	o, har := recordedRun(t, reference.Options{Dialect: "core-schema"}, conform.Target{Dialect: "core-schema", Version: "devel", Behaviour: conform.Behaviour{DefaultStimuli: true, Bundled: true}})
	key, expect := keys(t)
	file := attested(t, o, har, key, certificate.Tool{Version: "devel", Program: strings.Repeat("1", 64)})
	if v := certificate.Verify(file, expect, judgingBy(nil, nil)); v.Refused != nil {
		t.Error(v.Refused)
	}
	fewer := *o.Dialect
	fewer.Requirements = fewer.Requirements[1:]
	if v := certificate.Verify(file, expect, judgingBy(nil, &fewer)); v.Refused == nil || !strings.Contains(v.Refused.Error(), "made by a build that is no release (devel)") {
		t.Error(v.Refused)
	}
}

// Certificates that a version made stay genuine for every later one.
func TestCertificatesAgeWell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, nonce string }{{"a2a-0.1", "a-nonce-of-the-receiver"}, {"a2a-1.0", ""}} {
		read := func(ending string) []byte {
			text, err := os.ReadFile("reports/certificate/testdata/" + c.name + ending)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		pub, err := certificate.ReadPublic(read(".pub"))
		if err != nil {
			t.Fatal(err)
		}
		v := certificate.Verify(read(".zip"), certificate.Expect{Keys: []certificate.Holder{{Key: pub}}, AllowBundled: true, Nonce: c.nonce, Now: time.Now(), Tool: certificate.Tool{Version: "devel"}}, judgingBy(nil, nil))
		if v.Refused != nil || !v.Holds() {
			t.Errorf("%s: %v", c.name, v.Refused)
		}
		t.Logf("%s: %q", c.name, v.Notes)
	}
}

// BenchmarkVerify is about a certificate of some 560 requirements and 600 exchanges.
func BenchmarkVerify(b *testing.B) {
	file, err := os.ReadFile("reports/certificate/testdata/a2a-1.0.zip")
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile("reports/certificate/testdata/a2a-1.0.pub")
	if err != nil {
		b.Fatal(err)
	}
	pub, err := certificate.ReadPublic(text)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if v := certificate.Verify(file, certificate.Expect{Keys: []certificate.Holder{{Key: pub}}, AllowBundled: true, Now: time.Now()}, judgingBy(nil, nil)); v.Refused != nil {
			b.Fatal(v.Refused)
		}
	}
}

// recordedRun judges a bundled server, and returns the outcome with the record of the run.
func recordedRun(t *testing.T, of reference.Options, target conform.Target) (*conform.Outcome, []byte) {
	t.Helper()
	target.URL = bundled(t, of).URL()
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	var har bytes.Buffer
	if err := record.WriteHAR(&har, o.Transcript); err != nil {
		t.Fatal(err)
	}
	return o, har.Bytes()
}
