package main

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// addLoopbackScheme returns the URL that an argument means. Blanks around it, as a variable of a
// pipeline has them, do not count. An address of this machine needs no scheme: no other
// can be meant by it, and it is http. Any other text is returned as it is, to be explained.
func addLoopbackScheme(typed string) string {
	typed = strings.TrimSpace(typed)
	if strings.Contains(typed, "://") || strings.ContainsAny(typed, "?#@ ") {
		return typed
	}
	host, path, _ := strings.Cut(typed, "/")
	name, port := host, ""
	switch h, p, err := net.SplitHostPort(host); {
	case err == nil && (p == "" || strings.Trim(p, "0123456789") != ""):
		return typed
	case err == nil && h == "": // :9999
		name, port = "localhost", p
	case err == nil:
		name, port = h, p
	case !strings.HasPrefix(host, "[") && strings.Count(host, ":") > 1: // ::1:9999
		at := strings.LastIndexByte(host, ':')
		if _, bad := netip.ParseAddr(host[:at]); bad == nil && len(host)-at > 3 { // ::1:9 may be an address as well
			name, port = host[:at], host[at+1:]
		}
	}
	name = strings.Trim(name, "[]")
	ip, err := netip.ParseAddr(name)
	if !strings.EqualFold(name, "localhost") && (err != nil || !ip.IsLoopback()) {
		return typed
	}
	u := url.URL{Scheme: "http", Host: name}
	switch {
	case port != "":
		u.Host = net.JoinHostPort(name, port)
	case ip.Is6():
		u.Host = "[" + name + "]"
	}
	if path != "" {
		u.Path = "/" + path
	}
	if u.Path == "" && strings.HasSuffix(typed, "/") {
		u.Path = "/"
	}
	return u.String()
}

// refuseSecondServerArg refuses a second argument of a command that calls one server. It does not repeat what was
// given: part of an unquoted header may be a secret.
func refuseSecondServerArg(command string, args []string) error {
	urls := 0
	for _, arg := range args {
		if strings.Contains(addLoopbackScheme(arg), "://") {
			urls++
		}
	}
	switch {
	case len(args) <= 1:
		return nil
	case urls == len(args) && command == "run":
		return fmt.Errorf("run judges one server, but was given %d URLs; `a2a-conform fleet run` judges several", urls)
	case urls == len(args):
		return fmt.Errorf("%s calls one server, but was given %d URLs; give one of them", command, urls)
	}
	return fmt.Errorf("%s takes one URL, but was given %d arguments; a value with blanks needs quotes, such as --header 'Name: value'", command, len(args))
}
