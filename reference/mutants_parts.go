package reference

// partMutants are about the parts of an incoming message.
func partMutants(w wording) []mutant {
	return inArea("message",
		mutant{name: "part-type-guessed", summary: "The type of a part is guessed from its members.",
			call: w.partsMisread(func(p map[string]any) {
				if p[w.kind] == nil && p["text"] != nil {
					p[w.kind] = "text"
				}
			})},
		mutant{name: "unknown-part-dropped", summary: "A part of an unknown type is dropped.",
			call: w.partsMisread(func(p map[string]any) {
				if kind := text(p, w.kind); kind != "" && kind != "text" && kind != "file" && kind != "data" {
					w.turnIntoText(p)
				}
			})},
		mutant{name: "text-optional", summary: "A text part without text counts as empty.",
			call: w.partsMisread(func(p map[string]any) {
				if p[w.kind] == "text" && !has(p, "text") {
					p["text"] = ""
				}
			})},
		mutant{name: "text-stringified", summary: "A text that is a number is turned into a string.",
			call: w.partsMisread(func(p map[string]any) {
				if p[w.kind] == "text" && isNumber(p["text"]) {
					p["text"] = string(encode(p["text"]))
				}
			})},
		mutant{name: "file-optional", summary: "A file part without a file is dropped.",
			call: w.partsMisread(func(p map[string]any) {
				if p[w.kind] == "file" && object(p, "file") == nil {
					w.turnIntoText(p)
				}
			})},
		mutant{name: "bytes-win", summary: "Of bytes and uri in one file the uri is dropped.",
			call: w.partsMisread(func(p map[string]any) {
				if f := object(p, "file"); f["bytes"] != nil && f["uri"] != nil {
					delete(f, "uri")
				}
			})},
		mutant{name: "bytes-unchecked", summary: "Bytes that are not base64 are accepted.",
			call: w.partsMisread(func(p map[string]any) {
				if s := text(p, "file/bytes"); !isBase64(s) {
					put(p, "file/bytes", "")
				}
			})},
		mutant{name: "data-scalar-accepted", summary: "A data part may hold a scalar.",
			call: w.partsMisread(func(p map[string]any) {
				if p[w.kind] == "data" && (isText(p["data"]) || isNumber(p["data"])) {
					p["data"] = map[string]any{}
				}
			})},
	)
}

// a2a01PartMutants are those that only A2A 0.1.0 has a place for.
var a2a01PartMutants = inArea("message",
	mutant{name: "data-object-refused", summary: "A data part with an object is refused.",
		reply: declining("tasks/send", codeInvalidParams, anyPart(func(p map[string]any) bool { return object(p, "data") != nil }))},
	mutant{name: "uri-required", summary: "A file without uri is refused, unless it has no bytes either.",
		reply: a2a01Words.fileDeclined(func(bytes, uri bool) bool { return bytes && !uri })},
	mutant{name: "bytes-required", summary: "A file without bytes is refused, unless it has no uri either.",
		reply: a2a01Words.fileDeclined(func(bytes, uri bool) bool { return uri && !bytes })},
	mutant{name: "part-metadata-refused", summary: "A part that states its language is refused.",
		reply: declining("tasks/send", codeInvalidParams, anyPart(func(p map[string]any) bool { return has(p, "metadata/lang") }))},
	mutant{name: "data-array-refused", summary: "A data part with an array is refused.",
		reply: declining("tasks/send", codeInvalidParams, anyPart(func(p map[string]any) bool {
			_, is := p["data"].([]any)
			return is
		}))},
	mutant{name: "bare-file-refused", summary: "A file with neither bytes nor uri is refused.",
		reply: a2a01Words.fileDeclined(func(bytes, uri bool) bool { return !uri && !bytes })},
)

// sentFiles edits every file in the results of the server.
func sentFiles(edit func(file map[string]any)) func(*reply) {
	return func(x *reply) {
		walk(at(x.body, "result"), func(m map[string]any) {
			if f := object(m, "file"); f != nil {
				edit(f)
			}
		})
	}
}

// a2a01ContentMutants are about the messages and parts the server sends.
var a2a01ContentMutants = inArea("message",
	mutant{name: "status-message-from-user", summary: "A status message has the role user.",
		reply: func(x *reply) { swap(x.body, "result/status/message/role", "agent", "user") }},
	mutant{name: "file-type-left-out", summary: "A file states no mimeType.",
		reply: sentFiles(func(f map[string]any) { delete(f, "mimeType") })},
	mutant{name: "file-bytes-raw", summary: "The bytes of a file are not base64.",
		reply: sentFiles(func(f map[string]any) {
			if f["bytes"] != nil {
				f["bytes"] = "0x68:65:6c:6c:6f"
			}
		})},
	mutant{name: "file-uri-windows", summary: "The uri of a file is a Windows path with spaces.",
		reply: sentFiles(func(f map[string]any) {
			if f["uri"] != nil {
				f["uri"] = `C:\my files\100%\out.png`
			}
		})},
	mutant{name: "file-uri-relative", summary: "The uri of a file is relative.",
		reply: sentFiles(func(f map[string]any) {
			if f["uri"] != nil {
				f["uri"] = "files/out.png"
			}
		})},
)
