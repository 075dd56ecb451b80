package forge

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"os"
	"slices"
	"strings"
)

// Doubled are made of a genuine certificate so that two readers see two things in it, and of
// files that are not quite those of its run.
func Doubled(genuine []byte, sign Sign) []Certificate {
	b := Open(genuine)
	return slices.Concat(doubledEnvelopes(b), retouchedFiles(b, sign), doubledEntries(b))
}

// doubledEnvelopes have a good signature, and something besides.
func doubledEnvelopes(b Bundle) (out []Certificate) {
	add := func(name, says string, text []byte) {
		out = append(out, Certificate{Name: "an envelope: " + name, File: b.With(envelope, text).Pack(), Says: says})
	}
	text := func(from, to string) []byte { return b.changeText(envelope, from, to) }
	add("the payload twice", `has the member "payload" twice`, text(`"payload": `, `"payload": "e30=", "payload": `))
	add("the payload and a Payload", `has a member "Payload", which is not "payload"`, text(`"payload": `, `"Payload": "e30=", "payload": `))
	add("its type in capitals", `has a member "PAYLOADTYPE", which is not "payloadType"`, text(`"payloadType": `, `"PAYLOADTYPE": `))
	add("signatures twice", `has the member "signatures" twice`, text(`"signatures": `, `"signatures": [], "signatures": `))
	add("a signature with two keys", `has the member "keyid" twice`, text(`"keyid": `, `"keyid": "SHA256:acme", "keyid": `))
	add("a signature whose key is a KeyID", `has a member "KeyID", which is not "keyid"`, text(`"keyid": `, `"KeyID": `))
	add("a sig with a long s", "which is not \"sig\"", text(`"sig": `, "\"\u017fig\": "))
	add("a signature by an authority, made up", "names the key SHA256:authority, which you do not accept", text(`"signatures": [`, `"signatures": [{"keyid": "SHA256:authority", "sig": "AAAA"},`))
	add("a signature without its key", "it lacks its key", editObject(b[envelope], func(e object) { firstObject(e["signatures"])["keyid"] = "" }))
	var dense bytes.Buffer
	panicOnError(json.Compact(&dense, b[envelope]))
	add("without its line breaks", "is not written as this version writes it: its line 1", dense.Bytes())
	add("a line break in its payload", "is not written as this version writes it: its line 3", text(`"payload": "`, `"payload": "\n`))
	return out
}

// retouchedFiles are signed, mean what those of the run mean, and are not the same bytes.
func retouchedFiles(b Bundle, sign Sign) (out []Certificate) {
	add := func(name, says string, c Bundle) {
		out = append(out, Certificate{Name: name, File: c.Pack(), Says: says})
	}
	var dense bytes.Buffer
	panicOnError(json.Compact(&dense, b[report]))
	add("a report without its line breaks", "report.json does not follow from its transcript: its line 1", b.Replace(sign, report, dense.Bytes()))
	add("a report with a script that no run writes", "as the script of", b.Edit(sign, func(r object) { firstObject(r["results"])["reproduce"] = "../../.profile" }))
	add("a page with a script at its end", "report.html does not show its report", b.Replace(sign, page, append(slices.Clone(b[page]), "<script>alert(1)</script>\n"...)))
	add("a page that is another run's", "report.html does not show its report", b.Replace(sign, page, bytes.Replace(b[page], []byte("127.0.0.1"), []byte("127.0.0.2"), 1)))
	add("the page and the report swapped", "report.json: not a report", b.Replace(sign, page, b[report]).Replace(sign, report, b[page]))
	har := b.Transcript()
	dense.Reset()
	panicOnError(json.Compact(&dense, har))
	add("a transcript without its line breaks", "transcript.har is not as this program writes what it holds: its line 1", b.Retell(sign, dense.Bytes()))
	add("a transcript with a comment", "transcript.har is not as this program writes what it holds", b.Retell(sign, bytes.Replace(har, []byte(`"log": {`), []byte(`"log": {"comment": "certified by Acme",`), 1)))
	add("a transcript with its entries twice", "it has log.entries twice", b.Retell(sign, bytes.Replace(har, []byte(`"entries": [`), []byte(`"entries": [], "entries": [`), 1)))
	add("a transcript with spaces after its end", "something follows its line", b.Retell(sign, append(slices.Clone(har), "   \n"...)))
	add("a transcript that is compressed in haste", "is not compressed as attest does it", b.Replace(sign, transcript, gzipText(har)))
	add("a transcript with another one after it", "bytes after its end", b.Replace(sign, transcript, slices.Concat(b[transcript], gzipText([]byte("another")))))
	var named bytes.Buffer
	z := gzip.NewWriter(&named)
	z.Name = "../../.profile"
	must(z.Write(har))
	panicOnError(z.Close())
	add("a transcript with a name elsewhere", "in its gzip header", b.Replace(sign, transcript, named.Bytes()))
	add("a statement with spaces", "the statement is not written as this version writes it", b.respellStatement(sign, func(text []byte) []byte { return append([]byte(" "), text...) }))
	add("a statement with its subject twice", `what was signed`, b.respellStatement(sign, func(text []byte) []byte {
		return bytes.Replace(text, []byte(`"subject":`), []byte(`"subject":[],"subject":`), 1)
	}))
	return out
}

