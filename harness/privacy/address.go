package privacy

import (
	"bytes"
	"net/url"
	"strings"
)

// protectAddress returns the address of a request without what may be private. Of calls of the protocols the path stays,
// since it names the operation, but ids in it are replaced as they are in bodies. Of other addresses only the origin stays.
func (p *protector) protectAddress(address string, spoken bool) string {
	if address == "" {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	out := u.Scheme + "://" + u.Host
	if !spoken {
		return out + "/" + hiddenPath
	}
	return out + p.protectTarget(u.EscapedPath(), u.RawQuery)
}

// hiddenPath replaces the path of an address of which only the origin stays.
const hiddenPath = "hidden"

// protectTarget returns a path and a query of a call of the protocols, as they can be written down.
func (p *protector) protectTarget(path, query string) string {
	out := path
	if !p.bodies {
		out = p.protectPath(path)
	}
	if query == "" {
		return out
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, has := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(value)
		switch {
		case err != nil || !p.words[name]: // of a vendor, or a credential
			kept = append(kept, hiddenPath)
			continue
		case !p.bodies:
			value = url.QueryEscape(p.hideValue(name, plain))
		}
		if has {
			name += "=" + value
		}
		kept = append(kept, name)
	}
	return out + "?" + strings.Join(kept, "&")
}

// protectPath replaces those parts of a path that no protocol has.
func (p *protector) protectPath(path string) string {
	base := ""
	for known := range p.bases {
		if (path == known || strings.HasPrefix(path, known+"/")) && len(known) > len(base) {
			base = known
		}
	}
	segments := strings.Split(strings.TrimPrefix(path, base), "/")
	for i, s := range segments {
		segments[i] = p.protectSegment(s)
	}
	return base + strings.Join(segments, "/")
}

// protectSegment replaces what no protocol has in one segment of a path, such as the id in "task-7:cancel".
func (p *protector) protectSegment(s string) string {
	plain, err := url.PathUnescape(s)
	if err != nil {
		return hiddenPath
	}
	if plain == "" || p.words[plain] || strings.HasPrefix(plain, ".well-known") {
		return s
	}
	if id, verb, has := strings.Cut(plain, ":"); has && p.isWordOfPath(verb) {
		if p.isWordOfPath(id) {
			return s
		}
		return url.PathEscape(p.alias.aliasOf(id)) + ":" + verb
	}
	if p.isWordOfPath(plain) || strings.HasSuffix(plain, ".json") && p.isWordOfPath(strings.TrimSuffix(plain, ".json")) {
		return s
	}
	return url.PathEscape(p.alias.aliasOf(plain))
}

// isWordOfPath reports whether the paths of a protocol have such a part.
func (p *protector) isWordOfPath(s string) bool { return p.words[s] || p.words["/"+s] }

// protectRequestLine protects the target in the first line of a request, and the pseudo-header field of HTTP/2 that has it.
func (p *protector) protectRequestLine(head []byte, spoken bool) []byte {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	parts := strings.SplitN(string(line), " ", 3)
	if len(parts) < 2 {
		return head
	}
	target := parts[1]
	parts[1] = p.protectRequestTarget(target, spoken)
	rest = bytes.ReplaceAll(rest, []byte(":path: "+target+"\r\n"), []byte(":path: "+parts[1]+"\r\n"))
	return append([]byte(strings.Join(parts, " ")+"\n"), rest...)
}

// protectRequestTarget protects a request target: a path with a query, or a whole address.
func (p *protector) protectRequestTarget(target string, spoken bool) string {
	if strings.Contains(target, "://") {
		return p.protectAddress(target, spoken)
	}
	if !spoken {
		return "/" + hiddenPath
	}
	path, query, _ := strings.Cut(target, "?")
	return p.protectTarget(path, query)
}

// protectLocation removes all but the origin and the path from the field Location.
func protectLocation(head []byte) []byte {
	return replaceFields(head, func(name, value string) (by string, changed bool) {
		if !strings.EqualFold(name, "Location") {
			return "", false
		}
		address, _, cut := strings.Cut(value, "?")
		u, err := url.Parse(address)
		if err != nil || !cut && u.User == nil {
			return "", false
		}
		u.User = nil
		return u.String(), true
	})
}

// hideAddress returns the address of a webhook, a file or a document, of which only the origin stays. Different addresses
// stay different.
func (p *protector) hideAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return p.alias.aliasOf(address)
	}
	if strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.User == nil {
		return address
	}
	return u.Scheme + "://" + u.Host + "/" + p.alias.aliasOfLength(address, 8)
}

// hideURI returns the URI of an extension without what one side may have put into it.
func (p *protector) hideURI(uri string) string {
	if isAddress(uri) {
		return p.hideAddress(uri)
	}
	return p.alias.aliasOf(uri)
}

func isAddress(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address
}
