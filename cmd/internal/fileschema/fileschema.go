// Package fileschema holds the JSON Schemas of the files that people write for the commands, and
// that programs read from them.
package fileschema

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/crosspage"
)

var (
	//go:embed schemas/config.schema.json
	configSchema []byte
	//go:embed schemas/waivers.schema.json
	waiversSchema []byte
	//go:embed schemas/secrets.schema.json
	secretsSchema []byte
	//go:embed schemas/profile.schema.json
	profileSchema []byte
	//go:embed schemas/clients.schema.json
	clientsSchema []byte
	//go:embed schemas/servers.schema.json
	serversSchema []byte
	//go:embed schemas/acts.schema.json
	actsSchema []byte
	//go:embed schemas/acts-report.schema.json
	actsReportSchema []byte
)

// All returns the JSON Schemas of the files that people and programs write and
// read, for editors.
func All() map[string][]byte {
	return map[string][]byte{"config": configSchema, "waivers": waiversSchema, "report": reports.Schema, "card": reports.CardSchema, "agents": agentsSchema(), "secrets": secretsSchema, "profile": profileSchema,
		"clients": clientsSchema, "servers": serversSchema, "cross": crosspage.Schema,
		"acts": actsSchema, "acts-report": actsReportSchema}
}

// agentsSchema is that of a fleet's list: an entry has the keys of a configuration, but it names
// credentials otherwise, and has no webhook.
var agentsSchema = sync.OnceValue(func() []byte {
	var entry map[string]any
	cli.Must(json.Unmarshal(configSchema, &entry))
	keys, defs := entry["properties"].(map[string]any), entry["$defs"].(map[string]any)
	delete(keys, "webhook")
	keys["name"] = map[string]any{"description": "The agent's name in reports; it distinguishes two entries about the same server.", "type": "string"}
	keys["allow"] = map[string]any{"description": "Risk classes that runs of this agent may use; the worker has to allow them too.", "type": "array",
		"items": map[string]any{"enum": cli.RiskNames()}}
	keys["stimuli"] = map[string]any{"anyOf": []any{map[string]any{"description": "The default texts of every behaviour.", "const": "plain"}, keys["stimuli"]}}
	defs["secret"] = map[string]any{"description": "A secret of the worker.", "type": "string", "pattern": secretForm}
	for _, name := range []string{"$schema", "title", "$defs"} {
		delete(entry, name)
	}
	entry["required"] = []string{"target"}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Agents of a fleet", "type": "object", "additionalProperties": false, "required": []string{"agents"},
		"properties": map[string]any{"agents": map[string]any{"type": "array", "minItems": 1, "items": entry}}, "$defs": defs,
	}, "", "  ")
	cli.Must(err)
	return append(text, '\n')
})

// secretForm is how an entry names a secret of the worker.
const secretForm = "^secret:[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
