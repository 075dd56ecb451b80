package hostile

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
)

// SecretVariable is the environment variable with the secret that the echoing
// servers are given; Secret is its value, in which every way to escape shows.
const (
	SecretVariable = "A2A_HOSTILE_SECRET"
	Secret         = `hush/+"<&\~%41-é-tok-0123456789`
)

// Disguises are the encodings in which the echoing servers send back what they
// were given.
var Disguises = map[string]func(string) string{
	"whole":          func(s string) string { return s },
	"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64url":      func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64-inside":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x " + s + " y")) },
	"percent":        url.QueryEscape,
	"percent-twice":  func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"percent-all":    func(s string) string { return everyByte(s, "%%%02x") },
	"json":           escapeJSON,
	"json-twice":     func(s string) string { return escapeJSON(escapeJSON(s)) },
	"json-thrice":    func(s string) string { return escapeJSON(escapeJSON(escapeJSON(s))) },
	"json-all":       func(s string) string { return everyRune(s) },
	"html":           html.EscapeString,
	"html-in-json":   func(s string) string { return escapeJSON(html.EscapeString(s)) },
	"percent-in-b64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(s))) },
	"hex":            func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hex-upper":      func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex-escaped":    func(s string) string { return everyByte(s, `\x%02x`) },
	"hex-mixed":      mixedHex,
	"hex-spaced":     func(s string) string { return everyByte(s, "%02x:") },
	"small":          strings.ToLower,
	"capital":        strings.ToUpper,
	"entities":       func(s string) string { return everyByteOf(s, "&#x%06X;") },
	"entities-bare":  func(s string) string { return everyByteOf(s, "&#%05d") },
	"base64-lines":   func(s string) string { return inLines(base64.StdEncoding.EncodeToString([]byte(s)), 16, "\r\n") },
	"base64-indent":  func(s string) string { return inLines(base64.RawURLEncoding.EncodeToString([]byte(s)), 7, "\n\t  ") },
	"name":           func(s string) string { return jsonEscaper.Replace(s) },
	"name-hex":       func(s string) string { return everyByte(s, `\%02X`) },
}

func everyByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

// mixedHex is hex in capitals and small letters in turn.
func mixedHex(s string) string {
	b := []byte(hex.EncodeToString([]byte(s)))
	for i := 0; i < len(b); i += 2 {
		b[i] = strings.ToUpper(string(b[i]))[0]
		if i%4 == 2 {
			b[i+1] = strings.ToUpper(string(b[i+1]))[0]
		}
	}
	return string(b)
}

// everyByteOf is everyByte for characters.
func everyByteOf(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return strings.TrimSuffix(b.String(), " ")
}

// inLines breaks a text into lines.
func inLines(s string, width int, end string) string {
	var b strings.Builder
	for len(s) > width {
		b.WriteString(s[:width] + end)
		s = s[width:]
	}
	return b.String() + s
}

