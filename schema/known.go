package schema

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed known/*.yaml
var knownFiles embed.FS

// KnownFaultDays is how many days after an entry was last seen a waiver counts that is made of it.
const KnownFaultDays = 180

// NotReported is the upstream reference of a fault that was not reported to the makers of the SDK.
const NotReported = "not reported"

// The sides on which an SDK can be at fault.
const (
	ServerSide = "server"
	ClientSide = "client"
)

// SDK is a public library on which agents are built, with the faults that are known of it.
type SDK struct {
	Name     string       `yaml:"sdk"`    // as its package is called: @a2a-js/sdk
	Short    string       `yaml:"short"`  // as an operator may call it: js
	Source   string       `yaml:"source"` // the address of its source
	Versions []SDKVersion `yaml:"versions"`
	Faults   []Fault      `yaml:"faults"`
}

// SDKVersion is a version of an SDK that was judged, and the dialects in which that was done.
type SDKVersion struct {
	Version  string   `yaml:"version"`
	Dialects []string `yaml:"dialects"`
}

// Fault is a fault of an SDK: which requirements fail by it, by what the failures are recognised, and
// its place in the source of the SDK.
type Fault struct {
	IDs      []string    `yaml:"ids"`
	Versions []string    `yaml:"versions"` // that were seen with it
	Side     string      `yaml:"side"`     // server if it is left out
	Fault    string      `yaml:"fault"`    // what the SDK does, in a sentence or two
	File     string      `yaml:"file"`     // of its source
	Function string      `yaml:"function"`
	Upstream string      `yaml:"upstream"` // the address of the report to its makers, or NotReported
	Seen     string      `yaml:"seen"`     // the day on which it was last seen: 2026-11-27
	Marks    []FaultMark `yaml:"marks"`
	// Distinctive states that no other software is known to send what the marks ask for.
	Distinctive bool `yaml:"distinctive"`
	// Sometimes states that the fault depends on chance, so that it does not show in every run.
	Sometimes bool `yaml:"sometimes"`
}

// FaultMark is what a violation looks like that a fault causes. All that it names must hold.
type FaultMark struct {
	At     []string `yaml:"at"`     // the violation is at one of these places, which are written as in a waiver; if none is named, anywhere
	Header string   `yaml:"header"` // it is about this field of the head
	Got    string   `yaml:"got"`    // what is at its place: JSON as it was sent, or one of FaultMarkGotWords
	Answer string   `yaml:"answer"` // the call was answered with a result or an error
	Has    []string `yaml:"has"`    // the answer contains each of these pieces
	Lacks  []string `yaml:"lacks"`  // and none of these
}

// FaultMarkGotWords are the words that FaultMark.Got takes in place of JSON.
func FaultMarkGotWords() []string { return []string{"nothing", "object", "array", "string", "number"} }

// The words that FaultMark.Answer takes.
const (
	ResultAnswer = "result"
	ErrorAnswer  = "error"
)

// NamedSDK is an SDK with one of its versions, as an operator names it.
type NamedSDK struct {
	*SDK
	Version string
}

// String returns the SDK as a flag names it: js@1.3.0.
func (n NamedSDK) String() string { return n.Short + "@" + n.Version }

// FaultsOf returns the faults by which a requirement fails in a version of the SDK, or in any if the version
// is "".
func (s *SDK) FaultsOf(id, version string) (out []*Fault) {
	for i := range s.Faults {
		if f := &s.Faults[i]; f.Side == ServerSide && slices.Contains(f.IDs, id) && (version == "" || slices.Contains(f.Versions, version)) {
			out = append(out, f)
		}
	}
	return out
}

// LastDay returns the last day on which a waiver counts that is made of the fault.
func (f *Fault) LastDay() string {
	day, err := time.Parse(time.DateOnly, f.Seen)
	if err != nil {
		return f.Seen
	}
	return day.AddDate(0, 0, KnownFaultDays).Format(time.DateOnly)
}

// KnownSDKs lists the SDKs of which faults are known.
func KnownSDKs() []*SDK { return knownSDKs() }

var knownSDKs = sync.OnceValue(func() []*SDK {
	out, err := readSDKs(knownFiles)
	if err != nil {
		panic(err) // the program was built from a broken file
	}
	return out
})

func readSDKs(fsys fs.FS) (out []*SDK, err error) {
	names, err := fs.Glob(fsys, "known/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		s, err := ParseSDK(path.Join("schema", name), text)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// FindSDK returns the SDK that a word such as js@1.3.0 or @a2a-js/sdk@1.3.0 names.
func FindSDK(word string) (NamedSDK, error) {
	name, version := word, ""
	if i := strings.LastIndex(word, "@"); i > 0 {
		name, version = word[:i], word[i+1:]
	}
	var all []string
	for _, s := range KnownSDKs() {
		var own []string
		for _, v := range s.Versions {
			own = append(own, NamedSDK{s, v.Version}.String())
			if (name == s.Short || name == s.Name) && strings.TrimPrefix(v.Version, "v") == strings.TrimPrefix(version, "v") {
				return NamedSDK{s, v.Version}, nil
			}
		}
		if name == s.Short || name == s.Name {
			if version == "" {
				return NamedSDK{}, fmt.Errorf("%q names no version; write %s", clipWord(word), strings.Join(own, " or "))
			}
			return NamedSDK{}, fmt.Errorf("no faults are known of %s %s, but of %s", s.Name, clipWord(version), strings.Join(own, ", "))
		}
		all = append(all, own...)
	}
	return NamedSDK{}, fmt.Errorf("%q is no SDK whose faults are known; there are %s", clipWord(word), strings.Join(all, ", "))
}

// clipWord returns the beginning of what somebody wrote.
func clipWord(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

var (
	sdkShort = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	// reported is the address of an issue, a change or a discussion.
	reported = regexp.MustCompile(`^https://\S+$`)
)

// leastDistinctive is how many bytes a piece has at least that only one SDK sends.
const leastDistinctive = 12

// ParseSDK reads the known faults of an SDK from a text; file is what errors call it. It does not look whether the
// requirements exist.
func ParseSDK(file string, text []byte) (*SDK, error) {
	s := &SDK{}
	root, err := decodeStrict(file, text, s, MaxYAML)
	if err != nil {
		return nil, err
	}
	places := Places{root}
	var mistakes []error
	mistake := func(at []any, format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("%s:%d: %s", file, places.Line(at...), fmt.Sprintf(format, args...)))
	}
	if strings.TrimSpace(s.Name) == "" {
		mistake([]any{"sdk"}, "sdk is missing; write the name of the SDK's package")
	}
	if !sdkShort.MatchString(s.Short) {
		mistake([]any{"short"}, "short is %q; write a word of small letters, such as js", clipWord(s.Short))
	}
	if !reported.MatchString(s.Source) {
		mistake([]any{"source"}, "source is %q; write the https address of the SDK's source", clipWord(s.Source))
	}
	if len(s.Versions) == 0 {
		mistake([]any{"versions"}, "there is no version; list those that were judged")
	}
	var versions []string
	for i, v := range s.Versions {
		if v.Version == "" || len(v.Dialects) == 0 {
			mistake([]any{"versions", i}, "a version has version and dialects; one of them is missing")
		}
		for j, d := range v.Dialects {
			if !slices.Contains(Names(), d) {
				mistake([]any{"versions", i, "dialects", j}, "%q is no dialect; there are %s", clipWord(d), strings.Join(Names(), ", "))
			}
		}
		versions = append(versions, v.Version)
	}
	if len(s.Faults) == 0 {
		mistake([]any{"faults"}, "there is no fault; write one, or delete the file")
	}
	for i := range s.Faults {
		f := &s.Faults[i]
		if f.Side == "" {
			f.Side = ServerSide
		}
		f.Fault = strings.Join(strings.Fields(f.Fault), " ")
		f.findMistakes(versions, func(at []any, format string, args ...any) {
			mistake(append([]any{"faults", i}, at...), format, args...)
		})
	}
	return s, errors.Join(mistakes...)
}

// findMistakes finds what a fault lacks.
func (f *Fault) findMistakes(versions []string, mistake func(at []any, format string, args ...any)) {
	if len(f.IDs) == 0 {
		mistake([]any{"ids"}, "the fault is of no requirement; list the ids of those that fail by it")
	}
	for j, id := range f.IDs {
		if !requirementID.MatchString(id) {
			mistake([]any{"ids", j}, "%q is no id of a requirement", clipWord(id))
		}
		if slices.Index(f.IDs, id) < j {
			mistake([]any{"ids", j}, "%s is listed twice", id)
		}
	}
	if len(f.Versions) == 0 {
		mistake([]any{"versions"}, "the fault is of no version; list those that were seen with it")
	}
	for j, v := range f.Versions {
		if !slices.Contains(versions, v) {
			mistake([]any{"versions", j}, "%q is none of the versions of this SDK: %s", clipWord(v), strings.Join(versions, ", "))
		}
	}
	if f.Side != ServerSide && f.Side != ClientSide {
		mistake([]any{"side"}, "side is %q; write %s or %s", clipWord(f.Side), ServerSide, ClientSide)
	}
	for _, of := range [][2]string{{"fault", f.Fault}, {"file", f.File}, {"function", f.Function}} {
		if strings.TrimSpace(of[1]) == "" {
			mistake([]any{of[0]}, "the fault has no %s", of[0])
		}
	}
	if f.Upstream != NotReported && !reported.MatchString(f.Upstream) {
		mistake([]any{"upstream"}, "upstream is %q; write the https address of the report to the makers of the SDK, or %q", clipWord(f.Upstream), NotReported)
	}
	if _, err := time.Parse(time.DateOnly, f.Seen); err != nil {
		mistake([]any{"seen"}, "seen is %q, which is not a date; write the day on which the fault was last seen, like 2026-11-27", clipWord(f.Seen))
	}
	if len(f.Marks) == 0 {
		mistake([]any{"marks"}, "the fault has no marks, by which its failures are recognised")
	}
	for j, m := range f.Marks {
		m.findMistakes(f.Distinctive, func(key, format string, args ...any) { mistake([]any{"marks", j, key}, format, args...) })
	}
}

// findMistakes finds what a mark lacks.
func (m *FaultMark) findMistakes(distinctive bool, mistake func(key, format string, args ...any)) {
	if len(m.At) == 0 && m.Header == "" || slices.Contains(m.At, "") {
		mistake("at", "the mark names no place; write a list of places, as in a waiver, or header for a field of any answer")
	}
	if m.Got == "" && len(m.Has) == 0 {
		mistake("has", "the mark names no bytes, so that it would fit any failure there; write got, or has with pieces of the answer")
	}
	if m.Answer != "" && m.Answer != ResultAnswer && m.Answer != ErrorAnswer {
		mistake("answer", "answer is %q; write %s or %s", clipWord(m.Answer), ResultAnswer, ErrorAnswer)
	}
	if word := regexp.MustCompile(`^[a-z]+$`).MatchString(m.Got); word && !slices.Contains(append(FaultMarkGotWords(), "null", "true", "false"), m.Got) && m.Header == "" {
		mistake("got", "got is %q, which is neither JSON nor one of %s", clipWord(m.Got), strings.Join(FaultMarkGotWords(), ", "))
	}
	if slices.Contains(m.Has, "") || slices.Contains(m.Lacks, "") {
		mistake("has", "a piece of the answer is empty")
	}
	if distinctive && !slices.ContainsFunc(m.Has, func(piece string) bool { return len(piece) >= leastDistinctive }) {
		mistake("has", "a mark of a distinctive fault has a piece of at least %d bytes that only this SDK sends", leastDistinctive)
	}
}
