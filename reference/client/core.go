package client

import "maps"

// coreSchema is the core schema, whose objects travel as those of A2A 0.1.0 do.
var coreSchema = func() dialect {
	d := a2a01
	d.name = "core-schema"
	d.methods = map[operation]string{send: "tasks/send", stream: "tasks/sendSubscribe", get: "tasks/get"}
	d.webhookMember, d.writeRegistration = "", nil
	d.omits = nil
	d.keeps = makeSet("plain streaming terse chatty numeric-ids extra-headers polling slow rich reporting thorough",
		"parts-object part-as-text role-missing metadata-text metadata-list modes-needed null-members-fatal artifacts-by-name jsonrpc-missing any-end-is-done")
	d.errors = maps.Clone(a2a01.errors)
	return d
}()
