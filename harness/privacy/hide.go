package privacy

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// hideDocument returns what is replaced in a document, which begins at an offset of a body.
func (p *protector) hideDocument(root *record.Node, body []byte, offset int) []redact.Span {
	h := &hiding{p: p, text: body[offset:], offset: offset}
	h.hideNode(root, place{})
	return h.spans
}

// hiding collects what is replaced in one document.
type hiding struct {
	p      *protector
	text   []byte
	offset int
	spans  []redact.Span
}

// place is the position of a value in a document.
type place struct {
	name   string // of the member, or of the member that has the array
	within string // name of the object around it
	card   bool   // on a card
	free   bool   // below a member in which the protocols let both sides write what they want
}

// hideNode replaces what must not be written down in a value.
func (h *hiding) hideNode(n *record.Node, at place) {
	switch n.Kind {
	case record.Object:
		below := at
		below.within = at.name
		below.card = at.card || isCard(n)
		for _, m := range n.Members {
			below.name = m.Name
			below.free = at.free || !h.p.words[m.Name] || isFree(m.Name, at)
			if !h.p.bodies && (at.free || !h.p.words[m.Name]) {
				h.replaceRange(m.NameStart, h.endOfString(m.NameStart), h.p.alias.aliasOf(m.Name))
			}
			h.hideNode(m.Value, below)
		}
	case record.Array:
		for _, e := range n.Elems {
			h.hideNode(e, at)
		}
	case record.String:
		if hidden := h.hideString(n.String, at); hidden != n.String {
			h.replaceRange(n.Start, n.End, hidden)
		}
	case record.Number:
		if at.free && !h.p.bodies {
			digits := strings.Map(func(c rune) rune {
				if c >= '0' && c <= '9' {
					return '1'
				}
				return c
			}, n.Number)
			h.spans = append(h.spans, redact.Span{From: h.offset + n.Start, To: h.offset + n.End, By: []byte(digits)})
		}
	}
}

// endOfString returns the offset behind the closing quote of a string.
func (h *hiding) endOfString(start int) int {
	for i := start + 1; i < len(h.text); i++ {
		switch h.text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(h.text)
}

// isFree reports whether both sides write what they want below a member.
func isFree(name string, at place) bool {
	return name == "metadata" || name == "data" && at.name != "error" && at.name != "" || name == "params" && at.within == "extensions"
}

// replaceRange replaces a range by a text of JSON.
func (h *hiding) replaceRange(from, to int, by string) {
	text, err := json.Marshal(by)
	if err != nil {
		text = []byte(`""`)
	}
	h.spans = append(h.spans, redact.Span{From: h.offset + from, To: h.offset + to, By: text})
}

// hideString returns what is written in the place of a text.
func (h *hiding) hideString(s string, at place) string {
	switch {
	case s == "" || strings.Contains(s, record.SecretMark):
		return s
	case isSecretMember(at.name) && !at.card && !h.p.words[s]:
		return h.p.alias.aliasOf(s)
	case isAddress(s) && !at.card && !isPublicAddress(at.name) && !(at.name == "uri" && at.within == "extensions"):
		return h.p.hideAddress(s)
	case h.p.bodies:
		return s
	case at.free || slices.Contains(humanTexts, at.name):
		return h.p.alias.aliasOf(s)
	case at.card && isAddress(s) && at.within != "extensions":
		return withoutQuery(s)
	case at.name == "uri" && at.within == "extensions", at.name == "extensions":
		return h.p.hideURI(s)
	}
	return h.p.hideValue(at.name, s)
}

// humanTexts are the members with texts for people. Even a protocol's own word there belongs to the text of one side.
var humanTexts = []string{"text", "name", "description", "title", "detail"}

var (
	timestamp = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?(Z|[+-]\d{2}:?\d{2})?$`)
	version   = regexp.MustCompile(`^v?\d{1,4}(\.\d{1,4}){0,3}$`)
	uuid      = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// hideValue returns what is written in the place of the text of a member of the protocols. Words of the protocols, dates,
// versions and common media types stay.
func (p *protector) hideValue(name, s string) string {
	lower := strings.ToLower(name)
	switch {
	case s == "" || p.words[s]:
		return s
	case timestamp.MatchString(s) && (strings.Contains(lower, "time") || strings.HasSuffix(name, "At") || strings.HasSuffix(name, "After") || strings.Contains(lower, "date")):
		return s
	case version.MatchString(s) && strings.HasSuffix(lower, "version"):
		return s
	case strings.Contains(lower, "mode") || strings.HasSuffix(lower, "mimetype") || strings.HasSuffix(lower, "mediatype"):
		return p.hideMediaType(s)
	case name == "bytes" || name == "raw" || name == "protected":
		if text, err := base64.StdEncoding.DecodeString(s); err == nil {
			return base64.StdEncoding.EncodeToString(make([]byte, len(text)))
		}
	}
	return p.alias.aliasOf(s)
}

// commonTypes are the media types of which nothing can be learnt.
var commonTypes = []string{"text/plain", "text/html", "text/markdown", "text/csv", "application/json", "application/pdf", "application/xml",
	"application/octet-stream", "image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "audio/wav", "audio/mpeg", "video/mp4"}

// hideMediaType returns a media type, of which a type that is not common keeps the part before the slash.
func (p *protector) hideMediaType(s string) string {
	full, _, err := mime.ParseMediaType(s)
	if err != nil || slices.Contains(commonTypes, full) && s == full || strings.Contains(s, "*") && len(s) <= 12 {
		if err != nil {
			return p.alias.aliasOf(s)
		}
		return s
	}
	kind, rest, _ := strings.Cut(full, "/")
	if !slices.Contains([]string{"text", "application", "image", "audio", "video", "font", "model", "multipart", "message"}, kind) {
		return p.alias.aliasOf(s)
	}
	return kind + "/" + p.alias.aliasOf(rest)
}

// aliases replaces texts by others: equal texts by equal ones, different ones by different ones, of the same length in
// characters if they are long enough.
type aliases struct {
	by    map[string]string
	taken map[string]bool
}

func newAliases() aliases { return aliases{map[string]string{}, map[string]bool{}} }

// aliasOf returns what replaces a text.
func (a aliases) aliasOf(s string) string { return a.aliasOfLength(s, utf8.RuneCountInString(s)) }

// aliasOfLength returns what replaces a text, with a number of characters.
func (a aliases) aliasOfLength(s string, n int) string {
	if known, ok := a.by[s]; ok {
		return known
	}
	if strings.TrimFunc(s, unicode.IsSpace) == "" {
		return s
	}
	alias := ""
	number := len(a.by) + 1
	if uuid.MatchString(s) {
		alias = fmt.Sprintf("00000000-0000-%c000-%c000-%012x", s[14], s[19], number)
	} else {
		alias = "x" + strconv.FormatInt(int64(number), 36)
		if len(alias) > n && n > 0 {
			for _, short := range strings.Split("abcdefghijklmnopqrstuvwyz", "") { // one character replaces one
				if n == 1 && !a.taken[short] {
					alias = short
					break
				}
			}
		}
		if missing := n - len(alias); missing > 0 {
			alias += strings.Repeat("_", missing)
		}
	}
	a.by[s], a.taken[alias] = alias, true
	return alias
}
