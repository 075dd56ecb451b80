package reports

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// SARIF writes one SARIF 2.1.0 log with a run for each part. The rules are the requirements that failed, were
// waived or could not be decided, and each is a result. A result about a test of the
// operator's is located in its document. Others have no source file: they are located in the transcript, relative to
// the folder of the reports. judged returns how a requirement of a dialect is judged,
// or "".
func SARIF(w io.Writer, parts []view.Part, judged func(dialect, id string) string) error {
	doc := sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{}}
	for _, p := range parts {
		doc.Runs = append(doc.Runs, sarifRunOf(p, judged))
	}
	return WriteDocument(w, doc)
}

// The objects of SARIF 2.1.0 that are written. A number whose absence does not mean 0 by the standard, such
// as index and rank, is left out or is a pointer.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  sarifAutomation   `json:"automationDetails"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind,omitempty"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]any    `json:"properties,omitempty"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name       string         `json:"name"`
		Version    string         `json:"version,omitempty"`
		Home       string         `json:"informationUri"`
		Rules      []sarifRule    `json:"rules"`
		Properties map[string]any `json:"properties,omitempty"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifRule struct {
		ID            string         `json:"id"`
		Short         sarifText      `json:"shortDescription"`
		Full          sarifText      `json:"fullDescription"`
		Help          sarifText      `json:"help"`
		HelpURI       string         `json:"helpUri,omitempty"` // the section of the published text; left out if there is none
		Configuration sarifLevel     `json:"defaultConfiguration"`
		Properties    map[string]any `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful  bool                `json:"executionSuccessful"`
		Start       string              `json:"startTimeUtc,omitempty"`
		End         string              `json:"endTimeUtc,omitempty"`
		Code        int                 `json:"exitCode"`
		Description string              `json:"exitCodeDescription"`
		Told        []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		Rule         string             `json:"ruleId"`
		Index        int                `json:"ruleIndex"`
		Kind         string             `json:"kind"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions"` // of all results or of none, empty if it is not suppressed
		Baseline     string             `json:"baselineState,omitempty"`
		Properties   map[string]any     `json:"properties"`
	}
	sarifLocation struct {
		ID         *int           `json:"id,omitempty"`
		Physical   sarifPhysical  `json:"physicalLocation"`
		Logical    []sarifLogical `json:"logicalLocations,omitempty"`
		Message    *sarifText     `json:"message,omitempty"`
		Properties map[string]any `json:"properties,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"name,omitempty"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string         `json:"kind"`
		Status        string         `json:"status"`
		Justification string         `json:"justification,omitempty"`
		Properties    map[string]any `json:"properties,omitempty"`
	}
)

// sarifSchema is the address of the JSON Schema of SARIF.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifHome is the address of the project.
const sarifHome = "https://github.com/a2a-conform/a2a-conform"

func sarifRunOf(p view.Part, judged func(dialect, id string) string) sarifRun {
	if p.Report == nil {
		return sarifRun{
			Tool:       sarifTool{sarifDriver{Name: "a2a-conform", Home: sarifHome, Rules: []sarifRule{}}},
			Automation: sarifAutomation{"a2a-conform/" + safetext.Line(p.Folder, safetext.MaxName) + "/"},
			Invocations: []sarifInvocation{{Code: 2, Description: string(p.Verdict()),
				Told: []sarifNotification{{"error", messageWithoutLinks(p.ExplainVerdict())}}}},
			Results: []sarifResult{},
		}
	}
	r := view.CopyWithBoundedTexts(p.Report)
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: safetext.Line(cmp.Or(r.Tool.Name, "a2a-conform"), safetext.MaxName), Version: safetext.Line(r.Tool.Version, safetext.MaxName), Home: sarifHome, Rules: []sarifRule{},
			Properties: map[string]any{"catalogue": safetext.Line(r.Tool.Catalogue, safetext.MaxName), "catalogueVersion": view.CatalogueVersion(r)}}},
		// The category by which GitHub distinguishes the runs of one tool.
		Automation:  sarifAutomation{"a2a-conform/" + safetext.Line(r.Target.Dialect, safetext.MaxName) + "/"},
		Invocations: []sarifInvocation{sarifInvocationOf(r)},
		Results:     []sarifResult{},
		Properties: map[string]any{"verdict": r.Verdict, "target": view.DescribeTargetByKind(r.Target), "dialect": safetext.Line(r.Target.Dialect, safetext.MaxName), "protocol": view.DialectName(r.Target),
			"selection": safetext.Line(r.Run.Selection, safetext.MaxName), "gate": safetext.Line(r.Run.Gate, safetext.MaxName), "summary": r.Summary},
	}
	place := url.PathEscape(files.TranscriptFile)
	if p.Folder != "" {
		place = url.PathEscape(safetext.Line(p.Folder, safetext.MaxName)) + "/" + place
	}
	for _, res := range view.ResultsOfKind(r, view.Fail, view.Warning, view.Note, view.Waived, view.Inconclusive) {
		how := ""
		if judged != nil {
			how = judged(r.Target.Dialect, res.ID)
		}
		run.Results = append(run.Results, sarifResultOf(r, res, place, len(run.Tool.Driver.Rules)))
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(r, res, how))
	}
	return run
}

// sarifInvocationOf describes the run itself: a log without results proves nothing if the suite failed or the
// server was unreachable.
func sarifInvocationOf(r *report.Report) sarifInvocation {
	code := report.ExitCode(r)
	i := sarifInvocation{Successful: r.Verdict != report.Void && r.Verdict != report.Unreachable, Code: code, Description: string(r.Verdict)}
	if !r.Run.StartedAt.IsZero() {
		i.Start = r.Run.StartedAt.UTC().Format(time.RFC3339Nano)
		i.End = r.Run.StartedAt.UTC().Add(time.Duration(r.Run.DurationMs) * time.Millisecond).Format(time.RFC3339Nano)
	}
	level := "note"
	if code != 0 {
		level = "error"
	}
	told := func(level, text string) { i.Told = append(i.Told, sarifNotification{level, messageWithoutLinks(text)}) }
	told(level, fmt.Sprintf("%s: %s: %s", r.Verdict, view.DescribeTargetByKind(r.Target), view.ExplainVerdict(r)))
	for _, g := range view.ExplainGateOutcome(r) {
		told(level, g)
	}
	for _, n := range view.Notices(r) {
		told("warning", n)
	}
	for _, res := range view.ResultsOfKind(r, view.SuiteError) {
		told("error", fmt.Sprintf("a2a-conform itself failed on %s: %s", safetext.Line(res.ID, safetext.MaxName), safetext.Line(res.Reason, safetext.MaxReason)))
	}
	return i
}

// sarifLevelOf is the level of what breaks a requirement.
func sarifLevelOf(l schema.Level) string {
	return cmp.Or(map[schema.Level]string{schema.Must: "error", schema.Should: "warning"}[l], "note")
}

func sarifRuleOf(r *report.Report, res *report.Result, how string) sarifRule {
	var help strings.Builder
	fmt.Fprintf(&help, "%s %s, %s: %s", view.DialectName(r.Target), view.CiteSection(res.Section), res.Level, safetext.Line(res.Statement, safetext.MaxReason))
	for _, remark := range view.RequirementRemarks(res) {
		fmt.Fprintf(&help, "\n%s", safetext.Line(remark, safetext.MaxReason))
	}
	if res.Fix != "" {
		fmt.Fprintf(&help, "\nFix: %s", safetext.Line(res.Fix, safetext.MaxExcerpt))
	}
	if how != "" {
		fmt.Fprintf(&help, "\nIt is judged by %s", safetext.Line(how, safetext.MaxReason))
	}
	if res.Source == nil {
		fmt.Fprintf(&help, "\nMore: a2a-conform explain %s", safetext.Line(res.ID, safetext.MaxName))
	}
	statement := messageWithoutLinks(safetext.Line(res.Statement, safetext.MaxReason))
	return sarifRule{ID: safetext.Line(res.ID, safetext.MaxName), Short: statement, Full: statement, Help: messageWithoutLinks(help.String()), HelpURI: findPublishedURL(r.Target.Dialect, res.Section), Configuration: sarifLevel{sarifLevelOf(res.Level)},
		Properties: map[string]any{"tags": []string{"area:" + safetext.Line(res.Area, safetext.MaxName), "level:" + safetext.Line(string(res.Level), safetext.MaxName)}, "section": safetext.Line(res.Section, safetext.MaxName)}}
}

// findPublishedURL returns the address of the first section that a requirement cites; "" if the text is not
// published.
func findPublishedURL(dialect, section string) string {
	for _, ref := range view.References(dialect, section) {
		if ref.URL != "" {
			return ref.URL
		}
	}
	return ""
}

func sarifResultOf(r *report.Report, res *report.Result, file string, rule int) sarifResult {
	out := sarifResult{Rule: safetext.Line(res.ID, safetext.MaxName), Index: rule, Kind: "fail", Level: sarifLevelOf(res.Level), Message: messageWithoutLinks(cmp.Or(safetext.Line(res.Reason, safetext.MaxReason), string(view.KindOf(res)))),
		Fingerprints: fingerprintResult(res), Suppressions: []sarifSuppression{}, Baseline: baselineState(r, res), Properties: map[string]any{"verdict": res.Verdict}}
	switch res.Verdict {
	case report.Inconclusive: // nothing was decided: by the standard it has no level then
		out.Kind, out.Level = "open", "none"
	case report.Waived:
		out.Suppressions = append(out.Suppressions, newSuppression(r, res))
	}
	for name, value := range map[string]string{"because": safetext.Line(res.Because, safetext.MaxName), "remedy": safetext.Line(res.Remedy, safetext.MaxExcerpt), "reproduce": safetext.Line(res.Reproduce, safetext.MaxName), "subjects": view.SubjectVerdicts(res), "known": view.DescribeKnown(res)} {
		if value != "" {
			out.Properties[name] = value
		}
	}
	all, more := view.Violations(res)
	if more > 0 {
		out.Properties["more"] = more
	}
	if res.Source != nil {
		out.Locations = append(out.Locations, sarifLocation{Physical: sarifPhysical{sarifArtifact{fileURI(res.Source.File)}, sarifRegion{Line: max(res.Source.Line, 1)}}})
	}
	for i, v := range all {
		if v.Evidence == nil {
			continue
		}
		l := sarifLocationOf(file, *v.Evidence)
		if len(out.Locations) == 0 {
			out.Locations = append(out.Locations, l)
			out.Properties["exchange"] = v.Evidence.Exchange
			continue
		}
		// What is related has an id of its own, since no two may be the same.
		id, text := i, messageWithoutLinks(cmp.Or(safetext.Line(v.Text, safetext.MaxReason), view.DescribeEvidence(*v.Evidence)))
		l.ID, l.Message = &id, &text
		out.Related = append(out.Related, l)
	}
	if len(out.Locations) == 0 {
		out.Locations = []sarifLocation{sarifLocationOf(file, report.Evidence{})}
	}
	return out
}

// sarifLocationOf returns a place in the transcript. GitHub requires a line, although evidence refers to
// numbers of exchanges, so it is always line 1.
func sarifLocationOf(file string, e report.Evidence) sarifLocation {
	l := sarifLocation{Physical: sarifPhysical{sarifArtifact{file}, sarifRegion{Line: 1}}}
	if e.Exchange == 0 {
		return l
	}
	text := messageWithoutLinks(view.DescribeEvidence(e))
	l.Message = &text
	l.Properties = map[string]any{"exchange": e.Exchange}
	if e.Event > 0 {
		l.Properties["event"] = e.Event
	}
	if e.File != "" {
		l.Properties["file"] = safetext.Line(e.File, safetext.MaxName)
	}
	if e.Step != "" {
		step := safetext.Line(e.Step, safetext.MaxName)
		l.Logical = append(l.Logical, sarifLogical{Name: step, Full: step, Kind: "step"})
	}
	if e.Pointer != "" { // by the standard a value of JSON is named by its pointer
		pointer := safetext.Line(e.Pointer, safetext.MaxName)
		l.Logical = append(l.Logical, sarifLogical{Name: pointer[strings.LastIndexByte(pointer, '/')+1:], Full: pointer, Kind: "value"})
	}
	return l
}

// fingerprintResult returns what identifies a result in the next run too: it is made of the
// requirement and the first place, in the form of a waiver, which has no number of an exchange.
// GitHub looks at primaryLocationLineHash alone, and could make none without a source file.
func fingerprintResult(r *report.Result) map[string]string {
	at := ""
	if len(r.Evidence) > 0 {
		at = report.PlaceOf(r.Evidence[:1])
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(r.ID+"\n"+at)))
	return map[string]string{"requirementAndPlace/v1": sum, "primaryLocationLineHash": sum[:16] + ":1"}
}

// baselineState states whether a result was in the baseline; "" if the report has none. Fixed results are not
// listed as absent, since GitHub would show them as faults.
func baselineState(r *report.Report, res *report.Result) string {
	if r.Baseline == nil {
		return ""
	}
	for _, c := range r.Baseline.Changes {
		if c.ID != res.ID || c.Kind == report.Gone {
			continue
		}
		listed := c.Was == report.Fail || c.Was == report.Waived || c.Was == report.Inconclusive
		if c.Kind == report.Broken || !listed {
			return "new"
		}
		return "updated"
	}
	return "unchanged"
}

// newSuppression is the waiver of a failure.
func newSuppression(r *report.Report, res *report.Result) sarifSuppression {
	s := sarifSuppression{Kind: "external", Status: "accepted"}
	for i := range r.Waivers {
		if w := &r.Waivers[i]; w.ID == res.ID && w.State != report.NotJudged && w.State != report.Stale {
			s.Justification = safetext.Line(w.Why, safetext.MaxReason)
			s.Properties = map[string]any{"until": safetext.Line(w.Until, safetext.MaxName)}
			if w.File != "" {
				s.Properties["file"] = view.WaiverSource(w)
			}
		}
	}
	return s
}

// messageWithoutLinks returns the text of a message. Viewers turn [words](target) into links even in plain text, so
// that form is broken up.
func messageWithoutLinks(s string) sarifText { return sarifText{strings.ReplaceAll(s, "](", "] (")} }
