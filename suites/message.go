package suites

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var messageChecks = []judge.Check{
	judge.Define("message/accepted", "an unusual but valid call is accepted", acceptedCall),
	judge.Define("message/implemented", "the server has the method", implemented),
	judge.Define("message/places", "the values at places of a type satisfy a rule that no schema states", places),
}

type acceptedParams struct {
	onSteps
	Unless []string `json:"unless"` // errors that concern something else and pass
}

// acceptedCall: the twin shows that the server accepts the plain form, so that
// a refusal is about what the probe adds.
func acceptedCall(t *judge.T, p acceptedParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		twinAccepted(t, s)
		reply := s.Reply()
		if len(p.Unless) > 0 && isError(reply) {
			code, _ := reply.At("/error/code").Int()
			for _, n := range p.Unless {
				if t.Case.Dialect.Errors[n] == code {
					t.OK(reply)
					return
				}
			}
		}
		t.Expect(reply).To(BeAResult())
	})
}

func implemented(t *judge.T, p onStep) {
	reply := t.Step(p.Step).Reply()
	t.Expect(reply).To(BeAReply())
	t.Expect(reply).NotTo(BeRPCError(t.Case.Dialect, "MethodNotFound"))
}

type placesParams struct {
	Type string `json:"type"`
	At   string `json:"at"`
	Rule string `json:"rule"`
}

// The rules are closed words; what has another JSON type is for the shape.
var placeRules = map[string]matcher{
	"base64":       {"base64 text", func(v judge.Value) bool { return isBase64(v.Text()) }, nil},
	"uri":          {"a URI", func(v judge.Value) bool { return isURI(v.Text()) }, nil},
	"absolute-uri": {"an absolute URL", func(v judge.Value) bool { u, err := url.Parse(v.Text()); return err == nil && u.Scheme != "" }, nil},
	"mime-type":    {"a MIME type of the form type/subtype", func(v judge.Value) bool { return mimeSyntax.MatchString(v.Text()) }, nil},
	"non-empty":    {"a non-empty string", func(v judge.Value) bool { return v.Text() != "" }, nil},
}

var mimeSyntax = regexp.MustCompile(`^[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+\s*(;.*)?$`)

func places(t *judge.T, p placesParams) {
	rule, ok := placeRules[p.Rule]
	if !ok {
		panic("there is no rule " + p.Rule)
	}
	var of []judge.Value
	for _, v := range t.Instances(p.Type) {
		if p.Rule == "mime-type" && !v.At(p.At).Exists() {
			of = append(of, v.At(p.At)) // its absence is what the sentence is about
			continue
		}
		of = append(of, texts(v.Expand(p.At))...)
	}
	judge.Each(t, of, func(v judge.Value) { t.Expect(v).To(rule) })
}

func isBase64(s string) bool {
	s = strings.TrimRight(strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' {
			return -1
		}
		return r
	}, s), "=")
	_, err := base64.RawStdEncoding.DecodeString(s)
	return err == nil
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.String() != "" && !strings.ContainsAny(s, " \\<>\"{}|^`")
}
