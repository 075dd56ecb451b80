package suites_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// signer is a key for trials, always the same one.
var signer = func() *ecdsa.PrivateKey {
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), []byte(strings.Repeat("k", 32)))
	if err != nil {
		panic(err)
	}
	return key
}()

// keySet is the public key under a name; "" for none.
func keySet(name string) string {
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: signer.Public(), KeyID: name}}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// signedOver is a signature over a text, whose header names its key and where that is.
func signedOver(kid, jku, text string) string {
	options := (&jose.SignerOptions{}).WithHeader("kid", kid)
	if jku != "" {
		options = options.WithHeader("jku", jku)
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: signer}, options)
	if err != nil {
		panic(err)
	}
	made, err := s.Sign([]byte(text))
	if err != nil {
		panic(err)
	}
	compact, err := made.DetachedCompactSerialize()
	if err != nil {
		panic(err)
	}
	protected, signature, _ := strings.Cut(compact, "..")
	return `{"protected":"` + protected + `","signature":"` + signature + `"}`
}

func TestVerificationChecks(t *testing.T) {
	const (
		content = `{"called":"Zoë","version":""}`
		jku     = "http://server.invalid/keys"
	)
	signed := func(signatures ...string) string {
		return serveCard(`{"called":"Zoë","version":"","signed":[` + strings.Join(signatures, ",") + `]}`)
	}
	right, another := signedOver("k", "", content), signedOver("k", "", `{"called":"Ann"}`)
	keys := "keys " + keySet("k") + "\n"
	fetched := "keys jku\nopen-card/keys-1 document url=" + jku + "\n < 200 application/json " + keySet("k") + "\n"
	runTrials(t, "verification", []trial{
		{"signature/verifies", "", map[string]string{
			"pass":                            keys + signed(right),
			"pass:without defaults":           keys + signed(signedOver("k", "", `{"called":"Zoë"}`)),
			"pass:a key without a name":       "keys " + keySet("") + "\n" + signed(right),
			"pass:one of two, without a name": "keys " + keySet("") + "\n" + signed(another, right),
			"pass:one has no key":             keys + signed(signedOver("other", "", "{}"), right),
			"pass:fetched":                    fetched + signed(signedOver("k", jku, content)),
			"finding:escaped":                 keys + signed(signedOver("k", "", `{"called":"Zo\u00eb","version":""}`)),
			"fail":                            keys + signed(another),
			"fail:a key without a name":       "keys " + keySet("") + "\n" + signed(another),
			"fail:one of two":                 keys + signed(another, right),
			"fail:with white space":           keys + signed(signedOver("k", "", `{"called": "Zoë", "version": ""}`)),
			"fail:with its list":              keys + signed(signedOver("k", "", `{"called":"Zoë","signed":[],"version":""}`)),
			"inconclusive:no key":             signed(right),
			"inconclusive:another key":        "keys " + keySet("other") + "\n" + signed(right),
			"inconclusive:not said where":     fetched + signed(right),
			"inconclusive:not fetched":        "keys jku\nopen-card/keys-1 document url=" + jku + "\n < 404 - \n" + signed(signedOver("k", jku, content)),
			"inconclusive:elsewhere":          "keys jku\nopen-card/keys-1 document unsent= the key set is at no address of the target's own host: \"http://b.invalid/\"\n" + signed(signedOver("k", "http://b.invalid/", content)),
			"inconclusive:a secret":           keys + serveCard(`{"called":"⟦secret:bearer⟧","signed":[`+right+`]}`),
			"inconclusive:none":               keys + signed(`{"protected":"`+base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"k"}`))+`","signature":""}`),
			"not-applicable":                  keys + signed(),
		}},
		{"signature/without-itself", "", map[string]string{
			"pass":         keys + signed(right),
			"fail":         keys + signed(signedOver("k", "", `{"called":"Zoë","signed":[],"version":""}`)),
			"fail:others":  keys + signed(signedOver("k", "", `{"called":"Zoë","signed":[`+right+`],"version":""}`), right),
			"inconclusive": keys + signed(another), "not-applicable": signed(),
		}},
		{"signature/keeps-required", "", map[string]string{
			"pass":         keys + signed(right),
			"finding":      keys + signed(signedOver("k", "", `{"called":"Zoë"}`)),
			"fail":         keys + signed(signedOver("k", "", `{"version":""}`)),
			"inconclusive": keys + signed(another), "not-applicable": signed(),
		}},
		{"signature/notices-change", "", map[string]string{
			"pass":         keys + signed(right),
			"fail":         keys + serveCard(`{"called":"Ann","called":"Zoë","version":"","signed":[`+right+`]}`),
			"inconclusive": keys + signed(another), "not-applicable": signed(),
		}},
		{"signature/extended", "{steps: [e/get]}", map[string]string{
			"pass":                    keys + signed(right) + answerCall("e/get extended-card", "{}", `{"result":{"called":"Ann","signed":[`+another+`]}}`),
			"fail":                    keys + signed(right) + answerCall("e/get extended-card", "{}", `{"result":{"called":"Eve","signed":[`+another+`]}}`),
			"fail:copied":             signed(right) + answerCall("e/get extended-card", "{}", `{"result":{"called":"Ann","signed":[`+right+`]}}`),
			"inconclusive":            signed(right) + answerCall("e/get extended-card", "{}", `{"result":{"called":"Ann","signed":[`+another+`]}}`),
			"not-applicable:unsigned": keys + signed(right) + answerCall("e/get extended-card", "{}", `{"result":{"called":"Ann"}}`),
			"not-applicable:none":     keys + signed(right) + answerCall("e/get extended-card", "{}", rpcError("1", -32009)),
		}},
	})
}
