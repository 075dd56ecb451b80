package card

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// What a JSON Web Signature (RFC 7515) says of itself.
var signatureChecks = []judge.Check{
	judge.Define("signature/header", "the protected header of a signature is a JSON object in base64url", headerObject),
	judge.Define("signature/member", "the protected header of a signature has a member, and the right one", headerMember),
}

type headerParams struct {
	onCards
	At string `json:"at"` // the protected headers on the card
}

// headers are the texts at the place; another type is for the shape.
func (p headerParams) headers(t *judge.T) (out []judge.Value) {
	for _, card := range t.Cards() {
		out = append(out, observe.KeepStrings(card.Expand(p.At))...)
	}
	return out
}

// decoded is the header that a text is; nil if it is none.
func decoded(text string) *record.Node {
	plain, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil
	}
	root, faults := record.ObserveJSON(plain)
	if len(faults) > 0 || root == nil || root.Kind != record.Object {
		return nil
	}
	return root
}

func headerObject(t *judge.T, p headerParams) {
	judge.Each(t, p.headers(t), func(v judge.Value) {
		t.Expect(v).To(match.Should("a JSON object in base64url", func(v judge.Value) bool { return decoded(v.Text()) != nil }, nil))
	})
}

type headerMemberParams struct {
	headerParams
	Member    string   `json:"member"`
	Is        string   `json:"is"`        // this very string; any that is not empty if left out
	Not       []string `json:"not"`       // strings that will not do
	URL       bool     `json:"url"`       // an absolute URL, https unless it leads to the machine itself
	Optional  bool     `json:"optional"`  // the header may lack it
	Tolerated bool     `json:"tolerated"` // what is wrong with it is a finding only
}

func (p headerMemberParams) wants() string {
	switch {
	case p.Is != "":
		return p.Member + " " + p.Is
	case p.URL:
		return "an https URL as " + p.Member
	}
	return "a text as " + p.Member
}

func (p headerMemberParams) right(n *record.Node) bool {
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

// headerMember: a header that cannot be read is for another requirement.
func headerMember(t *judge.T, p headerMemberParams) {
	type header struct {
		judge.Value
		member *record.Node
	}
	var of []header
	for _, v := range p.headers(t) {
		if root := decoded(v.Text()); root != nil && (!p.Optional || root.Member(p.Member) != nil) {
			of = append(of, header{v, root.Member(p.Member)})
		}
	}
	judge.Each(t, of, func(h header) {
		if p.right(h.member) {
			t.OK(h.Value)
			return
		}
		got := "no " + p.Member
		if h.member != nil {
			got = p.Member + " " + observe.DescribeNode(h.member)
		}
		if p.Tolerated {
			t.Finding(h.Value, "the protected header of a signature has %s, but needs %s", got, p.wants())
			t.OK(h.Value)
			return
		}
		t.Fail(h.Value, "signed its card with a protected header that has "+got, p.wants())
	})
}
