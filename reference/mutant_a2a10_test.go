package reference

import "maps"

// playA2A10 holds the conversations that the sentences of A2A 1.0 are about, the
// quick ones first.
func playA2A10(p *player, area string) {
	p.headers = map[string]string{"A2A-Version": "1.0"}
	if p.server.Variant.Extended {
		p.headers["A2A-Extensions"] = v10Trace
	}
	p.converse(area, []conversation{
		{"card discovery transport signature extended-card grpc", p.v10Documents},
		{"signature", p.v10Signatures},
		{"transport", p.oldTLS},
		{"extended-card auth errors", p.v10ExtendedCard},
		{"auth list", p.v10Guard},
		{"transport envelope errors message context task push list data", p.v10Quick},
		{"version errors", p.v10Versions},
		{"envelope errors transport message data", p.v10Envelopes},
		{"extension errors", p.v10Extensions},
		{"errors message context task stream push subscription", p.v10Finished},
		{"errors", p.v10EmptyBody},
		{"errors message context execution push", p.v10Params},
		{"tenant", p.v10Tenants},
		{"version", p.v10VersionsElsewhere},
		{"tenant", p.v10WebhookOfTenant},
		{"execution", p.v10Execution},
		{"message context task errors", p.v10Turns},
		{"state", p.v10Credentials},
		{"state", p.v10Locked},
		{"list", p.v10Lists},
		{"push", p.v10Configurations},
		{"limits", p.v10Limits},
		{"ratelimit", p.v10Flood},
		{"task", p.v10Work},
		{"errors stream push execution", p.v10Streams},
		{"subscription stream", p.v10Subscriptions},
		{"stream task", p.v10Drops},
		{"subscription stream", p.v10Several},
		{"subscription", p.v10Two},
		{"push", p.v10Elsewhere},
		{"push", p.v10Push},
		{"rest", p.v10Rest},
		{"grpc", p.v10GRPC},
	})
}

const v10Trace = "https://conform.example.com/ext/trace/v1"

// v10 sends a call with the id "r".
func (p *player) v10(step, method, params string) any {
	return p.send(step, "POST", "/", "application/json", a2aCall(`"r"`, method, params))
}

// v10Say sends a text and waits for what comes of it.
func (p *player) v10Say(step, what string) (task string) {
	return text(p.v10(step, "SendMessage", v10Text(what, "", p.tenantOf())), "result/task/id")
}

// v10Post sends a call without a note.
func (p *player) v10Post(method, params string) any {
	return fetchBy(p.client, p.t, "POST", p.server.URL(), "application/json", a2aCall(`"r"`, method, params), p.headers).body
}

// v10Now is the configuration of a client that does not wait.
const v10Now = `,"configuration":{"returnImmediately":true}`

// tenantOf is what a call says where there are tenants.
func (p *player) tenantOf() string {
	if p.server.Variant.Tenanted {
		return `,"tenant":"acme"`
	}
	return ""
}

// with makes calls with other headers; the value "-" leaves one out.
func (p *player) with(headers map[string]string, calls func()) {
	before := p.headers
	p.headers = maps.Clone(before)
	for name, value := range headers {
		if p.headers[name] = value; value == "-" {
			delete(p.headers, name)
		}
	}
	calls()
	p.headers = before
}