// jsonEscaper escapes a text as distinguished names do.
var jsonEscaper = strings.NewReplacer("+", `\+`, `"`, `\"`, "<", `\<`, `\`, `\\`)

func everyRune(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

func escapeJSON(s string) string {
	text, _ := json.Marshal(s)
	return string(text[1 : len(text)-1])
}

// sentCredentials returns the credentials that a request carries: those of the usual header
// fields, of fields with a name of that kind, and of the query.
func (v *request) sentCredentials() []string {
	var out []string
	add := func(s string) {
		if len(s) >= 8 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for name, values := range v.r.Header {
		for _, value := range values {
			switch name {
			case "Authorization":
				scheme, rest, _ := strings.Cut(value, " ")
				add(rest)
				if plain, err := base64.StdEncoding.DecodeString(rest); err == nil && scheme == "Basic" {
					add(string(plain))
					_, password, _ := strings.Cut(string(plain), ":")
					add(password)
				}
			case "X-Api-Key", "X-Auth-Token":
				add(value)
			case "Cookie":
				_, value, _ := strings.Cut(value, "=")
				add(value)
			}
		}
	}
	for _, values := range v.r.URL.Query() {
		for _, value := range values {
			add(value)
		}
	}
	return out
}

// echoes send back the credentials they are given, within their metadata.
var echoes = []Server{
	newCredentialEchoServer("echo-plain", "whole", "json", "percent", "html"),
	newCredentialEchoServer("echo-base64", "base64", "base64url", "base64-inside", "percent-in-b64"),
	newCredentialEchoServer("echo-hex", "hex", "hex-upper", "hex-escaped"),
	newCredentialEchoServer("echo-twice", "percent-twice", "json-twice", "json-thrice", "json-all", "percent-all", "html-in-json"),
	{Name: "echo-per-event", Doc: "sends the credentials back one character in each event", Verdict: Conformant,
		Flags:   []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("stream", func(v *request) { v.forwardWithEditedBody(v.appendEventPerCredentialLetter) })},
	{Name: "echo-per-frame", Area: "stream", Doc: "sends the credentials back as frames of one byte", Verdict: Nonconformant, Names: "A2A01-STR-004",
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("stream", func(v *request) {
			first := true
			v.forwardWithEditedBody(func(frame string) string {
				if !first || !strings.HasPrefix(frame, "data:") {
					return frame
				}
				first = false
				var b strings.Builder
				for _, secret := range v.sentCredentials() {
					for i := range len(secret) {
						b.WriteString("data: " + secret[i:i+1] + "\n\n")
					}
				}
				return b.String() + frame
			})
		})},
	{Name: "echo-in-heads", Doc: "sends the credentials back in header fields, reason phrase and redirects", Verdict: Conformant,
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("send get", func(v *request) {
			a := v.fetchHealthy()
			v.takeConnection(func(c net.Conn) {
				head := strings.Replace(a.formatHead(), " X\r\n", " "+strings.Join(v.sentCredentials(), " ")+"\r\n", 1)
				for i, secret := range v.sentCredentials() {
					head += fmt.Sprintf("X-Echo-%d: %s\r\nSet-Cookie: a=%[2]s\r\nLocation: /?t=%[3]s\r\nX-Authorization-Was: Bearer %[2]s\r\n", i, secret, url.QueryEscape(secret))
				}
				writeText(c, "%sConnection: close\r\nContent-Length: %d\r\n\r\n%s", head, len(a.text), a.text)
			})
		})},
	{Name: "echo-in-card", Area: "discovery", Doc: "publishes the credentials in the card", Verdict: Nonconformant, Names: "A2A01-DISC-006",
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("card", func(v *request) {
			v.forwardWithEditedBody(withMember(v.credentialEchoMember(slices.Sorted(maps.Keys(Disguises)))))
		})},
}

// EchoesAll sends back the credentials in every disguise at once: in the card,
// in replies, errors, heads and events. It is for the ways in which a credential
// can be given.
var EchoesAll = Server{Name: "echo-all", Doc: "sends the credentials back in every way",
	corrupt: func(v *request) {
		for i, secret := range v.sentCredentials() {
			v.w.Header().Set(fmt.Sprintf("X-Echo-%d", i), url.QueryEscape(secret))
			v.w.Header().Set("Location", "/?again="+url.QueryEscape(secret))
		}
		member := v.credentialEchoMember(slices.Sorted(maps.Keys(Disguises)))
		v.forwardWithEditedBody(func(text string) string {
			if strings.HasPrefix(text, "data:") {
				return withMember(member)(text) + v.appendEventPerCredentialLetter(text)
			}
			return strings.Replace(withMember(member)(text), `"error":{`, `"error":{`+member+`,`, 1)
		})
	}}

func newCredentialEchoServer(name string, disguises ...string) Server {
	return Server{Name: name, Doc: "sends the credentials back: " + strings.Join(disguises, ", "), Verdict: Conformant,
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("send get stream", func(v *request) {
			v.forwardWithEditedBody(withMember(v.credentialEchoMember(disguises)))
		})}
}

// credentialEchoMember returns a member with the credentials in the given disguises.
func (v *request) credentialEchoMember(disguises []string) string {
	echo := map[string]string{}
	for i, secret := range v.sentCredentials() {
		for _, d := range disguises {
			echo[fmt.Sprintf("%s %d", d, i)] = Disguises[d](secret)
		}
	}
	text, _ := json.Marshal(echo)
	return `"x-echo":` + string(text)
}

// appendEventPerCredentialLetter follows a working event by many that spell out the credentials, a
// character in each.
func (v *request) appendEventPerCredentialLetter(frame string) string {
	if !strings.Contains(frame, `"state":"working"`) {
		return frame
	}
	var b strings.Builder
	b.WriteString(frame)
	for _, secret := range v.sentCredentials() {
		for _, r := range secret {
			b.WriteString(strings.Replace(frame, `"result":{`, `"result":{"x-piece":"`+escapeJSON(string(r))+`",`, 1))
		}
	}
	return b.String()
}
