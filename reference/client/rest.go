package client

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A route is how HTTP+JSON asks for an operation. In the path, {id} or {taskId} is the task.
type route struct{ httpMethod, path string }

// A restRequest is a call in HTTP+JSON, before it is written. Mutants edit it.
type restRequest struct {
	route
	query url.Values
	body  object // nil for none
}

// inREST reports whether the call goes to an interface of HTTP+JSON.
func (c *call) inREST() bool { return c.binding == restBinding }

// writeREST returns the call as HTTP+JSON has it (sections 11.3 and 11.5 of A2A 1.0, and 3.2.3 of A2A 0.3).
func (c *call) writeREST() (httpMethod, address string, body []byte) {
	r := &restRequest{route: c.session.dialect.routes[c.op], query: url.Values{}}
	base, given, _ := strings.Cut(c.url, "?")
	rest := object{}
	for name, v := range c.getParams() {
		switch {
		case name == "tenant":
			base = strings.TrimRight(base, "/") + "/" + url.PathEscape(fmt.Sprint(v))
			continue
		case strings.Contains(r.path, "{"+name+"}"):
			r.path = strings.Replace(r.path, "{"+name+"}", url.PathEscape(fmt.Sprint(v)), 1)
			if r.httpMethod == http.MethodGet {
				continue
			}
		}
		rest[name] = v
	}
	if r.httpMethod == http.MethodGet {
		for name, v := range rest {
			r.query.Set(name, fmt.Sprint(v))
		}
	} else if r.body = rest; c.session.dialect.restMembers[c.op] != "" {
		r.body = object{c.session.dialect.restMembers[c.op]: rest}
	}
	if c.editREST != nil {
		c.editREST(r)
	}
	if r.body != nil {
		body = encodeJSON(r.body)
	} else {
		c.header.Del("Content-Type")
	}
	address = strings.TrimRight(base, "/") + r.path
	if query := strings.Trim(given+"&"+r.query.Encode(), "&"); query != "" {
		address += "?" + query
	}
	return r.httpMethod, address, body
}

// readRESTAnswer reads a response of HTTP+JSON, or an event: the result by itself, or an error. Agents of A2A 0.3 may
// send the error of JSON-RPC as the whole body, which no result resembles.
func (s *session) readRESTAnswer(c *call, status int, answer object) (object, error) {
	e := getObject(answer, "error")
	if e == nil && readNumber(answer["code"]) != 0 && getText(answer, "message") != "" {
		e = answer
	}
	switch {
	case e != nil:
		return nil, s.readStatusError(c, e)
	case status/100 != 2:
		return nil, newStatusError(status)
	}
	return answer, s.checkResult(answer)
}

// readStatusError reads an error that has a status and details, as gRPC and HTTP+JSON have it. It is called by its reason, or
// else by its code or its status. It returns nil only for mutants that pass over some errors.
func (s *session) readStatusError(c *call, e object) error {
	refusal := &rpcError{code: readNumber(e["code"]), message: getText(e, "message")}
	refusal.name = cmp.Or(s.dialect.errors[refusal.code], getText(e, "status"))
	for _, detail := range getList(e, "details") {
		if reason := getText(detail, "reason"); reason != "" {
			refusal.name, refusal.reason = reason, reason
		}
	}
	if s.habits.rewriteError != nil {
		return s.habits.rewriteError(c, refusal, e["details"])
	}
	return refusal
}

// preferBinding puts the interfaces of a binding before the others.
func preferBinding(binding string, usable []endpoint) []endpoint {
	slices.SortStableFunc(usable, func(a, b endpoint) int {
		switch {
		case a.binding == binding && b.binding != binding:
			return -1
		case a.binding != binding && b.binding == binding:
			return 1
		}
		return 0
	})
	return usable
}
