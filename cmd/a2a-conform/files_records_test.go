package main

import (
	"fmt"
	"io"
	"strings"
)

// editedEntry is an entry as a run writes it, with some of its text replaced.
func editedEntry(old, text string) string {
	entry := likeOurs("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", []byte("{}"))
	if !strings.Contains(entry, old) {
		panic(fmt.Sprintf("an entry has no %s: %.3000s", old, entry))
	}
	return strings.Replace(entry, old, text, 1)
}

// recordFiles are transcripts and reports that contradict themselves, or count what is not there.
func recordFiles() []foreignFile {
	replay, diff := []string{"replay", "FILE"}, []string{"diff", "FILE", "FILE"}
	json := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	one := withEntries(1, likeOurs(json+"\r\n", []byte("{}")))
	meta := `"_a2aConform":{"format":1,"started":"2026-01-01T00:00:00Z","durationNs":1,"facts":{"dialect":"a2a-0.1"},"plays":[]}`
	return []foreignFile{
		{"a transcript of 300,000 plays", har(one, strings.Repeat(`{},`, 300_000)+`{}`), replay, "not"},
		{"a transcript whose step names an exchange that is not there", har(one, `{"scenario":"quick","steps":[{"name":"send","exchange":99999999}]}`), replay, "names exchange 99999999"},
		{"a transcript whose step names an exchange below zero", har(one, `{"scenario":"quick","steps":[{"name":"send","exchange":-1}]}`), replay, "names exchange -1"},
		{"a transcript whose step names an exchange beyond all numbers", har(one, `{"scenario":"quick","steps":[{"name":"send","exchange":1e400}]}`), replay, "not"},
		{"a transcript whose 50,000 steps name one exchange", har(one, `{"scenario":"quick","steps":[`+strings.Repeat(`{"name":"send","exchange":1},`, 50_000)+`{}]}`), replay, "contradicts itself"},
		{"a transcript of 300,000 milestones", har(one, `{"scenario":"quick","steps":[{"name":"send","exchange":1}],"reached":[`+strings.Repeat(`{},`, 300_000)+`{}]}`), replay, "not"},
		{"a transcript with a number that is none", har(one, `{"scenario":"quick","steps":[{"name":"send","exchange":NaN}]}`), replay, "not"},
		{"a transcript whose entry ends before it begins", har(withEntries(1, editedEntry(`"_end":1`, `"_end":-5`)), ""), replay, "ends at -5ns"},
		{"a transcript whose entry ends beyond all numbers", har(withEntries(1, editedEntry(`"_end":1`, `"_end":1e400`)), ""), replay, "not"},
		{"a transcript whose entry has bytes that are not base64", har(withEntries(1, editedEntry(`"body":"e30="`, `"body":"!!!!"`)), ""), replay, "not"},
		{"a transcript of 100,000 entries that are null", har(func(w io.Writer) { io.WriteString(w, strings.Repeat("null,", 100_000)+"null") }, ""), replay, "entries are missing"},
		{"a transcript with a head of 260,000 fields", har(withEntries(1, likeOurs(json+strings.Repeat("A: b\r\n", 260_000)+"\r\n", nil)), ""), replay, "not"},
		{"a transcript with a head of 260,000 folded lines", har(withEntries(1, likeOurs(json+"A: b\r\n"+strings.Repeat(" b\r\n", 260_000)+"\r\n", nil)), ""), replay, "contradicts itself"},
		{"a transcript with its log twice", plainText(`{"log":{"version":"1.2","entries":[],` + meta + `},"log":{"version":"1.2","entries":[],` + meta + `}}`), replay, "it has log twice"},
		{"a transcript of a dialect that is a path", plainText(strings.Replace(`{"log":{"version":"1.2","entries":[],`+meta+`}}`, "a2a-0.1", "../../../etc/passwd", 1)), replay, "unknown dialect"},
		{"a transcript in a format to come", plainText(strings.Replace(`{"log":{"version":"1.2","entries":[],`+meta+`}}`, `"format":1`, `"format":99999999`, 1)), replay, "not"},
		{"a transcript of the year 9999", plainText(strings.Replace(`{"log":{"version":"1.2","entries":[],`+meta+`}}`, "2026-01-01", "9999-12-31", 1)), replay, ""},
		{"a transcript that lasts for 300 years", plainText(strings.Replace(`{"log":{"version":"1.2","entries":[],`+meta+`}}`, `"durationNs":1`, `"durationNs":9223372036854775807`, 1)), replay, ""},
		{"a transcript that lasts less than nothing", plainText(strings.Replace(`{"log":{"version":"1.2","entries":[],`+meta+`}}`, `"durationNs":1`, `"durationNs":-9`, 1)), replay, "less than nothing"},
		{"a transcript with facts nested deep", plainText(strings.Replace(`{"log":{"version":"1.2","entries":[],`+meta+`}}`, `"facts":{`, `"facts":{"words":`+strings.Repeat("[", 200_000), 1)), replay, "not"},
		{"a report whose verdict is none", plainText(`{"schemaVersion":"1","verdict":"splendid"}`), diff, "not a report"},
		{"a report with its results twice", plainText(`{"schemaVersion":"1","results":[],"results":[{}]}`), diff, "not a report"},
		{"a report whose results are Results", plainText(`{"schemaVersion":"1","Results":[]}`), diff, "not a report"},
		{"a report with a number that is none", plainText(`{"schemaVersion":"1","results":NaN}`), diff, "not a report"},
		{"a report with a number of 20 MB", repeated(`{"schemaVersion":"1","summary":`, "9", 20<<20, `}`), diff, "no number of a report"},
		{"a report with 100,000 levels", plainText(`{"schemaVersion":"1","summary":{` + countedText(`"L%d":{},`, 100_000) + `"M":{}}}`), diff, ""},
		{"a report with a name of 20 MB", repeated(`{"`, "x", 20<<20, `":1}`), diff, "not a report"},
		{"a baseline that is a list of itself", plainText(`[[{"schemaVersion":"1"}]]`), []string{"run", target, "--gate", "baseline=FILE"}, "not a report"},
		{"a report to run again, cut short", plainText(`{"schemaVersion":"1","results":[{"id":"A2A01-TASK-001"`), []string{"run", target, "--rerun-failed", "FILE"}, "not a report"},
	}
}
