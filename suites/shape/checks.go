// Package shape judges the shape of messages by the JSON Schema of the dialect.
package shape

import (
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("shape", "a member of a type obeys the named rules, wherever the server sends it", checkClaimedShapeRules),
		judge.Define(schema.GivenCheck, "whatever is of a definition is as the given schema defines it", checkDefinition),
		judge.Define("shape/unclaimed", "no shape rule that no other requirement claims is broken", checkUnclaimedShapeRules),

		// These checks judge members that no schema limits, for types that tolerate unknown members.
		judge.Define("shape/without", "no object of some types has a member that does not belong there", checkMembersAbsent),
		judge.Define("shape/member-names", "no member of a type is sent under its name in snake case", checkNoSnakeCaseMembers),
		judge.Define("shape/one-member", "an object of a type has one of several members; more of them are a finding", checkHasOneOfMembers),
		judge.Define("shape/by-name", "an enum value is sent as its name, not as its number", checkEnumsNotNumbers),
	}
}
