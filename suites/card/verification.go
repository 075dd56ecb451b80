package card

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/signature"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// keyFlags names the flags by which an operator provides the key of a signature.
const keyFlags = "--card-key FILE with the signer's public key, or --card-key jku to fetch it from the URL in the signature"

type signaturesParams struct {
	_ cardPlay
	_ struct{} `step:"open-card/keys-1"`
}

// maxSignatures bounds how many signatures of one card are verified.
const maxSignatures = 8

// verifiedSignature is a signature with the outcome of its verification.
type verifiedSignature struct {
	judge.Value
	content     *signature.Content
	signature   signature.Signature
	key         signature.Key
	hasKey      bool            // a key fits the signature
	noKeyReason string          // why there is none
	form        *signature.Form // the bytes that were signed; nil if they are unknown
}

// coversAcceptedForm reports whether it was made over what the source asks for or leaves open.
func (v verifiedSignature) coversAcceptedForm() bool {
	return v.form != nil && (v.form.Sort == signature.Sound || v.form.Sort == signature.Emptied)
}

// verifySignatures returns the signatures of a card with the outcome of their verification. The
// result is undecided if the record hides a secret, since the signed bytes are lost then.
func verifySignatures(t *judge.T, card judge.Value) (out []verifiedSignature) {
	rules := t.Case.Dialect.Card.Signed
	list := card.At(rules.At).Elems()
	if len(list) == 0 {
		return nil
	}
	if strings.Contains(string(card.Document().Bytes()), record.SecretMark) {
		t.StopUndecided("the record of the card hides a secret, so the signed bytes are not known")
	}
	content, err := signature.Of(card.Node(), rules)
	if err != nil {
		t.StopUndecided("the card has no canonical form: %s", shorten.Visible(err.Error(), 160))
	}
	for i, entry := range list[:min(len(list), maxSignatures)] {
		v := verifiedSignature{Value: entry, content: content}
		v.findKeyAndForm(t, i)
		out = append(out, v)
	}
	return out
}

// findKeyAndForm looks for the key of the signature at that index of the list, and for what it
// was made over.
func (v *verifiedSignature) findKeyAndForm(t *judge.T, index int) {
	protected, text := v.At("/protected").Text(), v.At("/signature").Text()
	header, err := signature.ReadHeader(protected)
	if err != nil {
		v.noKeyReason = "the protected header cannot be read"
		return
	}
	alg, kid := signature.Member(header, "alg"), signature.Member(header, "kid")
	if v.signature, err = signature.Read(protected, text); err != nil {
		v.noKeyReason = fmt.Sprintf("a2a-conform does not support the alg %s", shorten.Visible(alg, 40))
		return
	}
	keys, reason := readConfiguredOrFetchedKeys(t, signature.Member(header, "jku"))
	if keys == nil {
		v.noKeyReason = reason
		return
	}
	fitting := keys.For(kid, alg)
	if len(fitting) == 0 {
		v.noKeyReason = fmt.Sprintf("none of the keys is called %s and fits %s", shorten.Visible(kid, 60), shorten.Visible(alg, 20))
		return
	}
	for _, forms := range []func() []signature.Form{v.content.Sound, func() []signature.Form { return v.content.Wrong(index) }} {
		for _, f := range forms() {
			for _, key := range fitting {
				v.hasKey, v.key = true, key
				if v.signature.Covers(f.Text, key) {
					v.form = &f
					return
				}
			}
		}
	}
}

// readConfiguredOrFetchedKeys returns the keys that may verify a signature: the configured ones or, if these are to
// be fetched, those at the address in the signature. If there are none, reason explains why.
func readConfiguredOrFetchedKeys(t *judge.T, jku string) (keys *signature.Keys, reason string) {
	text := t.Case.Transcript.Facts.CardKey
	switch {
	case text == "":
		return nil, "no key was given"
	case text == record.KeysFromHeader && jku == "":
		return nil, "the signature does not say where its key is"
	case text == record.KeysFromHeader:
		text, reason = "", "a2a-conform did not fetch the key from "+shorten.Visible(jku, 120)
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
					reason = fmt.Sprintf("the key could not be fetched from %s (HTTP %d)", shorten.Visible(jku, 120), s.Exchange.Status())
				case s.Exchange != nil && s.Exchange.URL == jku:
					text = string(s.Exchange.Response.Body)
				}
			}
		}
		if text == "" {
			return nil, reason
		}
	}
	keys, err := signature.ReadKeys([]byte(text))
	if err != nil {
		return nil, shorten.Visible(err.Error(), 160)
	}
	return keys, ""
}

// requireCardSignaturesWithKey returns the signatures of all cards that have a key.
func requireCardSignaturesWithKey(t *judge.T) []verifiedSignature {
	var all []verifiedSignature
	for _, card := range t.Cards() {
		all = append(all, verifySignatures(t, card)...)
	}
	return requireSignaturesWithKey(t, "card", all)
}

// requireSignaturesWithKey returns those of the signatures that have a key. If none of several has one, the
// requirement is inconclusive; what names the kind of card that they are on.
func requireSignaturesWithKey(t *judge.T, what string, all []verifiedSignature) []verifiedSignature {
	withKey := judge.Filter(all, func(v verifiedSignature) bool { return v.hasKey })
	if len(all) > 0 && len(withKey) == 0 {
		t.StopInconclusive(keyFlags, "the %s is signed, but a2a-conform cannot verify a signature: %s", what, all[0].noKeyReason)
	}
	return withKey
}

