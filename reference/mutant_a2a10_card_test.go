package reference

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

func (p *player) v10Documents() {
	const card = "/.well-known/agent-card.json"
	p.documents(card, card, "/.well-known/agent.json", "/tasks", "/tasks/none", "/extendedAgentCard")
	tag := p.tag(card)
	if tag != "" {
		p.with(map[string]string{"If-None-Match": tag}, func() { p.send("card on condition", "GET", card, "", "") })
	}
	p.note("ETag", fmt.Sprint("constant: ", tag == p.tag(card)))
}

// tag is the ETag of a document; empty if it cannot be fetched.
func (p *player) tag(path string) string {
	r, err := p.client.Get(p.server.URL() + path)
	if err != nil {
		return ""
	}
	r.Body.Close()
	return r.Header.Get("ETag")
}

func (p *player) v10Signatures() {
	r := fetch(p.t, "GET", p.server.URL()+"/.well-known/agent-card.json", "", "")
	card := r.body
	p.note("descriptions", fmt.Sprint(strings.Count(r.raw, `"description":`)))
	header, _ := base64.RawURLEncoding.DecodeString(text(card, "signatures/0/protected"))
	sum := sha256.Sum256([]byte(text(card, "name") + text(card, "description")))
	p.note("signature", fmt.Sprint(verified(card, 0), strings.ContainsAny(text(card, "signatures/0/signature"), "+/="), at(card, "signatures/0/header"), hex.EncodeToString(sum[:4])))
	p.note("header", string(header))
}

func (p *player) v10ExtendedCard() {
	card := p.v10("extended card", "GetExtendedAgentCard", `{}`)
	p.note("signature of the extended card", fmt.Sprint("holds: ", verified(at(card, "result"), 0)))
	p.send("extended card without params", "POST", "/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}`)
	for _, credential := range []string{"", "Bearer wrong", "Bearer " + LowToken} {
		p.with(map[string]string{"Authorization": credential}, func() { p.v10("extended card as "+credential, "GetExtendedAgentCard", `{}`) })
	}
}
