package suites_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Where the JSON is that of Protocol Buffers, a member that is null counts as left out: a
// finding. Without that rule, and where the member is required, null is a fault.
func TestNullInPlaceOfNothing(t *testing.T) {
	job := func(more string) string {
		return told("k/get get task=7", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7"`+more+`}}`)
	}
	const log, number, note = "{type: Job, at: /log, rules: [type]}", "{type: Job, at: /number, rules: [required, type]}", "{type: Note, at: /by, rules: [type]}"
	deep := job(`,"now":{"note":{"by":null}},"files":[{"kind":null}]`)
	try(t, "nulls", []trial{
		{"shape", log, map[string]string{
			"finding": job(`,"log":null`), "pass": job(`,"log":[]`), "fail:another type": job(`,"log":7`),
		}},
		{"shape", number, map[string]string{"fail": told("k/get get task=7", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":null}}`)}},
		{"shape", note, map[string]string{"finding": deep, "fail": job(`,"now":{"note":{"by":7,"x":null}}`)}},
		{"shape/unclaimed", "", map[string]string{"finding": deep, "pass": job(``), "fail:an element": job(`,"log":[null]`)}},
	}, func(d *schema.Dialect) { d.NullAsAbsent = "a rule" })
	try(t, "nulls_not_allowed", []trial{
		{"shape", log, map[string]string{"fail": job(`,"log":null`)}},
		{"shape", note, map[string]string{"fail": deep}},
		{"shape/unclaimed", "", map[string]string{"fail": deep}},
	})
}
