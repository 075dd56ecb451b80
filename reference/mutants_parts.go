package reference

import "strings"

// partsMisread edits every part of an incoming message.
func partsMisread(edit func(part map[string]any)) func(*call) {
	return misread("tasks/send", func(body any) {
		parts, _ := at(body, "params/message/parts").([]any)
		for _, p := range parts {
			if m, ok := p.(map[string]any); ok {
				edit(m)
			}
		}
	})
}

// turnIntoText makes a text part of a part.
func turnIntoText(part map[string]any) {
	clear(part)
	part["type"], part["text"] = "text", "hello"
}

// fileDeclined refuses files to which objectionable applies.
func fileDeclined(objectionable func(bytes, uri bool) bool) func(*reply) {
	return declining("tasks/send", codeInvalidParams, anyPart(func(p map[string]any) bool {
		f := object(p, "file")
		kind := text(f, "mimeType")
		return f != nil && !strings.HasPrefix(kind, "application/x-") && objectionable(f["bytes"] != nil, f["uri"] != nil)
	}))
}

// a2a01PartMutants are about the parts of an incoming message.
var a2a01PartMutants = inArea("message",
	mutant{name: "part-type-guessed", summary: "The type of a part is guessed from its members.",
		call: partsMisread(func(p map[string]any) {
			if p["type"] == nil && p["text"] != nil {
				p["type"] = "text"
			}
		})},
	mutant{name: "unknown-part-dropped", summary: "A part of an unknown type is dropped.",
		call: partsMisread(func(p map[string]any) {
			if kind := text(p, "type"); kind != "" && kind != "text" && kind != "file" && kind != "data" {
				turnIntoText(p)
			}
		})},
	mutant{name: "text-optional", summary: "A text part without text counts as empty.",
		call: partsMisread(func(p map[string]any) {
			if p["type"] == "text" && !has(p, "text") {
				p["text"] = ""
			}
		})},
	mutant{name: "text-stringified", summary: "A text that is a number is turned into a string.",
		call: partsMisread(func(p map[string]any) {
			if p["type"] == "text" && isNumber(p["text"]) {
				p["text"] = string(encode(p["text"]))
			}
		})},
	mutant{name: "file-optional", summary: "A file part without a file is dropped.",
		call: partsMisread(func(p map[string]any) {
			if p["type"] == "file" && object(p, "file") == nil {
				turnIntoText(p)
			}
		})},
	mutant{name: "bytes-win", summary: "Of bytes and uri in one file the uri is dropped.",
		call: partsMisread(func(p map[string]any) {
			if f := object(p, "file"); f["bytes"] != nil && f["uri"] != nil {
				delete(f, "uri")
			}
		})},
	mutant{name: "bytes-unchecked", summary: "Bytes that are not base64 are accepted.",
		call: partsMisread(func(p map[string]any) {
			if s := text(p, "file/bytes"); !isBase64(s) {
				put(p, "file/bytes", "")
			}
		})},
	mutant{name: "data-scalar-accepted", summary: "A data part may hold a scalar.",
		call: partsMisread(func(p map[string]any) {
			if p["type"] == "data" && (isText(p["data"]) || isNumber(p["data"])) {
				p["data"] = map[string]any{}
			}
		})},
	mutant{name: "data-object-refused", summary: "A data part with an object is refused.",
		reply: declining("tasks/send", codeInvalidParams, anyPart(func(p map[string]any) bool { return object(p, "data") != nil }))},
	mutant{name: "data-array-refused", summary: "A data part with an array is refused.",
		reply: declining("tasks/send", codeInvalidParams, anyPart(func(p map[string]any) bool {
			_, is := p["data"].([]any)
			return is
		}))},
	mutant{name: "uri-required", summary: "A file without uri is refused, unless it has no bytes either.",
		reply: fileDeclined(func(bytes, uri bool) bool { return bytes && !uri })},
	mutant{name: "bytes-required", summary: "A file without bytes is refused, unless it has no uri either.",
		reply: fileDeclined(func(bytes, uri bool) bool { return uri && !bytes })},
	mutant{name: "bare-file-refused", summary: "A file with neither bytes nor uri is refused.",
		reply: fileDeclined(func(bytes, uri bool) bool { return !uri && !bytes })},
	mutant{name: "part-metadata-refused", summary: "A part that states its language is refused.",
		reply: declining("tasks/send", codeInvalidParams, anyPart(func(p map[string]any) bool { return has(p, "metadata/lang") }))},
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
	mutant{name: "file-doubled", summary: "A file has both bytes and uri.",
		reply: sentFiles(func(f map[string]any) {
			if f["bytes"] != nil {
				f["uri"] = "https://files.example.com/answer.txt"
			}
		})},
)
