package forge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// DifferentVerdict is the exit code for a certificate that is genuine, and whose verdicts are
// not those of the program that checks.
const DifferentVerdict = 3

var (
	versionOfReport     = regexp.MustCompile(`("name": "a2a-conform",\s*"version": )"[^"]*"`)
	durationOfRun       = regexp.MustCompile(`("durationNs": )[0-9]+`)
	versionOfTranscript = regexp.MustCompile(`("tool": )"[^"]*"`)
)

// Claim has a certificate made by another version of the program, and by another executable,
// in every place that names them.
func (b Bundle) Claim(sign Sign, version string) Bundle {
	quoted := must(json.Marshal(version))
	in := func(text []byte, place *regexp.Regexp) []byte {
		at := place.FindSubmatchIndex(text)
		if at == nil {
			panic(fmt.Sprint("nothing matches ", place))
		}
		return slices.Concat(text[:at[3]], quoted, text[at[1]:])
	}
	b = b.Replace(sign, report, in(b[report], versionOfReport))
	b = b.Retell(sign, in(b.Transcript(), versionOfTranscript))
	return b.Restate(sign, func(s object) {
		setRowAnnotation(s, "a2a-conform", "version", version)
		setRowDigest(s, "a2a-conform", zeros)
	})
}

// Edit has another report signed.
func (b Bundle) Edit(sign Sign, edit func(r object)) Bundle {
	var text bytes.Buffer
	panicOnError(json.Indent(&text, editObject(b[report], edit), "", "  "))
	return b.Replace(sign, report, append(text.Bytes(), '\n'))
}

// countedAs are the members of a report's summary that count its verdicts.
var countedAs = map[any]string{"pass": "pass", "fail": "fail", "not-applicable": "notApplicable", "inconclusive": "inconclusive"}

// Flatter has a certificate say that its server passed whatever it failed or left undecided.
func (b Bundle) Flatter(sign Sign) Bundle {
	return b.rejudgeAll(sign, func(res object) bool {
		if isUnmet(res) {
			res["verdict"] = "pass"
		}
		return true
	})
}

// isUnmet reports whether a requirement is failed or undecided.
func isUnmet(result object) bool {
	return result["verdict"] == "fail" || result["verdict"] == "inconclusive"
}

// rejudgeAll has every result changed, or left out if keep does not return true, and has all that
// follows from it say the same.
func (b Bundle) rejudgeAll(sign Sign, keep func(result object) bool) Bundle {
	var passed []any
	out := b.Edit(sign, func(r object) {
		r["verdict"] = "conformant"
		r["results"] = slices.DeleteFunc(r["results"].([]any), func(e any) bool { return !keep(e.(object)) })
		summary := r["summary"].(object)
		for _, level := range summary {
			for verdict := range level.(object) {
				level.(object)[verdict] = 0
			}
		}
		for _, e := range r["results"].([]any) {
			res := e.(object)
			verdict := countedAs[res["verdict"]]
			if res["vacuous"] == true {
				verdict = "vacuous"
			}
			count := summary[res["level"].(string)].(object)
			count[verdict] = count[verdict].(int) + 1
			if res["verdict"] == "pass" {
				passed = append(passed, res["id"])
			}
		}
	})
	return out.Restate(sign, func(s object) {
		p := predicateOf(s)
		p["passedTests"], p[outcome] = passed, "PASSED"
		delete(p, "failedTests")
		delete(p, "warnedTests")
		setRowAnnotation(s, "run", "verdict", "conformant")
	})
}

