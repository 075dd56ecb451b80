package suites_test

import "testing"

func TestStructureChecks(t *testing.T) {
	job := func(file string) string {
		return told("quick/send send", "", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","files":[`+file+`]}}`)
	}
	given := `given {"$defs":{"Picture":{"type":"object","required":["bytes"],"properties":{"bytes":{"type":"string"}}}}}` + "\n"
	defined := `{type: File, kind: picture, definition: Picture}`
	try(t, "structures", []trial{
		{"part/kind", `{type: File, kinds: [picture], tolerated: [sound]}`, map[string]string{
			"pass":                     job(`{"kind":"picture"}`),
			"pass:by type":             job(`{"type":"picture","kind":"x"}`),
			"finding":                  job(`{"kind":"sound"}`),
			"fail":                     job(`{"kind":"hologram"}`),
			"not-applicable:no kind":   job(`{"kind":7}`),
			"not-applicable:no member": job(`{}`),
		}},
		{"part/defined", defined, map[string]string{
			"pass":                        given + job(`{"kind":"picture","bytes":"x"}`),
			"fail":                        given + job(`{"kind":"picture","bytes":7}`),
			"fail:left out":               given + job(`{"kind":"picture"}`),
			"not-applicable":              given + job(`{"kind":"sound"}`),
			"inconclusive":                job(`{"kind":"picture"}`),
			"inconclusive:not among them": `given {"$defs":{"Sound":{"type":"object"}}}` + "\n" + job(`{"kind":"picture"}`),
		}},
		{"card/distinct-members", "", map[string]string{
			"pass":           card(`{"called":"Z","x":{"called":"Y"}}`),
			"not-applicable": card(`{"called":"Z"}`),
			"fail":           card(`{"called":"Z","called":7}`),
			"fail:inside":    card(`{"called":"Z","x":{"a":1,"a":2}}`),
			"inconclusive":   "card/well-known card\n < 404 text/html no\n",
		}},
	})
}
