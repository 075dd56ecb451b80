package card

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/signature"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// Whether the signatures of a card (RFC 7515, over the form of RFC 8785) are those of
// who is said to have signed it.
var verificationChecks = []judge.Check{
	judge.Define("signature/verifies", "each signature whose key is known was made over the card in canonical form", verifies),
	judge.Define("signature/without-itself", "no signature was made over a card with a list of signatures", withoutItself),
	judge.Define("signature/keeps-required", "what was signed has all members that a card must have", keepsRequired),
	judge.Define("signature/notices-change", "a signature does not verify for a card that was changed", noticesChange),
	judge.Define("signature/extended", "the signatures of the card for known callers are over that card", extendedSigned),
}

// keyFlags are what an operator can do where the key of a signature is not at hand.
const keyFlags = "--card-key FILE with the signer's public key, or --card-key jku to fetch it from the URL in the signature"

type signaturesParams struct {
	_ onCard
	_ struct{} `step:"open-card/keys-1"`
}

// mostSignatures bounds how many signatures of one card are verified.
const mostSignatures = 8

// verified is a signature, and what came of its verification.
type verified struct {
	judge.Value
	content   *signature.Content
	signature signature.Signature
	key       signature.Key
	known     bool            // there is a key by which it can be verified
	lacks     string          // why there is none
	form      *signature.Form // what it was made over; nil where that could not be found out
}

// sound reports whether it was made over what the source asks for or leaves open.
func (v verified) sound() bool {
	return v.form != nil && (v.form.Sort == signature.Sound || v.form.Sort == signature.Emptied)
}

// examined are the signatures of a card. What was recorded without a secret is no
// longer what was signed.
func examined(t *judge.T, card judge.Value) (out []verified) {
	rules := t.Case.Dialect.Card.Signed
	list := card.At(rules.At).Elems()
	if len(list) == 0 {
		return nil
	}
	if strings.Contains(string(card.Document().Bytes()), record.SecretMark) {
		t.Undecided("the record of the card hides a secret, so the signed bytes are not known")
	}
	content, err := signature.Of(card.Node(), rules)
	if err != nil {
		t.Undecided("the card has no canonical form: %s", shorten.Visible(err.Error(), 160))
	}
	for i, entry := range list[:min(len(list), mostSignatures)] {
		v := verified{Value: entry, content: content}
		v.find(t, i)
		out = append(out, v)
	}
	return out
}

// find looks for the key of the signature at that index of the list, and for what it
// was made over.
func (v *verified) find(t *judge.T, index int) {
	protected, text := v.At("/protected").Text(), v.At("/signature").Text()
	header, err := signature.ReadHeader(protected)
	if err != nil {
		v.lacks = "the protected header cannot be read"
		return
	}
	alg, kid := signature.Member(header, "alg"), signature.Member(header, "kid")
	if v.signature, err = signature.Read(protected, text); err != nil {
		v.lacks = fmt.Sprintf("a2a-conform does not support the alg %s", shorten.Visible(alg, 40))
		return
	}
	keys, lacks := keysOf(t, signature.Member(header, "jku"))
	if keys == nil {
		v.lacks = lacks
		return
	}
	fitting := keys.For(kid, alg)
	if len(fitting) == 0 {
		v.lacks = fmt.Sprintf("none of the keys is called %s and fits %s", shorten.Visible(kid, 60), shorten.Visible(alg, 20))
		return
	}
	for _, forms := range []func() []signature.Form{v.content.Sound, func() []signature.Form { return v.content.Wrong(index) }} {
		for _, f := range forms() {
			for _, key := range fitting {
				v.known, v.key = true, key
				if v.signature.Covers(f.Text, key) {
					v.form = &f
					return
				}
			}
		}
	}
}

