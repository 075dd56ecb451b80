package cross

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// Bounds on the texts of a server that are looked for in what a client prints.
const (
	maxTexts = 50 // of them
	maxWords = 12 // of each
)

// listTexts returns the texts that the server had the client show: those of artifacts and of messages that answer, or else
// those that describe the status of a task.
func listTexts(t *record.Transcript) []string {
	var said, status []string
	add := func(list *[]string, text string) {
		if len(splitWords(text)) > 0 && len(*list) < maxTexts && !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	var walk func(n *record.Node, inStatus bool, depth int)
	walk = func(n *record.Node, inStatus bool, depth int) {
		if n == nil || depth > 20 {
			return
		}
		for _, e := range n.Elems {
			walk(e, inStatus, depth+1)
		}
		role := n.Member("role")
		ofUser := role != nil && !strings.Contains(strings.ToLower(role.String), "agent")
		for _, m := range n.Members {
			switch {
			case m.Name == "history" || m.Name == "parts" && ofUser:
			case m.Name == "parts":
				for _, part := range m.Value.Elems {
					text := part.Member("text")
					switch {
					case text == nil || text.Kind != record.String:
					case inStatus:
						add(&status, text.String)
					default:
						add(&said, text.String)
					}
				}
			default:
				walk(m.Value, inStatus || m.Name == "status", depth+1)
			}
		}
	}
	for _, s := range t.Steps() {
		if s.Exchange == nil || s.Op == "" || s.Op == "card" || s.Op == "extended-card" {
			continue
		}
		if s.Exchange.IsStream() {
			for _, e := range s.Exchange.Events() {
				walk(e.Root, false, 0)
			}
			continue
		}
		walk(s.Exchange.Reply().Root, false, 0)
	}
	if len(said) > 0 {
		return said
	}
	return status
}

// findUnprinted returns the first text that a client did not print; "" if it printed all. Of a long text the first words
// count. An output that was cut may have had what is missing.
func findUnprinted(texts []string, run *record.ClientRun) string {
	for _, output := range []string{run.Stdout, run.Stderr} {
		if len(output) >= cutOutput {
			return ""
		}
	}
	out, errs := splitWords(replaceEscapes(run.Stdout)), splitWords(replaceEscapes(run.Stderr))
	for _, text := range texts {
		words := splitWords(text)
		words = words[:min(maxWords, len(words))]
		if !containsRun(out, words) && !containsRun(errs, words) {
			return text
		}
	}
	return ""
}

// cutOutput is the size from which on an output may be only a part of what a client printed: a secret that was replaced in
// what was cut can have made it shorter than the bound.
const cutOutput = serve.MaxOutput - 1<<10

// splitWords returns the words of a text: its letters and digits.
func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// containsRun reports whether words follow each other somewhere in a text.
func containsRun(text, words []string) bool {
	for i := 0; i+len(words) <= len(text); i++ {
		if slices.Equal(text[i:i+len(words)], words) {
			return true
		}
	}
	return false
}

// replaceEscapes replaces the escapes of JSON in a text that may have JSON within other text.
func replaceEscapes(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var out strings.Builder
	var units []uint16
	flush := func() {
		out.WriteString(string(utf16.Decode(units)))
		units = nil
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			flush()
			out.WriteByte(text[i])
			continue
		}
		if text[i+1] == 'u' && i+6 <= len(text) {
			if n, err := strconv.ParseUint(text[i+2:i+6], 16, 16); err == nil {
				units = append(units, uint16(n))
				i += 5
				continue
			}
		}
		flush()
		i++
		if strings.IndexByte("nrtbf", text[i]) >= 0 {
			out.WriteByte(' ')
		} else {
			out.WriteByte(text[i])
		}
	}
	flush()
	return out.String()
}

// describeOutput returns the last line that a client printed, as the end of a sentence.
func describeOutput(t *record.Transcript) string {
	for i := range t.Plays {
		run := t.Plays[i].Client
		if run == nil {
			continue
		}
		text := strings.TrimSpace(run.Stderr)
		if text == "" {
			text = strings.TrimSpace(run.Stdout)
		}
		lines := strings.Split(text, "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return "; its last line: " + shorten.Visible(shorten.Clip(last, 300), 300)
		}
		return "; it printed nothing"
	}
	return ""
}

// describeAnswer returns what a server answered to a call.
func describeAnswer(x *record.Exchange) string {
	if x == nil {
		return "got no call"
	}
	method, _, _ := strings.Cut(string(x.Request.Head), " ")
	target := x.URL
	if u, err := url.Parse(x.URL); err == nil {
		target = u.RequestURI()
	}
	asked := shorten.Visible(shorten.Clip(method, 20), 20) + " " + shorten.Visible(shorten.Clip(target, 100), 100)
	if !x.Answered() {
		return "gave no answer to the last call, " + asked
	}
	text := fmt.Sprintf("answered the last call, %s, by HTTP %d", asked, x.Status())
	if x.Status() == http.StatusUnauthorized || x.Status() == http.StatusForbidden {
		text += ": it asks for credentials"
	}
	body := x.Response.Body
	return text + ": " + shorten.Visible(shorten.Clip(string(body[:min(len(body), 1000)]), 200), 200)
}
