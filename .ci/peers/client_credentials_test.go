package peers

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// credentialScenarios are those whose card demands what the adapters can be given.
const credentialScenarios = "auth-bearer,auth-basic,auth-key-header,auth-key-query,auth-key-cookie,auth-either,auth-both,auth-redirect"

// credentialFaults are what is found on the public SDKs if the adapters are given credentials: the faults, the requirements that are
// met, and what the adapter reports in auth-bearer if its SDK cannot read the card at all.
var credentialFaults = map[string]struct {
	faults []fault
	passes string
	unread string
}{
	"js": {faults: []fault{{id: "A2A03-CL-AUTH-008", step: "auth-redirect/redirected", bytes: "\nx-agent-key: "}},
		passes: "A2A03-CL-AUTH-001 A2A03-CL-AUTH-002 A2A03-CL-AUTH-003 A2A03-CL-AUTH-004 A2A03-CL-AUTH-005 A2A03-CL-AUTH-014"},
	"js10": {faults: []fault{{id: "A2A10-CL-AUTH-008", step: "auth-redirect/redirected", bytes: "\nx-agent-key: "}},
		passes: "A2A10-CL-AUTH-001 A2A10-CL-AUTH-002 A2A10-CL-AUTH-003 A2A10-CL-AUTH-004 A2A10-CL-AUTH-005 A2A10-CL-OWN-002"},
	"go": {faults: []fault{
		{id: "A2A03-CL-AUTH-002", step: "auth-basic/send", bytes: "\nauthorization: bearer "},
		{id: "A2A03-CL-AUTH-003", step: "auth-key-query/send", bytes: "\nagent_key: "}, {id: "A2A03-CL-AUTH-003", step: "auth-key-cookie/send", bytes: "\nagent-key: "},
		{id: "A2A03-CL-AUTH-005", step: "auth-both/send", bytes: " 401 "},
	}, passes: "A2A03-CL-AUTH-001 A2A03-CL-AUTH-004 A2A03-CL-AUTH-014"},
	// The text has the scopes of a scheme in an object with the member list. The SDK wants the list itself.
	"go10": {faults: []fault{{id: "A2A10-CL-OWN-002", step: "card-security/card", bytes: `"list":[]`}}, unread: "cannot unmarshal object into Go struct field AgentCard.securityRequirements.schemes"},
}

// TestCredentialsOfClients gives the adapters on public SDKs credentials: each failure is a known one, and each known one is found.
func TestCredentialsOfClients(t *testing.T) {
	bin := buildAdapters(t)
	for _, c := range adapters {
		start, want := locateClient(t, bin, c.start), credentialFaults[c.name]
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			scenarios := credentialScenarios
			if c.dialect == "a2a-1.0" {
				scenarios += ",card-security"
			}
			r, transcript := judgeClient(t, bin, c.dialect, start, "--keep", "--waivers", "clients-"+c.name+".yaml", "--with", "credentials", "--scenario", scenarios)
			verdicts := map[string]report.Verdict{}
			for _, res := range r.Results {
				verdicts[res.ID] = res.Verdict
			}
			noneOverdue(t, r)
			demandFaults(t, r, transcript, want.faults)
			for id := range strings.FieldsSeq(want.passes) {
				if verdicts[id] != report.Pass {
					t.Errorf("%s is %s", id, verdicts[id])
				}
			}
			said := recorded(t, transcript).Play("auth-bearer").Client.Reports("error")
			if isUnread := len(said) > 0; isUnread != (want.unread != "") || isUnread && !strings.Contains(said[0].Message, want.unread) {
				t.Errorf("in auth-bearer the adapter reported the errors %+v, want %q", said, want.unread)
			}
		})
	}
}
