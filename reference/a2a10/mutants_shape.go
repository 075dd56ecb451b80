package a2a10

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// further adds an interface to the card that is for others to speak.
func further(url, version string) func(*front.Reply) {
	return adds("supportedInterfaces", map[string]any{"url": url, "protocolBinding": pigeon, "protocolVersion": version})
}

// shapeMutants are about single members of what travels and of the card, beyond their
// mere shape. The second artifact of an echo has a file by value and one by reference.
var shapeMutants = map[string]front.Mutant{
	"card-input-modes-phrase": {Reply: adds("defaultInputModes", "plain text please")},
	"card-version-in-words":   {Reply: further("https://agents.example.com/a2a", "the latest")},
	"card-interface-plain":    {Reply: further("http://agents.example.com/a2a", "1.0")},
}
