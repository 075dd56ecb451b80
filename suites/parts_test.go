package suites_test

import "testing"

func TestPartChecks(t *testing.T) {
	job := func(file string) string {
		return answerCall("quick/send send", "", `{"jsonrpc":"2.0","id":1,"result":{"number":"7","files":[`+file+`]}}`)
	}
	given := `given {"$defs":{"Picture":{"type":"object","required":["bytes"],"properties":{"bytes":{"type":"string"}}}}}` + "\n"
	defined := `{type: File, kind: picture, definition: Picture}`
	runTrials(t, "structures", []trial{
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
			"pass":           serveCard(`{"called":"Z","x":{"called":"Y"}}`),
			"not-applicable": serveCard(`{"called":"Z"}`),
			"fail":           serveCard(`{"called":"Z","called":7}`),
			"fail:inside":    serveCard(`{"called":"Z","x":{"a":1,"a":2}}`),
			"inconclusive":   "card/well-known card\n < 404 text/html no\n",
		}},
	})
}