// keysOf are the keys by which a signature may be verified: the operator's or, where
// these are to be fetched, those at the address that the signature names.
func keysOf(t *judge.T, jku string) (keys *signature.Keys, lacks string) {
	text := t.Case.Transcript.Facts.CardKey
	switch {
	case text == "":
		return nil, "no key was given"
	case text == record.KeysFromHeader && jku == "":
		return nil, "the signature does not say where its key is"
	case text == record.KeysFromHeader:
		text, lacks = "", "a2a-conform did not fetch the key from "+shorten.Visible(jku, 120)
		for _, scenario := range []string{"open-card", "extended-card"} {
			play := t.Case.Transcript.Play(scenario)
			if play == nil {
				continue
			}
			for i := range play.Steps {
				s := &play.Steps[i]
				switch {
				case !strings.HasPrefix(s.Name, "keys-"):
				case s.Exchange == nil && strings.HasSuffix(s.NotSent, fmt.Sprintf("%q", jku)):
					return nil, shorten.Visible(s.NotSent, 200)
				case s.Exchange != nil && s.Exchange.URL == jku && s.Exchange.Status() != 200:
					lacks = fmt.Sprintf("the key could not be fetched from %s (HTTP %d)", shorten.Visible(jku, 120), s.Exchange.Status())
				case s.Exchange != nil && s.Exchange.URL == jku:
					text = string(s.Exchange.Response.Body)
				}
			}
		}
		if text == "" {
			return nil, lacks
		}
	}
	keys, err := signature.ReadKeys([]byte(text))
	if err != nil {
		return nil, shorten.Visible(err.Error(), 160)
	}
	return keys, ""
}

// withKeys are the signatures of all cards whose key is at hand. Without one the
// sentence is undecided.
func withKeys(t *judge.T) (out []verified) {
	lacks := ""
	for _, card := range t.Cards() {
		for _, v := range examined(t, card) {
			if v.known {
				out = append(out, v)
			} else if lacks == "" {
				lacks = v.lacks
			}
		}
	}
	if len(out) == 0 && lacks != "" {
		t.Inconclusive(keyFlags, "the card is signed, but a2a-conform cannot verify a signature: %s", lacks)
	}
	return out
}

// doubtful reports whether a signature that does not verify may be somebody else's: its
// key has no name, and another signature is by its owner.
func (v verified) doubtful(all []verified) bool {
	if v.key.Named {
		return false
	}
	for _, o := range all {
		if !o.key.Named && o.form != nil {
			return true
		}
	}
	return false
}

func verifies(t *judge.T, _ signaturesParams) {
	all := withKeys(t)
	judge.Each(t, all, func(v verified) { judgeSignature(t, v, all) })
}

// judgeSignature: the source leaves open what a printer leaves out (section 8.4.1 and
// its example differ on members that are required and empty).
func judgeSignature(t *judge.T, v verified, all []verified) {
	due := "a signature over the whole card but for signatures, in the form of RFC 8785"
	switch {
	case v.sound():
	case v.form == nil && v.doubtful(all):
	case v.form == nil:
		t.Fail(v.At("/signature"), "sent a signature that does not verify for this card", due)
	case v.form.Sort == signature.Departed:
		t.Finding(v.At("/signature"), "the signature was made over %s, which is not the form of RFC 8785", v.form.What)
	default:
		t.Fail(v.At("/signature"), "signed "+v.form.What, due)
	}
	t.OK(v.At("/signature"))
}

// told are those signatures of which it is known what they were made over.
func told(t *judge.T) (out []verified) {
	all := withKeys(t)
	for _, v := range all {
		if v.form != nil {
			out = append(out, v)
		}
	}
	if len(all) > 0 && len(out) == 0 {
		t.Undecided("no signature verifies, so the run does not know what was signed")
	}
	return out
}

func withoutItself(t *judge.T, _ signaturesParams) {
	judge.Each(t, told(t), func(v verified) {
		if v.form.Sort == signature.Listed {
			t.Fail(v.At("/signature"), "signed "+v.form.What, "the member signatures to be left out of what is signed")
		}
		t.OK(v.At("/signature"))
	})
}

