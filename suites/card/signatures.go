package card

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type headerParams struct {
	everyCard
	At string `json:"at"` // the protected headers on the card
}

func checkProtectedHeaderIsObject(t *judge.T, p headerParams) {
	judge.Each(t, listCardStringsAt(t, p.At), func(v judge.Value) {
		t.Expect(v).To(match.Should("a JSON object in base64url", func(v judge.Value) bool { return observe.DecodeBase64URLObject(v.Text()) != nil }, nil))
	})
}

type headerMemberParams struct {
	headerParams
	Member    string   `json:"member"`
	Is        string   `json:"is"`        // this very string; any that is not empty if left out
	Not       []string `json:"not"`       // strings that will not do
	URL       bool     `json:"url"`       // an absolute URL, https unless it leads to the machine itself
	Optional  bool     `json:"optional"`  // the header may lack it
	Tolerated bool     `json:"tolerated"` // a missing or wrong member is a finding only
}

func (p headerMemberParams) describeWant() string {
	switch {
	case p.Is != "":
		return p.Member + " " + p.Is
	case p.URL:
		return "an https URL as " + p.Member
	}
	return "a text as " + p.Member
}

func (p headerMemberParams) isAcceptable(n *record.Node) bool {
	if n == nil || n.Kind != record.String {
		return false
	}
	switch text := n.String; {
	case p.Is != "":
		return text == p.Is
	case p.URL:
		u, err := url.Parse(text)
		return err == nil && u.Host != "" && (strings.EqualFold(u.Scheme, "https") || observe.IsLoopbackURL(text))
	default:
		return text != "" && !slices.Contains(p.Not, text)
	}
}

// checkProtectedHeaderMember skips headers that cannot be read, which are for another requirement.
func checkProtectedHeaderMember(t *judge.T, p headerMemberParams) {
	type header struct {
		judge.Value
		member *record.Node
	}
	var of []header
	for _, v := range listCardStringsAt(t, p.At) {
		if root := observe.DecodeBase64URLObject(v.Text()); root != nil && (!p.Optional || root.Member(p.Member) != nil) {
			of = append(of, header{v, root.Member(p.Member)})
		}
	}
	judge.Each(t, of, func(h header) {
		if p.isAcceptable(h.member) {
			t.OK(h.Value)
			return
		}
		got := "no " + p.Member
		if h.member != nil {
			got = p.Member + " " + observe.DescribeNode(h.member)
		}
		if p.Tolerated {
			t.Tolerate(h.Value, "the protected header of a signature has %s, but needs %s", got, p.describeWant())
			return
		}
		t.Fail(h.Value, "signed its card with a protected header that has "+got, p.describeWant())
	})
}
