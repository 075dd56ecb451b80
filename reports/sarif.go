package reports

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// SARIF writes one SARIF 2.1.0 log with a run for each part. The rules are the requirements
// that failed, were waived or could not be decided, and each is a result. There are no
// source files: a result lies in the transcript, whose place is relative to the folder of
// the reports. judged says how a requirement of a dialect is judged; it may say nothing.
func SARIF(w io.Writer, parts []Part, judged func(dialect, id string) string) error {
	doc := sarifLog{Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{}}
	for _, p := range parts {
		doc.Runs = append(doc.Runs, sarifRunOf(p, judged))
	}
	return writeJSON(w, doc)
}

// The objects of SARIF 2.1.0 that are written. Where an absent number is not 0 by the
// standard, as index and rank, it is not here or is a pointer.
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
		Suppressions []sarifSuppression `json:"suppressions"` // of all results or of none, empty where it is not suppressed
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
		Line int `json:"startLine"`
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

// sarifHome is where the program comes from.
const sarifHome = "https://github.com/a2a-conform/a2a-conform"

func sarifRunOf(p Part, judged func(dialect, id string) string) sarifRun {
	if p.Report == nil {
		return sarifRun{
			Tool:       sarifTool{sarifDriver{Name: "a2a-conform", Home: sarifHome, Rules: []sarifRule{}}},
			Automation: sarifAutomation{"a2a-conform/" + line(p.Folder, maxName) + "/"},
			Invocations: []sarifInvocation{{Code: 2, Description: string(p.Verdict()),
				Told: []sarifNotification{{"error", plain(p.because())}}}},
			Results: []sarifResult{},
		}
	}
	r := canonical(p.Report)
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: line(cmp.Or(r.Tool.Name, "a2a-conform"), maxName), Version: line(r.Tool.Version, maxName), Home: sarifHome, Rules: []sarifRule{},
			Properties: map[string]any{"catalogue": line(r.Tool.Catalogue, maxName), "catalogueVersion": catalogueVersion(r)}}},
		// The category by which GitHub tells the runs of one tool apart.
		Automation:  sarifAutomation{"a2a-conform/" + line(r.Target.Dialect, maxName) + "/"},
		Invocations: []sarifInvocation{sarifInvocationOf(r)},
		Results:     []sarifResult{},
		Properties: map[string]any{"verdict": r.Verdict, "target": Named(r.Target), "dialect": line(r.Target.Dialect, maxName), "protocol": dialect(r.Target),
			"selection": line(r.Run.Selection, maxName), "gate": line(r.Run.Gate, maxName), "summary": r.Summary},
	}
	place := url.PathEscape(TranscriptFile)
	if p.Folder != "" {
		place = url.PathEscape(line(p.Folder, maxName)) + "/" + place
	}
	for _, res := range pick(r, fail, warning, note, waived, inconclusive) {
		how := ""
		if judged != nil {
			how = judged(r.Target.Dialect, res.ID)
		}
		run.Results = append(run.Results, sarifResultOf(r, res, place, len(run.Tool.Driver.Rules)))
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(r, res, how))
	}
	return run
}

// sarifInvocationOf tells of the run itself: a log without results is no proof where the
// suite failed or nobody answered.
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
	told := func(level, text string) { i.Told = append(i.Told, sarifNotification{level, plain(text)}) }
	told(level, fmt.Sprintf("%s: %s: %s", r.Verdict, Named(r.Target), because(r)))
	for _, g := range Gate(r) {
		told(level, g)
	}
	for _, n := range noted(r) {
		told("warning", n)
	}
	for _, res := range pick(r, suiteError) {
		told("error", fmt.Sprintf("a2a-conform itself failed on %s: %s", line(res.ID, maxName), line(res.Reason, maxReason)))
	}
	return i
}

// sarifLevelOf is the level of what breaks a requirement.
func sarifLevelOf(l schema.Level) string {
	switch l {
	case schema.Must:
		return "error"
	case schema.Should:
		return "warning"
	}
	return "note"
}

func sarifRuleOf(r *report.Report, res *report.Result, how string) sarifRule {
	var help strings.Builder
	fmt.Fprintf(&help, "%s %s, %s: %s", dialect(r.Target), cite(res.Section), res.Level, line(res.Statement, maxReason))
	for _, remark := range remarks(res) {
		fmt.Fprintf(&help, "\n%s", line(remark, maxReason))
	}
	if how != "" {
		fmt.Fprintf(&help, "\nIt is judged by %s", line(how, maxReason))
	}
	fmt.Fprintf(&help, "\nMore: a2a-conform explain %s", line(res.ID, maxName))
	statement := plain(line(res.Statement, maxReason))
	return sarifRule{ID: line(res.ID, maxName), Short: statement, Full: statement, Help: plain(help.String()), Configuration: sarifLevel{sarifLevelOf(res.Level)},
		Properties: map[string]any{"tags": []string{"area:" + line(res.Area, maxName), "level:" + line(string(res.Level), maxName)}, "section": line(res.Section, maxName)}}
}

