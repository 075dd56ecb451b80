package suites_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Where the JSON is that of Protocol Buffers, a member that is null counts as left out: a
// finding. Without that rule, and where the member is required, null is a fault.
func TestNullMembers(t *testing.T) {
	job := func(more string) string {
		return answerCall("k/get get task=7", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7"`+more+`}}`)
	}
	const log, number, note = "{type: Job, at: /log, rules: [type]}", "{type: Job, at: /number, rules: [required, type]}", "{type: Note, at: /by, rules: [type]}"
	deep := job(`,"now":{"note":{"by":null}},"files":[{"kind":null}]`)
	runTrials(t, "nulls", []trial{
		{"shape", log, map[string]string{
			"finding": job(`,"log":null`), "pass": job(`,"log":[]`), "fail:another type": job(`,"log":7`),
		}},
		{"shape", number, map[string]string{"fail": answerCall("k/get get task=7", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":null}}`)}},
		{"shape", note, map[string]string{"finding": deep, "fail": job(`,"now":{"note":{"by":7,"x":null}}`)}},
		{"shape/unclaimed", "", map[string]string{"finding": deep, "pass": job(``), "fail:an element": job(`,"log":[null]`)}},
	}, func(d *schema.Dialect) { d.ProtoJSON = "a rule" })
	runTrials(t, "nulls_not_allowed", []trial{
		{"shape", log, map[string]string{"fail": job(`,"log":null`)}},
		{"shape", note, map[string]string{"fail": deep}},
		{"shape/unclaimed", "", map[string]string{"fail": deep}},
	})
}

// The text of a number counts as the number if the dialect's JSON is that of Protocol
// Buffers, and so do null and the letters of base64url: findings. What no reader of that
// JSON takes is a fault.
func TestOtherFormsOfProtoJSON(t *testing.T) {
	page := func(size string) string { return listTasks("none", "{}", pageOf(`""`, size, size)) }
	part := func(raw string) string {
		return answerCall("k/get get task=7", "{}", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","files":[{"bytes":"`+raw+`"}]}}`)
	}
	with := "{type: Jobs, at: /page, rules: [type]}"
	file := "{type: File, at: /bytes, rules: [type], form: base64}"
	counted := "{step: l/none}"
	asProto := func(d *schema.Dialect) { d.ProtoJSON = "a rule" }
	runTrials(t, "proto_json", []trial{
		{"shape", with, map[string]string{
			"pass": page("0"), "pass:a fraction of nothing": page("0.0"), "finding": page(`"0"`), "fail:a word": page(`"none"`), "fail:a half": page(`"0.5"`), "finding:null": page("null"),
		}},
		{"list/empty", counted, map[string]string{"pass": page("0"), "pass:in words": page(`"0"`), "pass:with digits": page("0.0"), "fail": page(`"1"`)}},
		{"shape", file, map[string]string{"pass": part("+/8="), "pass:unpadded": part("+/8"), "finding": part("-_8"), "fail": part("-_8!")}},
	}, asProto)
	runTrials(t, "json_schema_alone", []trial{
		{"shape", with, map[string]string{"pass": page("0"), "fail": page(`"0"`)}},
		{"list/empty", counted, map[string]string{"fail": page(`"0"`)}},
		{"shape", file, map[string]string{"fail": part("-_8")}},
	})
}
