package mutants

import (
	"crypto/tls"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// MediaMutants are about the media types of calls and replies.
var MediaMutants = map[string]front.Mutant{
	"charset-refused": {Reply: func(x *front.Reply) {
		if x.Document == "" && strings.Contains(x.Http.Header.Get("Content-Type"), ";") {
			x.Status = http.StatusUnsupportedMediaType
			x.Decline(front.CodeInvalidRequest)
		}
	}},
}

// TLSMutants are about what lies below HTTP.
var TLSMutants = map[string]front.Mutant{
	"tls-outdated-only": {TLS: func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }},
	"tls-outdated-too":  {TLS: func(c *tls.Config) { c.MinVersion = tls.VersionTLS10 }},
}
