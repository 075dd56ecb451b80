package gateway

import (
	"cmp"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

func init() {
	checks["gateway/not-reused"] = checkNotReused
	checks["gateway/age"] = checkAge
}

// requireSerials returns the numbers of the first and of the second answer through the gateway, or what the check comes to without
// them. A gateway that does not pass the first one on shows nothing.
func (j *judged) requireSerials(p params) (first, second *pair, stop *outcome) {
	first, second = j.findPair(p.Play, "first"), j.findPair(p.Play, "second")
	for _, q := range []*pair{first, second} {
		if why := whyUnusable(q); why != "" {
			o := leaveUndecided("%s (%s)", why, p.Play)
			return nil, nil, &o
		}
		if why := refusedByGateway(q); why != "" {
			o := leaveUndecided("%s", why)
			return nil, nil, &o
		}
		if serialOf(q.through) == "" {
			o := leaveUndecided("the answer through the gateway is not that of the server")
			return nil, nil, &o
		}
	}
	return first, second, nil
}

// checkNotReused judges whether the second of two requests was answered by the answer to the first one.
func checkNotReused(j *judged, p params) outcome {
	first, second, stop := j.requireSerials(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{first.through, second.through}
	if serialOf(first.through) == serialOf(second.through) {
		return j.failWith(x, "the gateway answered the second request by the answer to the first one, which may not be reused for it: %s", showText(describeFields(&first.direct.Response, "Cache-Control", "Vary")))
	}
	return j.passWith("the second request was answered by the server", x...)
}

// describeFields returns those of some fields that a message has, as it has them.
func describeFields(m *record.Message, names ...string) string {
	var out []string
	for _, name := range names {
		for _, v := range valuesOf(m, name) {
			out = append(out, name+": "+v)
		}
	}
	return cmp.Or(strings.Join(out, "; "), "it has no fields about that")
}

// checkAge judges whether an answer from a cache states its age.
func checkAge(j *judged, p params) outcome {
	first, second, stop := j.requireSerials(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{first.through, second.through}
	switch {
	case serialOf(first.through) != serialOf(second.through):
		return notApplicable("the gateway stores no answers")
	case len(valuesOf(&second.through.Response, "Age")) == 0:
		return j.failWith(x, "the gateway answered by a stored response without `Age`")
	}
	return j.passWith("the stored response has `Age`", x...)
}
