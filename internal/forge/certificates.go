package forge

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Certificate is one that somebody forged or broke.
type Certificate struct {
	Name string
	File []byte
	Says string // is in the sentence by which it is refused, or in what is stated of it
	Exit int    // DifferentVerdict if it is genuine and the verdicts are not; else it is refused
	// Shared states that the sentence is another forgery's as well: what is wrong cannot be reported
	// apart.
	Shared bool
}

// Sign writes a DSSE envelope, as the signer of a genuine certificate does.
type Sign func(payloadType string, payload []byte) []byte

// Bundle is a certificate taken apart.
type Bundle map[string][]byte

// The files of a certificate.
const (
	envelope   = "envelope.dsse.json"
	report     = "report.json"
	transcript = "transcript.har.gz"
	page       = "report.html"
	summary    = "certificate.html"
	outcome    = "result"
	inToto     = "application/vnd.in-toto+json"
)

var bundled = []string{envelope, report, transcript, summary, page}

// Open takes a certificate apart.
func Open(file []byte) Bundle {
	b := Bundle{}
	for _, f := range must(zip.NewReader(bytes.NewReader(file), int64(len(file)))).File {
		b[f.Name] = must(io.ReadAll(must(f.Open())))
	}
	return b
}

func panicOnError(err error) {
	if err != nil {
		panic(err)
	}
}

// must returns what a call returned that cannot fail here.
func must[T any](v T, err error) T {
	panicOnError(err)
	return v
}

// With returns the certificate with another file, and no new signature.
func (b Bundle) With(name string, text []byte) Bundle {
	out := maps.Clone(b)
	out[name] = text
	return out
}

// changeText returns a file of the certificate in which one text is replaced by another.
func (b Bundle) changeText(file, from, to string) []byte {
	if !bytes.Contains(b[file], []byte(from)) {
		panic(fmt.Sprintf("%s does not contain %q", file, from))
	}
	return bytes.Replace(b[file], []byte(from), []byte(to), 1)
}

// editCopy returns the bytes of a file after a change.
func editCopy(file []byte, edit func(file []byte)) []byte {
	file = slices.Clone(file)
	edit(file)
	return file
}

// editObject returns the text of a JSON object after a change, in one line.
func editObject(text []byte, edit func(o object)) []byte {
	var o object
	panicOnError(json.Unmarshal(text, &o))
	edit(o)
	return must(json.Marshal(o))
}

// Pack puts files into one, in the order of their names.
func (b Bundle) Pack(names ...string) []byte {
	if names == nil {
		names = bundled
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	for _, name := range names {
		must(must(z.Create(name)).Write(b[name]))
	}
	panicOnError(z.Close())
	return out.Bytes()
}

// Statement returns what was signed.
func (b Bundle) Statement() object {
	var e struct{ Payload []byte }
	panicOnError(json.Unmarshal(b[envelope], &e))
	var s object
	panicOnError(json.Unmarshal(e.Payload, &s))
	return s
}

// Restate has another statement signed.
func (b Bundle) Restate(sign Sign, edit func(statement object)) Bundle {
	s := b.Statement()
	edit(s)
	return b.With(envelope, sign(inToto, must(json.Marshal(s))))
}

// Replace puts another file into a certificate and has its digest signed anew.
func (b Bundle) Replace(sign Sign, name string, text []byte) Bundle {
	return b.With(name, text).Restate(sign, func(s object) { setRowDigest(s, name, hexDigest(text)) })
}

// Retell is Replace for the transcript as it is before it is compressed.
func (b Bundle) Retell(sign Sign, har []byte) Bundle {
	was := hexDigest(b.Transcript())
	return b.Replace(sign, transcript, gzipText(har)).Restate(sign, func(s object) {
		setRowDigest(s, "transcript.har", hexDigest(har))
		if subject := firstObject(s["subject"]); subject["digest"].(object)["sha256"] == was { // for want of a card
			subject["digest"] = object{"sha256": hexDigest(har)}
		}
	})
}

// Transcript returns the transcript as it is before it is compressed.
func (b Bundle) Transcript() []byte {
	return must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(b[transcript])))))
}

func gzipText(text []byte) []byte {
	var b bytes.Buffer
	z := must(gzip.NewWriterLevel(&b, gzip.BestSpeed))
	must(z.Write(text))
	panicOnError(z.Close())
	return b.Bytes()
}