// Claims are forgeries of a certificate of a conformant server that lie about the version of
// the program that made it. The program that checks is a build without a version.
func Claims(genuine []byte, sign Sign) (out []Certificate) {
	b := Open(genuine)
	for _, c := range []struct{ name, version, says string }{
		{"a release of the far future", "v99.0.0", "by version v99.0.0, which is newer than this one"},
		{"the next release", "v1.0.0", "by version v1.0.0, which is newer than this one"},
		{"a commit after the next release", "v1.0.1-0.20270101000000-abcdefabcdef", "which is newer than this one"},
		{"a release with the build of somebody", "v2.0.0+acme", "by version v2.0.0+acme, which is newer than this one"},
		{"a word", "genuine", `by the version "genuine", which cannot be read`},
		{"a branch", "latest", `by the version "latest", which cannot be read`},
		{"a version without its v", "0.0.1", `by the version "0.0.1", which cannot be read`},
		{"two numbers", "v0.9", `by the version "v0.9", which cannot be read`},
		{"a number with a leading zero", "v0.09.0", `by the version "v0.09.0", which cannot be read`},
		{"four numbers", "v0.0.1.2", `by the version "v0.0.1.2", which cannot be read`},
		{"a line break", "v0.0.1\n", `by the version "v0.0.1␊", which cannot be read`},
		{"digits of another script", "v０.0.1", "which cannot be read"},
		{"the word of Go for no version", "(devel)", `by the version "(devel)", which cannot be read`},
		{"a range", "v0.*", `by the version "v0.*", which cannot be read`},
	} {
		out = append(out, Certificate{Name: "made by " + c.name, File: b.Claim(sign, c.version).Pack(), Says: c.says})
	}
	program := configurationRow(b.Statement(), "a2a-conform")["digest"]
	ours := b.Claim(sign, "v0.0.1").Restate(sign, func(s object) { configurationRow(s, "a2a-conform")["digest"] = program })
	return append(out, Certificate{Name: "an earlier release with the executable of this one", File: ours.Pack(), Says: "which are not one program"})
}

// Flatteries are made of a certificate of a server that is not conformant, by a signer who claims
// that it is. The program that checks is a build without a version.
func Flatteries(nonconformant []byte, sign Sign) (out []Certificate) {
	b := Open(nonconformant)
	lie := b.Flatter(sign)
	add := func(name string, exit int, says string, c Bundle) {
		out = append(out, Certificate{Name: name, File: c.Pack(), Says: says, Exit: exit})
	}
	const earlier = "v0.0.1"
	headline := func(version string) string { return "signed as CONFORMANT, as judged by version " + version + "," }
	add("by this version", 0, "the verdict was conformant, and is nonconformant", lie)
	add("by this version, of another executable", 0, "the verdict was conformant, and is nonconformant", lie.Claim(sign, "devel").Restate(sign, func(s object) { setRowAnnotation(s, "a2a-conform", "commit", "acme") }))
	out[len(out)-1].Shared = true
	add("by a later release", 0, "which is newer than this one", lie.Claim(sign, "v98.0.0"))
	add("by a build of an earlier release that is none", 0, "made by a build that is no release (v0.0.1+acme)", lie.Claim(sign, "v0.0.1+acme"))
	add("by an earlier release", DifferentVerdict, headline(earlier), lie.Claim(sign, earlier))
	add("by the one before the next", DifferentVerdict, headline("v0.99.99"), lie.Claim(sign, "v0.99.99"))
	add("by a candidate for a release", DifferentVerdict, headline("v0.9.0-rc.1"), lie.Claim(sign, "v0.9.0-rc.1"))
	add("by a commit", DifferentVerdict, headline("v0.0.0-20260101000000-abcdefabcdef"), lie.Claim(sign, "v0.0.0-20260101000000-abcdefabcdef"))
	scripts := []byte(`<!doctype html><title>CONFORMANT</title><script src="https://acme.example/x.js"></script>`)
	add("by an earlier release, with a page of scripts", DifferentVerdict, "do not open report.html: another version (v0.0.4) made it", lie.Claim(sign, "v0.0.4").Replace(sign, page, scripts))
	silent := b.rejudgeAll(sign, func(res object) bool { return !isUnmet(res) })
	add("that leaves out what failed, by an earlier release", DifferentVerdict, "was not judged, and is fail", silent.Claim(sign, earlier))
	harmless := b.rejudgeAll(sign, func(res object) bool {
		if isUnmet(res) {
			res["verdict"], res["level"] = "pass", "MAY"
		}
		return true
	})
	add("that takes a MUST for a MAY, by an earlier release", DifferentVerdict, "was pass, and is fail", harmless.Claim(sign, "v0.0.2"))
	return out
}

