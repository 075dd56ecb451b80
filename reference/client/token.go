package client

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Bounds on the tokens of notifications.
const (
	maxTokenAge = 10 * time.Minute
	maxSkew     = time.Minute // between the clocks
)

// isGenuineToken reports whether the token of a notification is signed by a key that the client was given, is for a webhook, and is
// neither old nor over (RFC 7519).
func (s *session) isGenuineToken(token, hook string) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return false
	}
	var claims struct {
		Audience any   `json:"aud"`
		Issued   int64 `json:"iat"`
		Expires  int64 `json:"exp"`
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return false
	}
	now, h := time.Now(), s.habits
	if age := now.Sub(time.Unix(claims.Issued, 0)); !h.jwtOfAnyAge && (claims.Issued == 0 || age > maxTokenAge || age < -maxSkew) {
		return false
	}
	if h.jwtUnverified {
		return true
	}
	if claims.Expires != 0 && now.After(time.Unix(claims.Expires, 0).Add(maxSkew)) {
		return false
	}
	list, _ := claims.Audience.([]any)
	return (claims.Audience == hook || slices.Contains(list, any(hook))) && s.isSignedToken(parts)
}

// isSignedToken reports whether a token is signed by a key that the client was given.
func (s *session) isSignedToken(parts []string) bool {
	var header struct{ Alg, Kid string }
	text, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || json.Unmarshal(text, &header) != nil || header.Alg != "ES256" {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[2])
	key, known := s.keys[header.Kid]
	if err != nil || len(raw) != 64 || !known || key.expired {
		return false
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	return ecdsa.Verify(key.public, sum[:], new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:]))
}