func hexDigest(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

// configurationRow returns a row of a statement's configuration.
func configurationRow(s object, name string) object {
	for _, r := range predicateOf(s)["configuration"].([]any) {
		if r.(object)["name"] == name {
			return r.(object)
		}
	}
	panic("no row " + name)
}

func predicateOf(s object) object { return s["predicate"].(object) }

func setRowDigest(s object, of, sha256 string) {
	configurationRow(s, of)["digest"] = object{"sha256": sha256}
}

// addConfigurationRow adds a row to a statement's configuration.
func addConfigurationRow(s, row object) {
	predicateOf(s)["configuration"] = append(predicateOf(s)["configuration"].([]any), row)
}

// zeros is a digest that no file has.
var zeros = strings.Repeat("0", 64)

func setRowAnnotation(s object, of, name string, value any) {
	configurationRow(s, of)["annotations"].(object)[name] = value
}

// Certificates are forgeries and broken files made of a genuine certificate of the bundled
// server: by somebody without a key, with a key of his own, and with the signer's.
func Certificates(genuine []byte, signers, strangers Sign) []Certificate {
	b := Open(genuine)
	return slices.Concat(brokenFiles(genuine, b), brokenEnvelopes(b, signers, strangers), otherStatements(b, signers), otherFiles(b, signers), otherTranscripts(b, signers))
}

// brokenFiles are no certificates as files.
func brokenFiles(genuine []byte, b Bundle) []Certificate {
	end := len(genuine) - 22
	changed := func(edit func([]byte)) []byte { return editCopy(genuine, edit) }
	lines := bytes.Repeat([]byte("a"), 64<<20)
	lying := b.With(page, lines).Pack()
	at := bytes.LastIndex(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[at+24:], 1000) // the size of what is unpacked
	flagged := func(bit, offset int) []byte {
		return changed(func(z []byte) { z[bytes.LastIndex(z, []byte("PK\x01\x02"))+offset] |= byte(bit) })
	}
	var many bytes.Buffer
	z := zip.NewWriter(&many)
	for i := range 70_000 {
		must(z.CreateHeader(&zip.FileHeader{Name: fmt.Sprint(i)}))
	}
	panicOnError(z.Close())
	return []Certificate{
		{Name: "an empty file", Says: "the file is empty"},
		{Name: "a text", File: []byte("this is genuine"), Says: "not in the ZIP format"},
		{Name: "cut short", File: genuine[:len(genuine)*2/3], Says: "cut short"},
		{Name: "something added to its end", File: append(slices.Clone(genuine), "more"...), Says: "cut short, or something was added", Shared: true},
		{Name: "a program before it", File: append([]byte("PK\x03\x04#!/bin/sh\n"), genuine...), Says: "not where it says"},
		{Name: "a fifth file, with the key to check it by", File: b.With("signer.pub", []byte("key")).Pack(append(slices.Clone(bundled), "signer.pub")...), Says: "has 6 entries"},
		{Name: "a key in the place of the page", File: b.With("signer.pub", []byte("key")).Pack(envelope, report, transcript, "signer.pub"), Says: `holds "signer.pub"`},
		{Name: "a file elsewhere", File: b.With("../report.json", b[report]).Pack(envelope, "../report.json", transcript, page), Says: `holds "../report.json"`},
		{Name: "the report in capitals", File: b.With("REPORT.JSON", b[report]).Pack(envelope, "REPORT.JSON", transcript, page), Says: `holds "REPORT.JSON"`},
		{Name: "a file from the root", File: b.With("/report.json", b[report]).Pack(envelope, "/report.json", transcript, page), Says: `holds "/report.json"`},
		{Name: "a file elsewhere, by backslashes", File: b.With(`..\report.json`, b[report]).Pack(envelope, `..\report.json`, transcript, page), Says: `holds "..\\report.json"`},
		{Name: "a name with a NUL", File: b.With("report.json\x00.html", b[report]).Pack(envelope, "report.json\x00.html", transcript, page), Says: `holds "report.json\x00.html"`},
		{Name: "a folder in the place of the report", File: b.With("report.json/", nil).Pack(envelope, "report.json/", transcript, page), Says: `holds "report.json/"`},
		{Name: "a comment at its end", File: append(changed(func(z []byte) { z[end+20] = 9 }), "certified"...), Says: "cut short, or something was added", Shared: true},
		{Name: "as many entries as only ZIP64 has", File: changed(func(z []byte) { copy(z[end+8:], "\xff\xff\xff\xff") }), Says: "has 65535 entries", Shared: true},
		{Name: "a directory where only ZIP64 has one", File: changed(func(z []byte) { copy(z[end+16:], "\xff\xff\xff\xff") }), Says: "not where it says", Shared: true},
		{Name: "another checksum in the directory", File: changed(func(z []byte) { z[bytes.LastIndex(z, []byte("PK\x01\x02"))+16] ^= 1 }), Says: "report.html is damaged", Shared: true},
		{Name: "another length after the page's bytes", File: changed(func(z []byte) { z[bytes.LastIndex(z, []byte("PK\x07\x08"))+12] ^= 1 }), Says: "bytes after its last entry that belong to none"},
		{Name: "a certificate in the place of the page", File: b.With(page, genuine).Pack(), Says: "report.html is not the file that was signed"},
		{Name: "the report twice", File: b.Pack(envelope, report, transcript, report), Says: "holds report.json twice"},
		{Name: "no page", File: b.Pack(envelope, report, transcript), Says: "has 3 entries"},
		{Name: "an empty page", File: b.With(page, nil).Pack(), Says: "report.html is empty"},
		{Name: "too large", File: append(slices.Clone(genuine), make([]byte, 20<<20)...), Says: "larger than 20 MiB"},
		{Name: "a page that unpacks to 64 MiB", File: b.With(page, lines).Pack(), Says: "report.html unpacks to more than 48 MiB"},
		{Name: "a page that unpacks to more than its header says", File: lying, Says: "report.html is damaged"},
		{Name: "an envelope that unpacks to 64 MiB", File: b.With(envelope, lines).Pack(), Says: "envelope.dsse.json unpacks to more than 1 MiB"},
		{Name: "70,000 entries", File: many.Bytes(), Says: "entries; a certificate has 4", Shared: true},
		{Name: "entries that the end does not count", File: changed(func(z []byte) { binary.LittleEndian.PutUint16(z[end+10:], 70) }), Says: "has 70 entries"},
		{Name: "a directory that reaches back", File: changed(func(z []byte) {
			binary.LittleEndian.PutUint32(z[end+12:], uint32(end))
			binary.LittleEndian.PutUint32(z[end+16:], 0)
		}), Says: "not where it says", Shared: true},
		{Name: "another page in the ZIP file", File: changed(func(z []byte) { z[bytes.Index(z, []byte("PK\x01\x02"))-100] ^= 0xff }), Says: "report.html is damaged", Shared: true},
		{Name: "an encrypted page", File: flagged(1, 8), Says: "report.html is encrypted"},
		{Name: "a page that is packed in another way", File: flagged(64, 10), Says: "report.html cannot be read"},
	}
}

// brokenEnvelopes have no signature that counts.
func brokenEnvelopes(b Bundle, signers, strangers Sign) (out []Certificate) {
	add := func(name, says string, shared bool, text []byte) {
		out = append(out, Certificate{Name: name, File: b.With(envelope, text).Pack(), Says: says, Shared: shared})
	}
	edited := func(edit func(e object)) []byte { return editObject(b[envelope], edit) }
	signature := func(e object) object { return firstObject(e["signatures"]) }
	payload := must(json.Marshal(b.Statement()))
	const wrong = "the signature is wrong"
	add("no envelope", "no DSSE envelope", false, []byte("genuine"))
	add("an envelope with the key", `unknown field "key"`, false, edited(func(e object) { e["key"] = "trust me" }))
	add("two envelopes", "something follows the envelope", false, append(slices.Clone(b[envelope]), b[envelope]...))
	add("another type of payload", `holds "text/plain"`, false, edited(func(e object) { e["payloadType"] = "text/plain" }))
	add("another type of payload, signed", `holds "application/json"`, false, signers("application/json", payload))
	add("no signature", "has 0 signatures", false, edited(func(e object) { e["signatures"] = []any{} }))
	add("a hundred signatures", "has 100 signatures", false, edited(func(e object) { e["signatures"] = slices.Repeat([]any{signature(e)}, 100) }))
	add("the same signature twice", "two signatures of the key", false, edited(func(e object) { e["signatures"] = []any{signature(e), signature(e)} }))
	add("another's signature", "not by the one that you accept", false, strangers(inToto, payload))
	add("a payload that is not base64", "cannot be decoded", false, edited(func(e object) { e["payload"] = "!!!" }))
	add("a signature that is not base64", "cannot be decoded", true, edited(func(e object) { signature(e)["sig"] = "!!!" }))
	add("a signature changed", wrong, false, edited(func(e object) { signature(e)["sig"] = flipBitInBase64(signature(e)["sig"].(string), 10) }))
	add("a signature of nothing", wrong, true, edited(func(e object) { signature(e)["sig"] = "" }))
	add("a statement changed", wrong, true, edited(func(e object) {
		text, _ := base64.StdEncoding.DecodeString(e["payload"].(string))
		e["payload"] = base64.StdEncoding.EncodeToString(bytes.Replace(text, []byte("PASSED"), []byte("WARNED"), 1))
	}))
	add("another's signature with the signer's key id", wrong, true, edited(func(e object) {
		id := signature(e)["keyid"]
		panicOnError(json.Unmarshal(strangers(inToto, payload), &e))
		signature(e)["keyid"] = id
	}))
	add("the signature of another statement", wrong, true, edited(func(e object) {
		var other object
		panicOnError(json.Unmarshal(signers(inToto, []byte("{}")), &other))
		e["signatures"] = other["signatures"]
	}))
	return out
}

// flipBitInBase64 changes a byte of a text in base64.
func flipBitInBase64(text string, at int) string {
	b := must(base64.StdEncoding.DecodeString(text))
	b[at] ^= 1
	return base64.StdEncoding.EncodeToString(b)
}

// otherStatements are signed by the signer, and do not state what follows from their files.
func otherStatements(b Bundle, sign Sign) (out []Certificate) {
	for _, c := range []struct {
		name, says string
		edit       func(s object)
	}{
		{"an older type of statement", `of the type "https://in-toto.io/Statement/v0.1"`, func(s object) { s["_type"] = "https://in-toto.io/Statement/v0.1" }},
		{"no type of statement", "wrong statement type", func(s object) { delete(s, "_type") }},
		{"another type of predicate", `of the type "https://slsa.dev/provenance/v1"`, func(s object) { s["predicateType"] = "https://slsa.dev/provenance/v1" }},
		{"a member that nobody knows", "no test result", func(s object) { predicateOf(s)["trust"] = "me" }},
		{"a member of the statement that nobody knows", "no statement of in-toto", func(s object) { s["trust"] = "me" }},
		{"no subject", "at least one subject", func(s object) { s["subject"] = []any{} }},
		{"two subjects", "has 2 subjects", func(s object) { s["subject"] = append(s["subject"].([]any), deepCopy(s["subject"].([]any)[0])) }},
		{"another server", "names the subject", func(s object) { firstObject(s["subject"])["name"] = "https://agent.acme.example" }},
		{"another card", "has the card's digest", func(s object) { firstObject(s["subject"])["digest"] = object{"sha256": zeros} }},
		{"a card whose digest is none", "digest is not valid", func(s object) { firstObject(s["subject"])["digest"] = object{"sha256": strings.Repeat("z", 64)} }},
		{"another result", "has the result", func(s object) { predicateOf(s)[outcome] = "WARNED" }},
		{"another URL", "has the URL", func(s object) { predicateOf(s)["url"] = "https://agent.acme.example" }},
		{"a requirement less that passed", "passedTests lack", func(s object) { predicateOf(s)["passedTests"] = predicateOf(s)["passedTests"].([]any)[1:] }},
		{"a requirement more that passed", "passedTests have ACME-001", func(s object) {
			predicateOf(s)["passedTests"] = append(predicateOf(s)["passedTests"].([]any), "ACME-001")
		}},
		{"a requirement that passed twice", "passedTests are not in the order", func(s object) {
			all := predicateOf(s)["passedTests"].([]any)
			predicateOf(s)["passedTests"] = append(all, all[0])
		}},
		{"a warning more", "warnedTests have", func(s object) { predicateOf(s)["warnedTests"] = []any{"ACME-001"} }},
		{"a failure more", "failedTests have", func(s object) { predicateOf(s)["failedTests"] = []any{"ACME-001"} }},
		{"another verdict", "has the verdict", func(s object) { setRowAnnotation(s, "run", "verdict", "partial") }},
		{"another selection", "has the selection", func(s object) { setRowAnnotation(s, "run", "selection", "area=card") }},
		{"another time of the run", "has the time of the run", func(s object) { setRowAnnotation(s, "run", "startedAt", "2020-01-01T00:00:00Z") }},
		{"another catalogue", "has the catalogue's digest", func(s object) { setRowDigest(s, "catalogue", zeros) }},
		{"another dialect", "has the dialect", func(s object) { setRowAnnotation(s, "catalogue", "dialect", "a2a-9") }},
		{"risks that were not allowed", "row 1 of the statement's configuration", func(s object) { setRowAnnotation(s, "run", "allowed", []any{"disruptive"}) }},
		{"more that was tried by a binding", "row 8 of the statement's configuration", func(s object) { setRowAnnotation(s, "binding JSONRPC", "requirementsTried", 1000) }},
		{"a binding that was not spoken", "configuration has 10 rows", func(s object) { addConfigurationRow(s, object{"name": "binding GRPC"}) }},
		{"another configuration", "row 1 of the statement's configuration", func(s object) { setRowDigest(s, "run", zeros) }},
		{"no time of the signature", "does not say when it was signed", func(s object) { delete(configurationRow(s, "run")["annotations"].(object), "signedAt") }},
		{"signed before the run", "before its run began", func(s object) { setRowAnnotation(s, "run", "signedAt", "2020-01-01T00:00:00Z") }},
		{"signed tomorrow", "yet to come", func(s object) {
			setRowAnnotation(s, "run", "signedAt", time.Now().Add(24*time.Hour).UTC().Format(time.RFC3339Nano))
		}},
		{"no version", "does not say which version", func(s object) { setRowAnnotation(s, "a2a-conform", "version", "") }},
		{"another version", "and the report by", func(s object) { setRowAnnotation(s, "a2a-conform", "version", "v9.9.9") }},
		{"no digest of the report", "has no digest of report.json", func(s object) { delete(configurationRow(s, "report.json"), "digest") }},
		{"no digest of the transcript", "has no digest of transcript.har.gz", func(s object) { delete(configurationRow(s, "transcript.har.gz"), "digest") }},
		{"another digest of the page", "report.html is not the file that was signed", func(s object) { setRowDigest(s, page, zeros) }},
		{"a row without a name", "has a row", func(s object) { addConfigurationRow(s, object{}) }},
		{"another digest of the transcript as it is unpacked", "unpacks to another text", func(s object) { setRowDigest(s, "transcript.har", zeros) }},
	} {
		out = append(out, Certificate{Name: c.name, File: b.Restate(sign, c.edit).Pack(), Says: c.says})
	}
	text := b.With(envelope, sign(inToto, []byte("hello")))
	return append(out, Certificate{Name: "a signed text", File: text.Pack(), Says: "no statement of in-toto"})
}

// otherFiles are not the ones that were signed, or do not follow from the transcript.
func otherFiles(b Bundle, sign Sign) (out []Certificate) {
	reported := func(edit func(r object)) []byte { return editObject(b[report], edit) }
	result := func(r object) object { return firstObject(r["results"]) }
	unsigned := func(name, file string, text []byte) {
		out = append(out, Certificate{Name: name + ", unsigned", File: b.With(file, text).Pack(), Says: file + " is not the file that was signed"})
	}
	signed := func(name, says, file string, text []byte) {
		out = append(out, Certificate{Name: name + ", signed", File: b.Replace(sign, file, text).Pack(), Says: says})
	}
	unsigned("another agent's name in the report", report, b.changeText(report, "Reference Agent", "Acme Agent"))
	unsigned("another agent's name in the page about the certificate", summary, b.changeText(summary, "Reference Agent", "Acme Agent"))
	unsigned("another agent's name in the page", page, b.changeText(page, "Reference Agent", "Acme Agent"))
	for _, f := range Consistent() {
		unsigned(f.Name, transcript, gzipText(must(f.Apply(b.Transcript()))))
	}
	signed("a report that is no JSON", "report.json: not a report: not JSON", report, []byte("genuine"))
	signed("a report that is no report", "as report.schema.json describes it", report, []byte("{}"))
	signed("a report that counts wrongly", "does not count the results", report, reported(func(r object) { r["summary"].(object)["MUST"].(object)["pass"] = 1000 }))
	signed("a report of another server", "for the target, the report has", report, b.changeText(report, `"url": "http://`, `"url": "https://`))
	signed("a report that is not of the bundled server", "for the kind of target, the report has", report, b.changeText(report, `"kind": "bundled"`, `"kind": "url"`))
	signed("a report of an unsigned transcript", `for the kind of target, the report has "replay"`, report, b.changeText(report, `"kind": "bundled"`, `"kind": "replay"`))
	signed("a report of another run", "for the start of the run, the report has", report, reported(func(r object) { r["run"].(object)["startedAt"] = "2020-01-01T00:00:00Z" }))
	signed("a report of another endpoint", "for the endpoint, the report has", report, reported(func(r object) { r["target"].(object)["rpc"] = "http://127.0.0.1:1/" }))
	signed("a report of another card", "for the agent card, the report has", report, reported(func(r object) { r["target"].(object)["card"] = "sha256:" + strings.Repeat("0", 64) }))
	signed("a report of another dialect", "for the dialect, the report has", report, reported(func(r object) { r["target"].(object)["dialect"] = "a2a-0.3" }))
	signed("a report of other bindings", "for the bindings, the report has", report, reported(func(r object) { r["target"].(object)["bindings"] = []any{"JSONRPC", "GRPC"} }))
	signed("a report of a full selection", "for the selection, the report has", report, reported(func(r object) { r["run"].(object)["selection"] = "area=card" }))
	signed("a report of more exchanges", "for the number of exchanges, the report has", report, reported(func(r object) { r["run"].(object)["exchanges"] = 100000 }))
	signed("a report by another version", "made by version", report, reported(func(r object) { r["tool"].(object)["version"] = "v9.9.9" }))
	signed("a requirement that was not judged", "is no longer judged", report, reported(func(r object) {
		extra := deepCopy(result(r)).(object)
		extra["id"] = "ACME-001"
		r["results"] = append(r["results"].([]any), extra)
		count := r["summary"].(object)[extra["level"].(string)].(object)
		verdict := countedAs[extra["verdict"]]
		count[verdict] = count[verdict].(float64) + 1
	}))
	signed("a requirement with another verdict", "which gives another verdict", report, reported(func(r object) {
		for _, e := range r["results"].([]any) {
			if res := e.(object); res["verdict"] == "not-applicable" && res["vacuous"] == nil {
				res["verdict"] = "pass"
				count := r["summary"].(object)[res["level"].(string)].(object)
				count["pass"], count["notApplicable"] = count["pass"].(float64)+1, count["notApplicable"].(float64)-1
				return
			}
		}
	}))
	signed("another reason", "report.json does not follow from its transcript: its line", report, reported(func(r object) { result(r)["reason"] = "because we say so" }))
	signed("another agent's name in the report", "report.json does not follow from its transcript: its line", report, b.changeText(report, "Reference Agent", "Acme Agent"))
	signed("a page about the certificate that shows something else", "certificate.html does not show its certificate: its line", summary, []byte("<h1>CONFORMANT</h1>"))
	signed("a page that shows something else", "report.html does not show its report: its line", page, []byte("<h1>CONFORMANT</h1>"))
	return out
}

// otherTranscripts are signed, and contradict themselves or cannot be read.
func otherTranscripts(b Bundle, sign Sign) (out []Certificate) {
	add := func(name, says string, c Bundle) {
		out = append(out, Certificate{Name: name, File: c.Pack(), Says: says})
	}
	add("a transcript that is not compressed", "not in the gzip format", b.Replace(sign, transcript, b.Transcript()))
	add("a transcript that is cut short", "it ends too early", b.Replace(sign, transcript, b[transcript][:len(b[transcript])/2]))
	add("no transcript", "not a transcript of a2a-conform", b.Retell(sign, []byte(`{"log":{}}`)))
	add("no JSON", "not a HAR file", b.Retell(sign, []byte("hello")))
	add("a transcript of 280 MiB", "the file is larger than 256 MiB", b.Retell(sign, slices.Concat([]byte(`{"log":{`), bytes.Repeat(slices.Concat([]byte(`"a":"`), bytes.Repeat([]byte("a"), 40<<20), []byte(`",`)), 7), []byte(`"b":1}}`))))
	add("an entry of 60 MiB", "one of its entries is larger", b.Retell(sign, slices.Concat([]byte(`{"log":{"entries":[{"comment":"`), bytes.Repeat([]byte("a"), 60<<20), []byte(`"}]}}`))))
	add("a transcript with something after its end", "something follows its end", b.Retell(sign, append(b.Transcript(), "{}"...)))
	for _, f := range Contradicting() {
		add("a transcript: "+f.Name, "log.", b.Retell(sign, must(f.Apply(b.Transcript()))))
	}
	return out
}