// Concealed is made of a certificate of a server that breaks a SHOULD, by a signer who denies
// it.
func Concealed(warned []byte, sign Sign) []Certificate {
	lie := Open(warned).Flatter(sign)
	return []Certificate{
		{Name: "a warning that is not mentioned", File: lie.Pack(), Says: "which gives another verdict"},
		{Name: "a warning that is not mentioned, by an earlier release", File: lie.Claim(sign, "v0.0.3").Pack(), Says: "judged otherwise since v0.0.3: CORE-MSG-018 was pass, and is fail", Exit: DifferentVerdict},
	}
}

// Exaggerations are made of a certificate of a conformant server by a signer who claims more
// than it shows, for an earlier release whose texts cannot be compared.
func Exaggerations(genuine []byte, sign Sign) (out []Certificate) {
	const earlier = "v0.0.1"
	b := Open(genuine)
	old := b.Claim(sign, earlier)
	add := func(name string, exit int, says string, c Bundle) {
		out = append(out, Certificate{Name: name + ", by an earlier release", File: c.Pack(), Says: says, Exit: exit})
	}
	more := b.rejudgeAll(sign, func(res object) bool {
		if res["verdict"] == "not-applicable" && res["level"] == "MUST" {
			res["verdict"] = "pass"
			delete(res, "vacuous")
		}
		return true
	})
	add("what does not apply is passed", DifferentVerdict, "was pass, and is not-applicable", more.Claim(sign, earlier))
	add("another agent's name", 0, "for the agent's name, the report has", old.Edit(sign, func(r object) { r["target"].(object)["agent"] = "Acme Agent" }))
	add("a declaration that was not made", 0, "for the declarations, the report has", old.Edit(sign, func(r object) { r["target"].(object)["declares"] = object{"never": []any{"crash"}} }))
	add("TLS that was not verified", 0, "for whether TLS was verified, the report has", old.Edit(sign, func(r object) { r["target"].(object)["insecure"] = true }))
	add("a row twice", 0, `has two rows "report.json"`, old.Restate(sign, func(s object) {
		twice := deepCopy(configurationRow(s, report)).(object)
		twice["digest"] = object{"sha256": zeros}
		addConfigurationRow(s, twice)
	}))
	add("a row of a file elsewhere", 0, `has a row "../report.json"`, old.Restate(sign, func(s object) {
		addConfigurationRow(s, object{"name": "../report.json", "digest": object{"sha256": zeros}})
	}))
	add("a digest in capitals", 0, "report.json is not the file that was signed", old.Restate(sign, func(s object) {
		setRowDigest(s, report, strings.ToUpper(hexDigest(old[report])))
	}))
	add("a digest by two algorithms", 0, `has a digest by "md5"`, old.Restate(sign, func(s object) {
		configurationRow(s, report)["digest"].(object)["md5"] = strings.Repeat("0", 32)
	}))
	add("a member of the statement by its other name", 0, "not named as they should be", old.Restate(sign, func(s object) {
		s["predicate_type"] = s["predicateType"]
		delete(s, "predicateType")
	}))
	twice := func(text []byte, member, value string) []byte {
		at := bytes.Index(text, []byte(member))
		return slices.Concat(text[:at], []byte(member+value+", "), text[at:])
	}
	add("the report has a verdict twice", 0, `report.json can be read in two ways: it has the member "verdict" twice`, old.Replace(sign, report, twice(old[report], `"verdict": `, `"partial"`)))
	add("the transcript has its facts twice", 0, `transcript.har.gz can be read in two ways: it has the member "facts" twice`, old.Retell(sign, twice(old.Transcript(), `"facts": `, `{"target": "https://agent.acme.example"}`)))
	add("the transcript has its facts in capitals", 0, `it has a member "FACTS", which is not "facts"`, old.Retell(sign, bytes.Replace(old.Transcript(), []byte(`"facts": `), []byte(`"FACTS": `), 1)))
	add("a run that ends tomorrow", 0, "before its run ended", old.Retell(sign, durationOfRun.ReplaceAll(old.Transcript(), []byte("${1}86400000000000"))))
	add("the transcript is cut", 0, "which can check it", old.Retell(sign, old.Transcript()[:len(old.Transcript())/2]))
	return out
}
