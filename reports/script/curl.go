package script

import (
	"bytes"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
)

// maxRepeated bounds the body of a request that is written out as a command.
const maxRepeated = 8 << 10

// curlHeaders are the headers that curl makes itself.
var curlHeaders = map[string]bool{"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Accept-Encoding": true, "User-Agent": true}

// Curl is a command that repeats a request, or a note on why there is none.
// Every part of it that could have come from a server is quoted for the shell;
// secrets are taken from the environment.
func Curl(x *record.Exchange, insecure bool) (command, note string) {
	args, note := curlArguments(x, insecure, QuoteWithSecretVariables)
	if note != "" {
		return "", note
	}
	m := &x.Request
	args = append(args[:1], append([]string{"--url " + QuoteWithSecretVariables(x.URL)}, args[1:]...)...)
	switch {
	case bytes.IndexByte(m.Body, 0) >= 0:
		// No argument of a command can hold a NUL byte.
		args = append(args, "--data-binary @-")
		return "printf " + QuoteWithSecretVariables(printfFormat(m.Body)) + " |\n  " + strings.Join(args, " \\\n  "), ""
	case len(m.Body) > 0:
		args = append(args, "--data-raw "+QuoteWithSecretVariables(string(m.Body)))
	}
	return strings.Join(args, " \\\n  "), ""
}

// curlArguments returns a curl command for a request without its URL and its body: curl with its options,
// then the headers. word quotes for the shell.
func curlArguments(x *record.Exchange, insecure bool, word func(string) string) (args []string, note string) {
	m := &x.Request
	u, err := url.Parse(x.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || len(x.URL) > maxRepeated {
		return nil, "No command repeats this request: curl cannot use its URL."
	}
	f := strings.Fields(view.FirstLine(m.Head))
	if len(f) == 0 {
		return nil, "No command repeats this request: it was not sent."
	}
	if m.Recipe != nil || len(m.Body) > maxRepeated {
		return nil, "No command repeats this request: its body is too large to be written out. It is in " + files.TranscriptFile + "."
	}
	args = []string{"curl -sS -i -g --http1.1"}
	if x.IsStream() {
		args[0] += " -N"
	}
	if insecure {
		args[0] += " -k"
	}
	switch {
	case f[0] == "HEAD":
		args[0] += " -I"
	case f[0] != "GET" || len(m.Body) > 0:
		args[0] += " -X " + word(f[0])
	}
	header := m.Header()
	for _, h := range m.Fields() {
		name := strings.TrimSpace(h.Name)
		if !token.MatchString(name) || curlHeaders[canonicalName(name)] {
			continue
		}
		// The mark replaces the secret as it was given; curl encodes it.
		if login, ok := strings.CutPrefix(h.Value, "Basic ⟦secret:"); ok && strings.EqualFold(name, "Authorization") {
			args = append(args, "-u "+word("⟦secret:"+login))
			continue
		}
		if h.Value == "" {
			args = append(args, "-H "+word(name+";"))
		} else {
			args = append(args, "-H "+word(name+": "+h.Value))
		}
	}
	// curl adds these two of its own accord.
	for _, name := range []string{"Accept", "Content-Type"} {
		if header.Values(name) == nil && (name == "Accept" || len(m.Body) > 0) {
			args = append(args, "-H "+word(name+":"))
		}
	}
	return args, ""
}

var token = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func canonicalName(s string) string {
	for name := range curlHeaders {
		if strings.EqualFold(name, s) {
			return name
		}
	}
	return s
}

// curlCommand returns a command that repeats a request in a script: its body is a file in the folder, its ids
// are new, and its server is the target of the script. n is the number of the call. A body with a credential
// is stored with the mark in place of the credential.
func (s *scripter) curlCommand(x *record.Exchange, n int) (command, note string) {
	args, note := curlArguments(x, s.insecure, s.quoteWithVariables)
	if note != "" {
		return "", note
	}
	where := s.quoteWithVariables(x.URL)
	if path, ok := strings.CutPrefix(x.URL, s.origin); ok && s.origin != "" {
		where = `"$target"` + s.quoteWithVariables(path)
	}
	told := `url %{url_effective}\n`
	if safetext.SecretMark.MatchString(x.URL) {
		told = "" // it is not written down
	}
	args[0] += fmt.Sprintf(" --max-time %s -w '%%{stderr}\\n%stime %%{time_total}\\n' --url %s", s.timeoutSeconds(x), told, where)
	if len(x.Request.Body) == 0 {
		return strings.Join(args, " \\\n  ") + " < /dev/null", ""
	}
	args = append(args, "--data-binary @-")
	kept := fmt.Sprintf("\"$dir/%d.request\"", n)
	if !safetext.SecretMark.Match(x.Request.Body) {
		return s.printfCommand(x.Request.Body) + " > " + kept + "\n" + strings.Join(args, " \\\n  ") + " < " + kept, ""
	}
	s.marked = true
	told = s.printfCommand(x.Request.Body)
	s.marked = false
	return told + " > " + kept + "\n" + s.printfCommand(x.Request.Body) + " |\n  " + strings.Join(args, " \\\n  "), ""
}

// timeoutSeconds returns how long a repeated request may take: ten seconds more than the recorded one, unless we ended
// that, which was part of the scenario. Then it takes as long as that, but a second at least, since curl connects anew
// and the machine may be busy; and no more than half of the time that a slow task works, which the scenario leaves early.
func (s *scripter) timeoutSeconds(x *record.Exchange) string {
	took := (x.End - x.Start).Seconds()
	if x.Ended == record.OurClose || x.Ended == record.Aborted {
		return fmt.Sprintf("%.2f", max(took+0.05, min(1, s.facts.Stimuli["slow"].Seconds/2)))
	}
	return fmt.Sprint(int(math.Ceil(took)) + 10)
}