// respellStatement has the same statement signed in another spelling.
func (b Bundle) respellStatement(sign Sign, edit func([]byte) []byte) Bundle {
	return b.With(envelope, sign(inToto, edit(must(json.Marshal(b.Statement())))))
}

// doubledEntries are ZIP files that one program unpacks otherwise than another.
func doubledEntries(b Bundle) (out []Certificate) {
	add := func(name, says string, file []byte) {
		out = append(out, Certificate{Name: "a ZIP file: " + name, File: file, Says: says})
	}
	written := func(edit func(h *zip.FileHeader)) []byte {
		var file bytes.Buffer
		z := zip.NewWriter(&file)
		for _, name := range bundled {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate}
			if name == page {
				edit(h)
			}
			must(must(z.CreateHeader(h)).Write(b[name]))
		}
		panicOnError(z.Close())
		return file.Bytes()
	}
	plain := written(func(*zip.FileHeader) {})
	local := bytes.LastIndex(plain, []byte("PK\x03\x04"))
	changed := func(edit func(z []byte)) []byte { return editCopy(plain, edit) }
	add("another name before the page's bytes", `names one entry report.html in its directory and "readme.html"`, changed(func(z []byte) { copy(z[local+30:], "readme.html"[:len("report.html")]) }))
	add("another method before the page's bytes", "says in two ways how report.html is packed", changed(func(z []byte) { z[local+8] = 0 }))
	add("the page is a link", "report.html is no regular file in the ZIP file", written(func(h *zip.FileHeader) { h.SetMode(os.ModeSymlink | 0o777) }))
	add("the page has another name for some programs", "has more about report.html than its time and owner", written(func(h *zip.FileHeader) {
		h.Extra = slices.Concat([]byte{0x75, 0x70, 9, 0, 1, 0, 0, 0, 0}, []byte("evil")) // Info-ZIP's Unicode path
	}))
	add("the page has a comment", "has a comment on report.html", written(func(h *zip.FileHeader) { h.Comment = "certified" }))
	add("bytes between two entries", "does not lie in the ZIP file right after", shiftEntries(plain, local, []byte("another page")))
	add("bytes before the directory", "bytes after its last entry that belong to none", shiftEntries(plain, bytes.Index(plain, []byte("PK\x01\x02")), []byte(strings.Repeat("x", 40))))
	return out
}

// shiftEntries puts bytes into a ZIP file, and has its directory name the places anew.
func shiftEntries(file []byte, at int, more []byte) []byte {
	out := slices.Concat(file[:at], more, file[at:])
	move := func(field []byte) {
		if was := binary.LittleEndian.Uint32(field); int(was) >= at {
			binary.LittleEndian.PutUint32(field, was+uint32(len(more)))
		}
	}
	end := out[len(out)-22:]
	move(end[16:])
	for i := int(binary.LittleEndian.Uint32(end[16:])); bytes.HasPrefix(out[i:], []byte("PK\x01\x02")); {
		move(out[i+42:])
		i += 46 + int(binary.LittleEndian.Uint16(out[i+28:])) + int(binary.LittleEndian.Uint16(out[i+30:])) + int(binary.LittleEndian.Uint16(out[i+32:]))
	}
	return out
}
