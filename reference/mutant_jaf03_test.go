package reference

func playJAF03(p *player) {
	p.documents("/.well-known/agent-card", "/.well-known/agent.json")
}