// keepsRequired: that members which are empty are left out like others is how some
// printers read the source.
func keepsRequired(t *judge.T, _ signaturesParams) {
	judge.Each(t, told(t), func(v verified) {
		switch v.form.Sort {
		case signature.Lacking:
			t.Fail(v.At("/signature"), "signed "+v.form.What, "required members to stay in what is signed")
		case signature.Emptied:
			t.Finding(v.At("/signature"), "the signature was made over %s, though required members are signed even if they are empty", v.form.What)
		}
		t.OK(v.At("/signature"))
	})
}

// noticesChange changes the first text of the card. What a card says twice some readers
// take from one place and some from the other: one of them shows what nobody signed.
func noticesChange(t *judge.T, _ signaturesParams) {
	rules := t.Case.Dialect.Card.Signed
	judge.Each(t, told(t), func(v verified) {
		if at := v.content.Repeated; at != "" {
			t.Fail(v.At("/signature"), "signed a card that says twice what stands at "+shorten.Visible(at, 60)+": the signature verifies, whichever of both a client shows", "a signature that verifies for what the card says and nothing else")
		}
		changed, err := signature.Of(altered(v.form.Text), rules)
		if err != nil {
			t.Undecided("the changed card has no canonical form: %v", err)
		}
		for _, f := range changed.Sound() {
			if v.signature.Covers(f.Text, v.key) {
				t.Fail(v.At("/signature"), "signed its card so that the signature verifies for a changed card too", "a signature that verifies for this card alone")
			}
		}
		t.OK(v.At("/signature"))
	})
}

// altered is a card with another first text.
func altered(text []byte) *record.Node {
	root, _ := record.ObserveJSON(text)
	for _, m := range root.Members {
		if m.Value.Kind == record.String {
			m.Value.String += "?"
			return root
		}
	}
	root.Members = append(root.Members, record.Member{Name: "changed", Value: &record.Node{Kind: record.Bool, Bool: true}})
	return root
}

type extendedSignedParams struct {
	observe.OnSteps
	_ struct{} `step:"open-card/keys-1"`
}

// extendedSigned: a signature that stands on both cards cannot be over both, which
// shows without any key.
func extendedSigned(t *judge.T, p extendedSignedParams) {
	s := observe.FirstAccepted(t, p.Steps)
	if !s.Accepted() {
		t.NotApplicable("there is no extended card: %s", s.Outcome())
	}
	at := t.Case.Dialect.Card.Signed.At
	extended := s.Reply().Result()
	entries := extended.At(at).Elems()
	if len(entries) == 0 {
		t.NotApplicable("the server does not use this permission: it does not sign its extended card")
	}
	public, ok := t.Case.Card()
	for _, e := range entries {
		for _, o := range public.At(at).Elems() {
			if ok && match.Present(e.At("/signature")) && o.At("/signature").Node().Equal(e.At("/signature").Node()) && differ(public, extended, at) {
				t.Fail(e.At("/signature"), "put the signature of its public card on the extended one, which says something else", "a signature over the extended card", o.At("/signature"))
			}
		}
	}
	all := examined(t, extended)
	var with []verified
	lacks := ""
	for _, v := range all {
		if v.known {
			with = append(with, v)
		} else if lacks == "" {
			lacks = v.lacks
		}
	}
	if len(with) == 0 {
		t.Inconclusive(keyFlags, "the extended card is signed, but a2a-conform cannot verify a signature: %s", lacks)
	}
	judge.Each(t, with, func(v verified) { judgeSignature(t, v, with) })
}

// differ reports whether two cards say different things beside their signatures.
func differ(a, b judge.Value, signatures string) bool {
	for _, of := range [][2]judge.Value{{a, b}, {b, a}} {
		for name, value := range of[0].Members() {
			if record.Pointer(name) != signatures && !value.Node().Equal(of[1].At(record.Pointer(name)).Node()) {
				return true
			}
		}
	}
	return false
}
