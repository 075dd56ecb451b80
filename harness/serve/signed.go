package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/signature"
)

// signingKeys sign the cards of a run. They are made for the run, and are never written down.
type signingKeys struct {
	own      *signature.Signer // whose key the client is given
	fetched  *signature.Signer // whose key is at the address that a signature names, and nowhere else
	stranger *signature.Signer // whose key is at no address
}

// newSigningKeys makes the keys of a run.
func newSigningKeys() (k *signingKeys, err error) {
	k = &signingKeys{}
	for name, to := range map[string]**signature.Signer{"conform-own": &k.own, "conform-fetched": &k.fetched, "conform-stranger": &k.stranger} {
		if *to, err = signature.NewSigner(name); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// encodeKeys returns the keys of some signers as a JSON Web Key Set.
func encodeKeys(signers ...*signature.Signer) ([]byte, error) {
	keys := []json.RawMessage{}
	for _, s := range signers {
		key, err := s.PublicKey()
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return encodeJSON(object{"keys": keys}), nil
}

// keysPath is the path of the list of keys that a signature names.
const keysPath = "/keys.json"

// signing is how the card of a scenario is signed and served.
type signing struct {
	edit   func(card object)                        // before it is signed
	write  func(card object) []byte                 // as it is served, without signatures; nil for its canonical form, or nearly
	change func(card []byte) []byte                 // after it was signed
	by     func(k *signingKeys) []*signature.Signer // nil for own
	jku    bool                                     // the signatures name the address of the keys
	listed func(k *signingKeys) ([]byte, error)     // the keys at that address
}

// plainlySigned is the scenario of a card that is served in the form that is signed.
const plainlySigned = "card-signed-plain"

// signedCards are the scenarios about the signatures of cards.
var signedCards = []Script{
	scriptSigned(plainlySigned, "The card is signed.", signing{}),
	inVersion10(scriptSigned("card-signed-order", "The card is signed, and is served with its members in another order, and with white space.", signing{write: writeReversed})),
	inVersion10(scriptSigned("card-signed-escapes", "The card is signed, and is served with escaped letters.", signing{edit: useOddLetters, write: writeEscaped})),
	inVersion10(scriptSigned("card-signed-numbers", "The card is signed, and has numbers such as 1e3.", signing{edit: useOddNumbers})),
	inVersion10(scriptSigned("card-signed-defaults", "The card is signed with what it has, which are some defaults and empty lists as well.", signing{edit: useDefaults})),
	inVersion10(scriptSigned("card-signed-several", "The card has two signatures, the first by an unknown key.", signing{
		by: func(k *signingKeys) []*signature.Signer { return []*signature.Signer{k.stranger, k.own} }})),
	inVersion10(scriptSigned("card-signed-jku", "The card is signed, and the signature names the address of its key, which is one of http.", signing{
		jku: true, listed: func(k *signingKeys) ([]byte, error) { return encodeKeys(k.own) }})),
	inVersion10(fetchedByTLS(scriptSigned("card-signed-fetched", "The card is signed by a key that is only at the address of https which the signature names.", signing{
		by: signFetched, jku: true, listed: func(k *signingKeys) ([]byte, error) { return encodeKeys(k.fetched) }}))),
	forgeSignature(scriptSigned("card-forged-changed", "The card was changed after it was signed.", signing{
		change: func(card []byte) []byte {
			return bytes.Replace(card, []byte("Answers any text."), []byte("Answers every text."), 1)
		}}), "the card was changed after it was signed"),
	forgeSignature(scriptSigned("card-forged-stranger", "The card is signed by an unknown key.", signing{
		by: func(k *signingKeys) []*signature.Signer { return []*signature.Signer{k.stranger} }}), "the card is signed by an unknown key"),
	expireKey(scriptSigned("card-expired-key-gone", "The card is signed by a key that is no longer at the address which the signature names.", signing{
		by: signFetched, jku: true, listed: func(k *signingKeys) ([]byte, error) { return encodeKeys(k.own) }}), "the card is signed by a key that was revoked"),
	expireKey(scriptSigned("card-expired-key-marked", "The card is signed by a key that is marked as expired at the address which the signature names.", signing{
		by: signFetched, jku: true, listed: listExpiredKey}), "the card is signed by a key that is marked as expired"),
}

func signFetched(k *signingKeys) []*signature.Signer { return []*signature.Signer{k.fetched} }

// inVersion10 makes a scenario one of version 1.0, which alone states what is signed.
func inVersion10(s Script) Script {
	s.Dialects = []string{a2a10}
	return s
}

// fetchedByTLS has the keys of a scenario be at an address of https.
func fetchedByTLS(s Script) Script {
	s.Needs = append(s.Needs, WithTLS)
	s.certificate, s.secureKeys = goodCertificate, true
	return s
}

// forgeSignature has a scenario be one with a signature that is not valid.
func forgeSignature(s Script, fault string) Script {
	s.Twin, s.Fault = plainlySigned, fault
	return s
}

// expireKey has a scenario be one with a key that is not to be used any more.
func expireKey(s Script, fault string) Script {
	s = inVersion10(fetchedByTLS(s))
	s.Twin, s.Fault, s.Also = "card-signed-fetched", fault, []string{"card-forged-changed"}
	return s
}

// scriptSigned makes a scenario in which the card is signed.
func scriptSigned(name, doc string, how signing) Script {
	var also []string
	if strings.HasPrefix(name, "card-signed-") && name != plainlySigned { // whether the client verifies signatures, and fetches keys
		also = []string{plainlySigned, "card-forged-changed", "card-signed-fetched"}
	}
	return Script{Name: name, Twin: "hello", Also: also, Doc: doc, Needs: []string{WithKeys}, set: func(s *stage) {
		s.addMarker("artifact")
		if how.jku {
			s.keysAt = s.bases[0] + keysPath
			if s.secureKeys {
				s.keysAt = s.bases[1] + keysPath
			}
			s.places = map[string]place{s.keysAt: {"keys", func(a *answerWriter, _ *request) {
				text, err := how.listed(s.keys)
				if err != nil {
					panic(err)
				}
				a.writeWhole(http.StatusOK, append(listTypeFields("application/json"), record.Field{Name: "Cache-Control", Value: "no-store"}), text)
			}}}
		}
		s.onCard = func(a *answerWriter, q *request) {
			text, err := how.signCard(s)
			if err != nil {
				panic(err)
			}
			a.writeWhole(http.StatusOK, listTypeFields("application/json"), text)
		}
	}}
}

// signCard returns the text of the card with its signatures.
func (how signing) signCard(s *stage) ([]byte, error) {
	card := s.buildCard()
	// Without defaults there is nothing about which readings of the canonical form differ.
	card["capabilities"] = object{"extensions": []any{object{"uri": OptionalExtensions[0], "description": "Made up for a test."}}}
	if how.edit != nil {
		how.edit(card)
	}
	text := encodeJSON(card)
	if how.write != nil {
		text = how.write(card)
	}
	root, _ := record.ObserveJSON(text)
	content, err := signature.Canonical(root)
	if err != nil {
		return nil, err
	}
	by := []*signature.Signer{s.keys.own}
	if how.by != nil {
		by = how.by(s.keys)
	}
	var made []any
	for _, signer := range by {
		protected, seal, err := signer.Sign(content, s.keysAt)
		if err != nil {
			return nil, err
		}
		made = append(made, object{"protected": protected, "signature": seal})
	}
	if how.change != nil {
		text = how.change(text)
	}
	before, _ := bytes.CutSuffix(bytes.TrimSpace(text), []byte("}"))
	return slices.Concat(before, []byte(`,"signatures":`), encodeJSON(made), []byte("}")), nil
}

// writeReversed writes JSON with the members of objects in the reverse of their order, and with white space.
func writeReversed(card object) []byte { return appendReversed(nil, card, "\n") }

func appendReversed(to []byte, v any, indent string) []byte {
	deeper := indent + "   "
	switch v := v.(type) {
	case object:
		names := slices.Sorted(maps.Keys(v))
		slices.Reverse(names)
		to = append(to, '{')
		for i, name := range names {
			if i > 0 {
				to = append(to, " ,"...)
			}
			to = append(append(append(to, deeper...), encodeJSON(name)...), " :\t"...)
			to = appendReversed(to, v[name], deeper)
		}
		return append(append(to, indent...), '}')
	case []any:
		to = append(to, '[')
		for i, e := range v {
			if i > 0 {
				to = append(to, ", "...)
			}
			to = appendReversed(to, e, deeper)
		}
		return append(to, " ]"...)
	}
	return append(to, encodeJSON(v)...)
}

// writeEscaped writes JSON in which slashes and letters beyond ASCII are escaped.
func writeEscaped(card object) []byte {
	var out strings.Builder
	for _, r := range string(encodeJSON(card)) {
		switch {
		case r == '/':
			out.WriteString(`\/`)
		case r > '~':
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&out, `\u%04X`, unit)
			}
		default:
			out.WriteRune(r)
		}
	}
	return []byte(out.String())
}

// useOddLetters puts letters into a card that programs write in several ways.
func useOddLetters(card object) { card["description"] = "Größe <5 & \"7\" €/😀\t\u0001 \u2028" }

// useOddNumbers puts numbers into a card that programs write in several ways.
func useOddNumbers(card object) {
	card["capabilities"].(object)["extensions"].([]any)[0].(object)["params"] = object{
		"most": json.RawMessage("1e3"), "least": json.RawMessage("0.50"), "share": json.RawMessage("12E-1"), "count": json.RawMessage("7.0"), "size": json.RawMessage("1E21")}
}

// useDefaults puts members into a card that have the values of absent ones.
func useDefaults(card object) {
	card["documentationUrl"], card["securityRequirements"] = "", []any{}
	card["capabilities"].(object)["streaming"] = false
	card["skills"].([]any)[0].(object)["examples"] = []any{}
}

// listExpiredKey returns the key that is fetched, marked as expired.
func listExpiredKey(k *signingKeys) ([]byte, error) {
	key, err := k.fetched.PublicKey()
	if err != nil {
		return nil, err
	}
	var marked object
	if err := json.Unmarshal(key, &marked); err != nil {
		return nil, err
	}
	marked["exp"] = time.Now().Add(-day).Unix()
	return encodeJSON(object{"keys": []any{marked}}), nil
}
