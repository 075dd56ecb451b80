package client

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A keptCard is a card with what its response stated about keeping it (RFC 9111).
type keptCard struct {
	body     []byte
	tag      string // its ETag
	modified string // its Last-Modified
	freshTo  time.Time
}

var maxAge = regexp.MustCompile(`(?i)(?:^|[\s,])max-age\s*=\s*"?(\d{1,9})`)

// isFresh reports whether the card may be used without asking for it again.
func (k *keptCard) isFresh() bool { return k != nil && time.Now().Before(k.freshTo) }

// addConditions has a request for the card be answered without a body if that is the same.
func (k *keptCard) addConditions(r *http.Request) {
	if k == nil {
		return
	}
	if k.tag != "" {
		r.Header.Set("If-None-Match", k.tag)
	}
	if k.modified != "" {
		r.Header.Set("If-Modified-Since", k.modified)
	}
}

// keepCard keeps the card of a response, unless that forbids it.
func keepCard(h http.Header, body []byte) *keptCard {
	control := strings.Join(h.Values("Cache-Control"), ",")
	if strings.Contains(strings.ToLower(control), "no-store") {
		return nil
	}
	k := &keptCard{body: body, tag: h.Get("ETag"), modified: h.Get("Last-Modified")}
	k.renewFreshness(h)
	return k
}

// renewFreshness takes over how long the card is fresh from now on.
func (k *keptCard) renewFreshness(h http.Header) {
	control := strings.Join(h.Values("Cache-Control"), ",")
	if m := maxAge.FindStringSubmatch(control); m != nil && !strings.Contains(strings.ToLower(control), "no-cache") {
		seconds, _ := strconv.Atoi(m[1]) // of at most nine digits
		k.freshTo = time.Now().Add(time.Duration(seconds) * time.Second)
	}
}
