package serve

import "github.com/google/uuid"

// formA2X writes A2X 0.3.0, which is A2A 0.3 with less.
type formA2X struct{ form03 }

func (formA2X) dialectName() string { return a2x03 }

func (formA2X) listFeatures() []string {
	return []string{answersByMessages, hasExtensions, givesTaskIDs, hasArtifacts}
}

// writeCard has the only interface.
func (f formA2X) writeCard(c cardFacts) object {
	card := form01{}.writeCard(c)
	card["protocolVersion"] = f.protocolVersion()
	return card
}

// writeStatusEvent leaves out what the samples leave out: final.
func (f formA2X) writeStatusEvent(t *task, final bool) object {
	o := f.form03.writeStatusEvent(t, final)
	delete(o, "final")
	return o
}

// writeArtifactEvent writes what an artifact brings as a message, since no event brings artifacts.
func (f formA2X) writeArtifactEvent(t *task, _, text string, _, _ bool) object {
	return f.writeMessage(uuid.NewSHA1(uuid.NameSpaceOID, []byte(t.id+text)).String(), t.context, t.id, text)
}

// writeStreamStart writes the status, since no sample begins with a task. The text of its artifact is that of the status.
func (f formA2X) writeStreamStart(t *task, _ bool) object {
	return f.writeStatusEvent(t.saySoFar(), false)
}

// wantsToWait reports false: no member asks for it.
func (formA2X) wantsToWait(func(at string) bool) bool { return false }

// demandSchemes defines the schemes. No member of the card demands them.
func (f formA2X) demandSchemes(card object, alternatives [][]securityScheme) {
	defineSchemes(f, card, alternatives)
}
