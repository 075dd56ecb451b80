package binding

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// errorInfo ends the type of the detail of an error that describes which error it is.
const errorInfo = "google.rpc.ErrorInfo"

// reasonsTold returns those that the details of an error name.
func reasonsTold(details *record.Node) (out []string) {
	if details == nil {
		return nil
	}
	for _, e := range details.Elems {
		kind, reason := e.Member("@type"), e.Member("reason")
		if kind != nil && reason != nil && strings.HasSuffix(kind.String, errorInfo) && reason.String != "" {
			out = append(out, reason.String)
		}
	}
	return out
}

// namesByReason returns the dialect's names for the reasons in the details of an error.
func namesByReason(d *schema.Dialect, details *record.Node) (names []string) {
	told := reasonsTold(details)
	named := func(_ string, e schema.ErrorSign) bool { return e.Reason != "" && slices.Contains(told, e.Reason) }
	return namesOfErrors(d, named)
}

// namesOfErrors returns the dialect's names for the errors that are of some sort, in alphabetical order.
func namesOfErrors(d *schema.Dialect, is func(name string, e schema.ErrorSign) bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(d.Errors)) {
		if is(name, d.Errors[name]) {
			names = append(names, name)
		}
	}
	return names
}

// namesByStatus returns the names of what an error of gRPC may be that gives no reason:
// errors that have none, or else the only one with a reason that has that status.
// Several with reasons are not distinguished by a status.
func namesByStatus(d *schema.Dialect, status string) (names []string) {
	all := namesOfErrors(d, func(_ string, e schema.ErrorSign) bool { return slices.Contains(e.GRPC, status) })
	names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return d.Errors[name].Reason != "" })
	if len(names) == 0 && len(all) == 1 {
		return all
	}
	return names
}

// TellsReason reports whether the details of an error say which error it is.
func TellsReason(a Answer) bool { return len(reasonsTold(a.Details.Node)) > 0 }

// MayBe returns the names of the errors that go with the status, if no reason is given.
func (b *restBinding) MayBe(x *record.Exchange, a Answer) []string {
	return alsoByStatus(b.dialect, a, func(e schema.ErrorSign) bool { return slices.Contains(e.HTTP, x.Status()) })
}

// MayBe returns the names of the errors that go with the status, if no reason is given.
func (b *grpcBinding) MayBe(_ *record.Exchange, a Answer) []string {
	status := a.Failure.Node.Member("status")
	return alsoByStatus(b.dialect, a, func(e schema.ErrorSign) bool { return status != nil && slices.Contains(e.GRPC, status.String) })
}

// alsoByStatus returns the names of an error and, if that gives no reason, those of all
// errors that are reported by its status.
func alsoByStatus(d *schema.Dialect, a Answer, has func(schema.ErrorSign) bool) []string {
	if len(reasonsTold(a.Details.Node)) > 0 {
		return a.Names
	}
	also := func(name string, e schema.ErrorSign) bool { return has(e) && !slices.Contains(a.Names, name) }
	return slices.Concat(a.Names, namesOfErrors(d, also))
}
