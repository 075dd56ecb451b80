package a2a10

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// parts edits every part of an incoming message.
func parts(edit func(part map[string]any)) func(*front.Call) {
	return words.PartsMisread(edit)
}

// without removes the parts of a message for which odd holds.
func without(method string, odd func(part any) bool) func(*front.Call) {
	return front.Misread(method, func(body any) {
		list, _ := front.At(body, "params/message/parts").([]any)
		kept := slices.DeleteFunc(slices.Clone(list), odd)
		if len(kept) == 0 && len(list) > 0 {
			kept = hello()["parts"].([]any)
		}
		front.Replace(body, "params/message/parts", kept)
	})
}

// oddType reports whether a part is of a type that the card does not list.
func oddType(part any) bool {
	kind := front.Text(part, "mediaType")
	return kind != "" && !slices.Contains(Modes, kind)
}

// unsupported refuses messages of no context that have a certain part as being of an
// unsupported type.
func unsupported(is func(part map[string]any) bool) func(*front.Reply) {
	return front.Declining(sendMethod, contentType, front.AnyPart(func(p map[string]any) bool { return is(p) }))
}

func holds(name string) func(map[string]any) bool {
	return func(p map[string]any) bool { return front.Has(p, name) && !oddType(p) }
}

// contentsOf counts the members of a part of which it must have one.
func contentsOf(p map[string]any) (n int) {
	for _, name := range contents {
		if p[name] != nil {
			n++
		}
	}
	return n
}

// partMutants are about the parts of an incoming message.
var partMutants = map[string]front.Mutant{
	"odd-part-dropped": {Call: without(sendMethod, oddType)},
	"empty-part-accepted": {Call: parts(func(p map[string]any) {
		if contentsOf(p) == 0 {
			p["text"] = "hello"
		}
	})},
	"part-last-content-wins": {Call: parts(func(p map[string]any) {
		for i := 0; contentsOf(p) > 1; i++ {
			delete(p, contents[i])
		}
	})},
	"raw-unchecked": {Call: parts(func(p map[string]any) {
		if raw, is := p["raw"].(string); is && !front.IsBase64(raw) {
			p["raw"] = ""
		}
	})},
	"text-stringified": {Call: parts(func(p map[string]any) {
		if front.IsNumber(p["text"]) {
			p["text"] = string(front.Encode(p["text"]))
		}
	})},
	"raw-refused":  {Reply: unsupported(holds("raw"))},
	"url-refused":  {Reply: unsupported(holds("url"))},
	"data-refused": {Reply: unsupported(holds("data"))},
	"data-null-refused": {Reply: func(x *front.Reply) {
		if x.Method() == sendMethod && hasNull(front.At(x.Request, "params")) {
			x.Decline(front.CodeInvalidParams)
		}
	}},
	"first-part-only": {Call: front.Misread(sendMethod, func(body any) {
		if list, _ := front.At(body, "params/message/parts").([]any); len(list) > 1 {
			front.Put(body, "params/message/parts", list[:1])
		}
	})},
	"mixed-parts-refused": {Reply: front.Declining(sendMethod, front.CodeInvalidParams, func(params any) bool {
		list := front.Parts(params)
		return len(list) > 1 && front.Has(list[0], "text") != front.Has(list[1], "text")
	})},
}

// hasNull reports whether the params of a message hold data that is null.
var hasNull = front.AnyPart(func(p map[string]any) bool {
	data, there := p["data"]
	return there && data == nil
})
