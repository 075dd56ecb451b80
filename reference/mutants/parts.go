package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// PartMutants are about the parts of an incoming message.
func PartMutants(w Wording) map[string]front.Mutant {
	return map[string]front.Mutant{
		"unknown-part-dropped": {Call: w.PartsMisread(func(p map[string]any) {
			if kind := front.Text(p, w.Kind); kind != "" && kind != "text" && kind != "file" && kind != "data" {
				w.turnIntoText(p)
			}
		})},
		"text-stringified": {Call: w.PartsMisread(func(p map[string]any) {
			if p[w.Kind] == "text" && front.IsNumber(p["text"]) {
				p["text"] = string(front.Encode(p["text"]))
			}
		})},
		"file-optional": {Call: w.PartsMisread(func(p map[string]any) {
			if p[w.Kind] == "file" && front.Object(p, "file") == nil {
				w.turnIntoText(p)
			}
		})},
		"bytes-unchecked": {Call: w.PartsMisread(func(p map[string]any) {
			if s := front.Text(p, "file/bytes"); !front.IsBase64(s) {
				front.Put(p, "file/bytes", "")
			}
		})},
	}
}
