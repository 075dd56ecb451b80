package certificate

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// maxSignatures is how many may be in an envelope, since several may sign.
const maxSignatures = 10

// readEnvelope reads an envelope, of which every reader has to see the same.
func readEnvelope(text []byte) (*dsse.Envelope, error) {
	var env dsse.Envelope
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&env); err != nil {
		return nil, fmt.Errorf("%s is no DSSE envelope: %w", EnvelopeFile, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the envelope in %s", EnvelopeFile)
	}
	again, err := envelopeText(&env)
	if err != nil {
		return nil, err
	}
	if err := checkMembers(EnvelopeFile, bytes.NewReader(text), bytes.NewReader(again)); err != nil {
		return nil, err
	}
	if env.PayloadType != payloadType {
		return nil, fmt.Errorf("the envelope holds %q; expected %q", shortenText(env.PayloadType), payloadType)
	}
	if n := len(env.Signatures); n == 0 || n > maxSignatures {
		return nil, fmt.Errorf("the envelope has %d signatures; expected 1 to %d", n, maxSignatures)
	}
	return &env, nil
}

// verifySignatures returns whose signature was found good, and what he signed. A signature
// that cannot be checked is refused, whatever others there are: a reader could believe it.
func verifySignatures(env *dsse.Envelope, keys []Holder) (*Holder, []byte, error) {
	var accepted []dsse.Verifier
	var ids, signed []string
	for _, h := range keys {
		accepted, ids = append(accepted, h.Key), append(ids, h.Key.ID)
	}
	for _, sig := range env.Signatures {
		if slices.Contains(signed, sig.KeyID) {
			return nil, nil, fmt.Errorf("the envelope has two signatures of the key %q", shortenText(sig.KeyID))
		}
		signed = append(signed, sig.KeyID)
	}
	verifier, err := dsse.NewEnvelopeVerifier(accepted...)
	if err != nil {
		return nil, nil, err
	}
	by, payload, err := verifier.VerifyAndDecode(context.Background(), env)
	switch known := slices.ContainsFunc(signed, func(id string) bool { return slices.Contains(ids, id) }); {
	case err != nil && strings.Contains(err.Error(), "base64"):
		return nil, nil, fmt.Errorf("the envelope cannot be decoded: %w", err)
	case (err != nil || len(by) == 0) && known:
		return nil, nil, errors.New("the signature is wrong: the statement was changed after it was signed, or the signature was")
	case err != nil || len(by) == 0:
		return nil, nil, fmt.Errorf("it is signed by the key %s, and not by the one that you accept, %s", shortenText(strings.Join(signed, ", ")), strings.Join(ids, ", "))
	case len(by) < len(signed):
		return nil, nil, nameUnchecked(signed, ids, by)
	}
	return &keys[slices.Index(ids, by[0].KeyID)], payload, nil
}

// nameUnchecked names the first signature that was not found good, though others were.
func nameUnchecked(signed, ids []string, by []dsse.AcceptedKey) error {
	i := slices.IndexFunc(signed, func(id string) bool {
		return !slices.ContainsFunc(by, func(k dsse.AcceptedKey) bool { return k.Sig.KeyID == id })
	})
	if slices.Contains(ids, signed[i]) {
		return fmt.Errorf("one of the signatures is wrong: it names the key %s, and is not by it", signed[i])
	}
	return fmt.Errorf("one of the signatures names the key %s, which you do not accept, so that nothing shows whose it is", shortenText(signed[i]))
}

// requireOwnEncoding refuses a statement or an envelope that is not as this version writes what
// it read.
func (s *statement) requireOwnEncoding(expected *statement, envelope []byte) error {
	payload, err := expected.canonicalBytes()
	if err != nil {
		return err
	}
	if place := firstDifference(s.signed, payload); place != "" {
		return fmt.Errorf("the statement is not written as this version writes it: %s", place)
	}
	env, err := readEnvelope(envelope)
	if err != nil {
		return err
	}
	env.Payload = base64.StdEncoding.EncodeToString(payload)
	for i := range env.Signatures {
		sig, err := base64.StdEncoding.DecodeString(env.Signatures[i].Sig)
		if err != nil || env.Signatures[i].KeyID == "" {
			return fmt.Errorf("signature %d in %s is not written as this version writes it: it lacks its key, or is in another alphabet of base64", i+1, EnvelopeFile)
		}
		env.Signatures[i].Sig = base64.StdEncoding.EncodeToString(sig)
	}
	again, err := envelopeText(env)
	if err != nil {
		return err
	}
	if place := firstDifference(envelope, again); place != "" {
		return fmt.Errorf("%s is not written as this version writes it: %s", EnvelopeFile, place)
	}
	return nil
}