func sarifResultOf(r *report.Report, res *report.Result, file string, rule int) sarifResult {
	out := sarifResult{Rule: line(res.ID, maxName), Index: rule, Kind: "fail", Level: sarifLevelOf(res.Level), Message: plain(cmp.Or(line(res.Reason, maxReason), string(kindOf(res)))),
		Fingerprints: fingerprints(res), Suppressions: []sarifSuppression{}, Baseline: baselineState(r, res), Properties: map[string]any{"verdict": res.Verdict}}
	switch res.Verdict {
	case report.Inconclusive: // nothing was decided: by the standard it has no level then
		out.Kind, out.Level = "open", "none"
	case report.Waived:
		out.Suppressions = append(out.Suppressions, suppression(r, res))
	}
	for name, value := range map[string]string{"because": line(res.Because, maxName), "remedy": line(res.Remedy, maxExcerpt), "reproduce": line(res.Reproduce, maxName), "subjects": cells(res)} {
		if value != "" {
			out.Properties[name] = value
		}
	}
	all, more := violations(res)
	if more > 0 {
		out.Properties["more"] = more
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
		id, text := i, plain(line(v.Text, maxReason))
		if text.Text == "" {
			text = plain(proof(*v.Evidence))
		}
		l.ID, l.Message = &id, &text
		out.Related = append(out.Related, l)
	}
	if len(out.Locations) == 0 {
		out.Locations = []sarifLocation{sarifLocationOf(file, report.Evidence{})}
	}
	return out
}

// sarifLocationOf is a place in the transcript. GitHub takes no location without a line,
// and none is the right one: the transcript is told from by numbers of exchanges.
func sarifLocationOf(file string, e report.Evidence) sarifLocation {
	l := sarifLocation{Physical: sarifPhysical{sarifArtifact{file}, sarifRegion{1}}}
	if e.Exchange == 0 {
		return l
	}
	text := plain(proof(e))
	l.Message = &text
	l.Properties = map[string]any{"exchange": e.Exchange}
	if e.Event > 0 {
		l.Properties["event"] = e.Event
	}
	if e.File != "" {
		l.Properties["file"] = line(e.File, maxName)
	}
	if e.Step != "" {
		step := line(e.Step, maxName)
		l.Logical = append(l.Logical, sarifLogical{Name: step, Full: step, Kind: "step"})
	}
	if e.Pointer != "" { // by the standard a value of JSON is named by its pointer
		pointer := line(e.Pointer, maxName)
		l.Logical = append(l.Logical, sarifLogical{Name: pointer[strings.LastIndexByte(pointer, '/')+1:], Full: pointer, Kind: "value"})
	}
	return l
}

// fingerprints tell a result from others in the next run too: they are made of the
// requirement and the first place, in the words of a waiver, which have no number of an
// exchange. GitHub looks at primaryLocationLineHash alone, and could make none without a
// source file.
func fingerprints(r *report.Result) map[string]string {
	at := ""
	if len(r.Evidence) > 0 {
		at = report.PlaceOf(r.Evidence[:1])
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(r.ID+"\n"+at)))
	return map[string]string{"requirementAndPlace/v1": sum, "primaryLocationLineHash": sum[:16] + ":1"}
}

// baselineState says whether a result was in the baseline, "" where the report has none.
// What was fixed since is not listed as absent: GitHub would show it as a fault.
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

// suppression is the waiver of a failure.
func suppression(r *report.Report, res *report.Result) sarifSuppression {
	s := sarifSuppression{Kind: "external", Status: "accepted"}
	for i := range r.Waivers {
		if w := &r.Waivers[i]; w.ID == res.ID {
			s.Justification = line(w.Why, maxReason)
			s.Properties = map[string]any{"until": line(w.Until, maxName)}
			if w.File != "" {
				s.Properties["file"] = fmt.Sprintf("%s:%d", line(w.File, maxName), w.Line)
			}
		}
	}
	return s
}

// plain is the text of a message. A viewer makes links of [words](target) even in a plain
// one, so that nothing stands in such a form.
func plain(s string) sarifText { return sarifText{strings.ReplaceAll(s, "](", "] (")} }
