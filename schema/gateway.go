package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"sync"
)

// GatewayRole is the Role of a run that judges a gateway.
const GatewayRole = "gateway"

// gatewayFolder holds the requirements on gateways.
const gatewayFolder = "gateway"

// GatewayRequirement is one observable sentence about what is between the callers of an agent and the agent. It is the
// same whatever version of the protocol passes.
type GatewayRequirement struct {
	Rule `yaml:",inline"`
	// Finding states that no sentence forbids what breaks it, or that the texts can be read in two ways: what is seen is
	// reported, and is never a failure.
	Finding bool `yaml:"finding"`
	// Meets is what a user meets behind a gateway that breaks it.
	Meets string `yaml:"meets"`
	// Follows names faulty gateways that are made for other requirements and break this one as well, and states why.
	Follows map[string]string `yaml:"follows"`
}

// Gateways is the catalogue of the requirements on gateways.
type Gateways struct {
	Title        string               `yaml:"title"`
	Digest       string               `yaml:"-"` // of the file, as sha256:HEX
	Requirements []GatewayRequirement `yaml:"requirements"`
}

// IDs returns the ids of the requirements.
func (g *Gateways) IDs() (out []string) {
	for _, r := range g.Requirements {
		out = append(out, r.ID)
	}
	return out
}

var gateways = sync.OnceValue(func() *Gateways {
	const file = gatewayFolder + "/requirements.yaml"
	text, err := fs.ReadFile(files, file)
	if err != nil {
		panic(err) // it is embedded
	}
	doc := &Gateways{}
	if err := Strict("schema/"+file, text, doc); err != nil {
		panic(err) // a test reads it
	}
	sum := sha256.Sum256(text)
	doc.Digest = "sha256:" + hex.EncodeToString(sum[:])
	return doc
})

// LoadGateways returns the requirements on gateways. They are shared and must not be changed.
func LoadGateways() *Gateways { return gateways() }