// mayBelongToOtherSigner reports whether a signature that does not verify may be somebody else's: its
// key has no name, and another signature is by its owner.
func (v verifiedSignature) mayBelongToOtherSigner(all []verifiedSignature) bool {
	return !v.key.Named && slices.ContainsFunc(all, func(o verifiedSignature) bool { return !o.key.Named && o.form != nil })
}

func checkSignatures(t *judge.T, _ signaturesParams) {
	all := requireCardSignaturesWithKey(t)
	judge.Each(t, all, func(v verifiedSignature) { judgeSignature(t, v, all) })
}

// judgeSignature accepts two forms, since section 8.4.1 of the source and its example differ on
// members that are required and empty.
func judgeSignature(t *judge.T, v verifiedSignature, all []verifiedSignature) {
	due := "a signature over the whole card but for signatures, in the form of RFC 8785"
	switch {
	case v.coversAcceptedForm():
	case v.form == nil && v.mayBelongToOtherSigner(all):
	case v.form == nil:
		t.Fail(v.At("/signature"), "sent a signature that does not verify for this card", due)
	case v.form.Sort == signature.Departed:
		t.Finding(v.At("/signature"), "the signature was made over %s, which is not the form of RFC 8785", v.form.What)
	default:
		t.Fail(v.At("/signature"), "signed "+v.form.What, due)
	}
	t.OK(v.At("/signature"))
}

// requireVerifiedSignatures returns the signatures whose signed bytes are known.
func requireVerifiedSignatures(t *judge.T) []verifiedSignature {
	all := requireCardSignaturesWithKey(t)
	explained := judge.Filter(all, func(v verifiedSignature) bool { return v.form != nil })
	if len(all) > 0 && len(explained) == 0 {
		t.StopUndecided("no signature verifies, so the run does not know what was signed")
	}
	return explained
}

func checkSignedPayloadExcludesSignatures(t *judge.T, _ signaturesParams) {
	judge.Each(t, requireVerifiedSignatures(t), func(v verifiedSignature) {
		if v.form.Sort == signature.Listed {
			t.Fail(v.At("/signature"), "signed "+v.form.What, "the member signatures to be left out of what is signed")
		}
		t.OK(v.At("/signature"))
	})
}

// checkRequiredMembersSigned only has a finding if empty members were left out, since the source can be
// read that way.
func checkRequiredMembersSigned(t *judge.T, _ signaturesParams) {
	judge.Each(t, requireVerifiedSignatures(t), func(v verifiedSignature) {
		switch v.form.Sort {
		case signature.Lacking:
			t.Fail(v.At("/signature"), "signed "+v.form.What, "required members to stay in what is signed")
		case signature.Emptied:
			t.Finding(v.At("/signature"), "the signature was made over %s, though required members are signed even if they are empty", v.form.What)
		}
		t.OK(v.At("/signature"))
	})
}

// checkSignatureDetectsChange changes the first string of the card. It also fails on repeated members:
// readers take different ones of their values, so that some show a value that was not signed.
func checkSignatureDetectsChange(t *judge.T, _ signaturesParams) {
	rules := t.Case.Dialect.Card.Signed
	judge.Each(t, requireVerifiedSignatures(t), func(v verifiedSignature) {
		if at := v.content.Repeated; at != "" {
			t.Fail(v.At("/signature"), "signed a card that says twice what stands at "+shorten.Visible(at, 60)+": the signature verifies, whichever of both a client shows", "a signature that verifies for what the card says and nothing else")
		}
		changed, err := signature.Of(alterCard(v.form.Text), rules)
		observe.StopUndecidedIf(t, err != nil, "the changed card has no canonical form: %v", err)
		for _, f := range changed.Sound() {
			if v.signature.Covers(f.Text, v.key) {
				t.Fail(v.At("/signature"), "signed its card so that the signature verifies for a changed card too", "a signature that verifies for this card alone")
			}
		}
		t.OK(v.At("/signature"))
	})
}

// alterCard returns a card whose first string is changed.
func alterCard(text []byte) *record.Node {
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

// checkExtendedSignatures also compares the two cards, without any key: the same signature cannot
// cover both of them.
func checkExtendedSignatures(t *judge.T, p extendedSignedParams) {
	s := requireExtendedCard(t, p.Steps)
	at := t.Case.Dialect.Card.Signed.At
	extended := s.Reply().Result()
	entries := extended.At(at).Elems()
	if len(entries) == 0 {
		t.StopNotApplicable("the server does not use this permission: it does not sign its extended card")
	}
	public, ok := t.Case.Card()
	for _, e := range entries {
		for _, o := range public.At(at).Elems() {
			if ok && match.Present(e.At("/signature")) && o.At("/signature").Node().Equal(e.At("/signature").Node()) && !copyWithoutSignatures(t, public).Equal(copyWithoutSignatures(t, extended)) {
				t.Fail(e.At("/signature"), "put the signature of its public card on the extended one, which says something else", "a signature over the extended card", o.At("/signature"))
			}
		}
	}
	with := requireSignaturesWithKey(t, "extended card", verifySignatures(t, extended))
	judge.Each(t, with, func(v verifiedSignature) { judgeSignature(t, v, with) })
}
