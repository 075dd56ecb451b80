package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
)

// runScript returns a script that has a2a-conform run the scenarios of a requirement again and judge them, if
// a shell script cannot.
func (s *scripter) runScript(why string, t *record.Transcript) []byte {
	config, flags := s.buildRerunConfig(t)
	text, err := json.MarshalIndent(config, "", " ")
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	why = "A script with curl cannot reproduce it: " + strings.TrimPrefix(why, "No command repeats this request: ") + "."
	var b bytes.Buffer
	s.writeScriptPreamble(&b, strings.ReplaceAll(why, "..", "."), "So this script runs a2a-conform and passes its arguments on, such as --bearer-env NAME.")
	fmt.Fprintf(&b, "target=${A2A_TARGET:-%s}\n", quoteLiteral(t.Facts.Target))
	s.writeMissingProgramExit(&b, why, "a2a-conform was not found (set A2A_CONFORM to the program). Reproduce it with:", fmt.Sprintf("a2a-conform run %s --run %s", t.Facts.Target, s.res.ID))
	fmt.Fprintf(&b, "rm -f \"$dir/report/%s\"\ncat > \"$dir/a2a-conform.yaml\" <<'%s'\n%s\n%s\n", files.TranscriptFile, endOfFile, text, endOfFile)
	fmt.Fprintf(&b, "\"$conform\" run \"$target\" --config \"$dir/a2a-conform.yaml\" --run %s%s --gate no-failures --quiet --out \"$dir/report\" \"$@\"\n", s.res.ID, flags)
	fmt.Fprintf(&b, "[ -f \"$dir/report/%s\" ] || exit 2\n", files.TranscriptFile)
	s.writeJudgeCommand(&b, `"$dir/report"`)
	return b.Bytes()
}

// buildRerunConfig returns a configuration file that sends the same to the server, and the flags for settings that
// no file has.
func (s *scripter) buildRerunConfig(t *record.Transcript) (config map[string]any, flags string) {
	f := &t.Facts
	config = map[string]any{"dialect": f.Dialect}
	stimuli := map[string]operator.Stimulus{}
	for name, given := range f.Stimuli {
		if name == "quick" || slices.Contains(schema.Behaviours(), name) { // the others a run makes of these
			stimuli[name] = given
		}
	}
	if len(stimuli) > 0 {
		config["stimuli"] = stimuli
	}
	declares := map[string]any{}
	if len(f.Never) > 0 {
		declares["never"] = f.Never
	}
	for _, word := range f.Operator {
		if slices.Contains([]string{"production", "cancel", "credentials", "several-versions", "authenticated", "webhook-reachable"}, word) {
			declares[word] = true
		}
	}
	if f.RateLimit != nil {
		declares["rateLimit"] = f.RateLimit
	}
	if f.Timeouts != nil {
		declares["timeouts"] = f.Timeouts
	}
	if len(declares) > 0 {
		config["declares"] = declares
	}
	if f.Webhook != "" {
		config["webhook"] = map[string]string{"listen": "127.0.0.1:0"}
	}
	auth := map[string]any{}
	for name, member := range map[string]string{"bearer": "bearer", "basic": "basic", "api-key": "apiKey"} {
		if slices.Contains(f.Secrets, name) {
			auth[member] = "${" + safetext.Variable(name) + "}"
		}
	}
	for _, other := range []string{"second", "low"} {
		if slices.Contains(f.Secrets, other) {
			auth[other] = map[string]string{detectSentAuthKind(t, other): "${" + safetext.Variable(other) + "}"}
		}
	}
	if len(auth) > 0 {
		config["auth"] = auth
		for _, name := range f.Secrets {
			if v := safetext.Variable(name); !strings.HasSuffix(name, "-password") && !slices.Contains(s.variables, v) {
				s.variables = append(s.variables, v)
			}
		}
	}
	if len(f.Allow) > 0 {
		flags += " --allow " + quoteLiteral(strings.Join(f.Allow, ","))
	}
	if len(f.Agents) > 0 {
		flags += " --agent all"
	}
	if len(f.Bindings) > 1 {
		flags += " --binding each"
	} else if len(f.Bindings) == 1 && f.Bindings[0] != "" {
		flags += " --binding " + quoteLiteral(f.Bindings[0])
	}
	if s.insecure {
		flags += " --insecure"
	}
	return config, flags
}

// detectSentAuthKind is the member of a configuration for the way in which a client showed a
// credential.
func detectSentAuthKind(t *record.Transcript, name string) string {
	mark := "⟦secret:" + name + "⟧"
	for _, x := range t.Exchanges {
		for _, f := range x.Request.Fields() {
			switch {
			case !strings.Contains(f.Value, mark):
			case strings.HasPrefix(f.Value, "Basic "):
				return "basic"
			case !strings.EqualFold(f.Name, "Authorization"):
				return "apiKey"
			}
		}
	}
	return "bearer"
}
