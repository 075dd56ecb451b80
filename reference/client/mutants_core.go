package client

import "errors"

// coreMutants spoil the structures of the core schema.
var coreMutants = []mutant{
	{name: "part-as-text", dialect: "core-schema", summary: "sends a bare text as a part",
		request: editMessages(func(_ *call, m object) { m["parts"] = []any{getText(getList(m, "parts")[0], "text")} })},
	{name: "role-missing", dialect: "core-schema", summary: "sends messages without a role",
		request: editMessages(func(_ *call, m object) { delete(m, "role") })},
	{name: "metadata-text", dialect: "core-schema", variant: "rich", summary: "sends metadata as a text",
		request: editMessages(func(_ *call, m object) { m["metadata"] = "of the client" })},
}

// coreCardMutants refuse cards that are right.
var coreCardMutants = []mutant{
	{name: "modes-needed", dialect: "core-schema", summary: "refuses a card without modes",
		habit: func(h *habits) {
			h.refuseCard = func(card object) error {
				if card["defaultInputModes"] == nil {
					return errors.New("the card has no defaultInputModes")
				}
				return nil
			}
		}},
}

// coreResponseMutants misread the structures of the core schema.
var coreResponseMutants = []mutant{
	{name: "null-members-fatal", dialect: "core-schema", summary: "reads the length of null",
		habit: refuseResults(func(_ *session, result object) error {
			if history, is := result["history"]; is {
				_ = history.([]any)[0]
			}
			return nil
		})},
	{name: "artifacts-by-name", dialect: "core-schema", variant: "reporting", summary: "knows artifacts by their names",
		habit: refuseObjects(func(_ *session, o object) error {
			delete(o, "index")
			return nil
		})},
}
