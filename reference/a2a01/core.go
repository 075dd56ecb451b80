package a2a01

import (
	_ "embed"
)

// CoreKinds are the kinds of part that the core schema names.
var CoreKinds = []string{"text", "uri", "data", "json", "form", "iframe", "video", "audio", "action"}

// coreParts has one part of each kind.
var coreParts = func() []Part {
	words := "in other forms"
	parts := []Part{{Type: "text", Text: &words}, {Type: "data", Data: map[string]any{"answer": words}}}
	for _, kind := range CoreKinds {
		if kind != "text" && kind != "data" {
			parts = append(parts, Part{Type: kind, Content: map[string]any{"value": words}})
		}
	}
	return parts
}()
