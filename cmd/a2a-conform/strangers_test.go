package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference/hostile"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// replayed judges the transcript of a run again, in a process of its own. It has
// to come to the same report, within the same bounds.
func replayed(t *testing.T, run, again *child) {
	t.Helper()
	again.Check(t)
	silent(t, again)
	was, err := readReport(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	is, err := readReport(again.Dir)
	if err != nil {
		t.Fatalf("replay: %v\n%s", err, again.Errors.String())
	}
	if again.ProcessState.ExitCode() != run.ProcessState.ExitCode() {
		t.Errorf("replay ends with %d, the run with %d", again.ProcessState.ExitCode(), run.ProcessState.ExitCode())
	}
	if is.Target.Kind != report.ReplayedTarget {
		t.Errorf("replay calls a file a %s", is.Target.Kind)
	}
	is.Target.Kind = was.Target.Kind
	if !reflect.DeepEqual(was, is) {
		for i := range min(len(was.Results), len(is.Results)) {
			if a, b := was.Results[i], is.Results[i]; !reflect.DeepEqual(a, b) {
				t.Errorf("replay says otherwise:\n%+v\n%+v", a, b)
				return
			}
		}
		t.Errorf("replay says otherwise: %s: %s, was %s: %s", is.Verdict, is.Reason, was.Verdict, was.Reason)
	}
}

// recordsKeepNoSecret looks at every string of a transcript, its exchanges and
// its report, whatever member it is in, for a secret in any form: with all
// escapes taken off, in small letters, without blanks and line ends.
func recordsKeepNoSecret(t *testing.T, o *conform.Outcome, written *report.Report, secret string) {
	t.Helper()
	forms := formsOf(secret)
	n := 0
	seen := map[string]bool{}
	for name, v := range map[string]any{"transcript": o.Transcript, "report": o.Report, "report.json": written} {
		everyString(reflect.ValueOf(v), name, func(path, s string) {
			n++
			if seen[s] {
				return
			}
			seen[s] = true
			for _, plain := range laidOpen(s) {
				for _, form := range forms {
					if strings.Contains(plain, form) {
						t.Errorf("%s holds the secret as %q: %.300q", path, form, s)
						return
					}
				}
			}
		})
	}
	if n < 300 {
		t.Errorf("only %d strings were looked at", n)
	}
}

// unescapes take off escapes, each of which begins in its own way.
var unescapes = map[string]func(string) string{
	"&": html.UnescapeString,
	"%": func(s string) string {
		return percents.ReplaceAllStringFunc(s, func(m string) string { p, _ := url.PathUnescape(m); return p })
	},
	`\u`: byNumber, `\x`: byNumber,
	`\`: func(s string) string { return slashes.ReplaceAllString(s, "$1") },
}

func byNumber(s string) string {
	return unicodes.ReplaceAllStringFunc(s, func(m string) string {
		var r rune
		fmt.Sscanf(m[2:], "%x", &r)
		if m[1] == 'u' {
			return string(r)
		}
		return string([]byte{byte(r)})
	})
}

var (
	percents = regexp.MustCompile(`(%[0-9a-fA-F]{2})+`)
	unicodes = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}`)
	slashes  = regexp.MustCompile(`\\([^0-9a-zA-Z])`)
	entities = regexp.MustCompile(`&#([xX]?)0*`)
)

// laidOpen are the readings of a text, all in small letters and without blanks.
func laidOpen(s string) (out []string) {
	if strings.Contains(s, "&#") {
		s = entities.ReplaceAllString(s, "&#$1")
	}
	for _, once := range readings(s) {
		for _, twice := range readings(once) {
			open := strings.ToLower(strings.Map(unblanked, twice))
			if !slices.Contains(out, open) {
				out = append(out, open)
			}
		}
	}
	return out
}

// readings are a text and what its escapes stand for, where it has any.
func readings(s string) (out []string) {
	out = []string{s}
	for mark, unescape := range unescapes {
		if !strings.Contains(s, mark) {
			continue
		}
		if open := unescape(s); !slices.Contains(out, open) {
			out = append(out, open)
		}
	}
	return out
}

// unblanked leaves out what may stand between the parts of a secret.
func unblanked(r rune) rune {
	if strings.ContainsRune(" \t\n\f\r:", r) {
		return -1
	}
	return r
}

func formsOf(secret string) []string {
	out := []string{strings.ToLower(secret)}
	for _, s := range []string{secret, strings.ToLower(secret), strings.ToUpper(secret)} {
		out = append(out, hex.EncodeToString([]byte(s)), strings.ToLower(base64.RawStdEncoding.EncodeToString([]byte(s))), strings.ToLower(base64.RawURLEncoding.EncodeToString([]byte(s))))
	}
	return out
}

// everyString shows every string that a value leads to, texts in bytes included.
func everyString(v reflect.Value, path string, show func(path, s string)) {
	switch v.Kind() {
	case reflect.String:
		show(path, v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			everyString(v.Elem(), path, show)
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			show(path, string(v.Bytes()))
			return
		}
		for i := range v.Len() {
			everyString(v.Index(i), fmt.Sprintf("%s[%d]", path, i), show)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			everyString(k, path+" (a key)", show)
			everyString(v.MapIndex(k), fmt.Sprintf("%s[%v]", path, k), show)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				everyString(v.Field(i), path+"."+f.Name, show)
			}
		}
	}
}

// The gallery has servers of its own against leaks, workflow commands and costs in memory:
// six or more of each.
func TestGalleryHoldsEachKind(t *testing.T) {
	count := map[string]int{}
	table, err := os.ReadFile("../../docs/hostile.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range hostile.Servers() {
		kind, _, _ := strings.Cut(s.Name, "-")
		if strings.HasSuffix(s.Name, "-MB") && strings.Contains(s.Doc, "every ") {
			kind = "memory"
		}
		count[kind]++
		if (kind == "leak" || kind == "command" || kind == "memory") && !strings.Contains(string(table), "| `"+s.Name+"` |") {
			t.Errorf("docs/hostile.md does not list %s", s.Name)
		}
	}
	for _, kind := range []string{"leak", "command", "memory"} {
		if count[kind] < 6 {
			t.Errorf("%d servers of the kind %s", count[kind], kind)
		}
	}
}
