package hostile

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// costlyToHold are large in a way that costs many times their size.
var costlyToHold = []Server{
	{Name: "strings-of-2-MB", Area: "message,task", Doc: "every answer has 60,000 texts", Verdict: Partial,
		corrupt: editBodies("send get cancel stream", withLong(func() string { return `"x":[` + strings.Repeat(`"thirty letters, more or less, ",`, 60_000) + `""]` }))},
	{Name: "numbers-of-2-MB", Doc: "every answer has 2 MB of numbers", Verdict: Partial,
		corrupt: editBodies("send get cancel stream", withLong(func() string { return `"x":[` + strings.Repeat("1234567890123,", 130_000) + `0]` }))},
	{Name: "digits-of-2-MB", Area: "message,task", Doc: "every answer has 2 MB of digits, each a value", Verdict: Partial,
		corrupt: editBodies("send get cancel stream", withLong(func() string { return `"x":[` + strings.Repeat("1,", 1<<20) + `0]` }))},
	{Name: "members-of-2-MB", Area: "message,task", Doc: "every answer has an object of 100,000 members", Verdict: Partial,
		corrupt: editBodies("send get cancel stream", withLong(func() string { return `"x":{` + repeatNumbered(100_000, `"member-%d":{},`) + `"z":0}` }))},
	{Name: "escapes-of-2-MB", Area: "message,task", Doc: "every answer has 2 MB of escapes upon escapes", Verdict: Partial,
		corrupt: editBodies("send get cancel stream", withLong(func() string { return `"x":"` + strings.Repeat(`\\u0025%2525&amp;amp;`, 100_000) + `"` }))},
	{Name: "heads-of-900-KB", Area: "message,task", Doc: "every answer has a head of 900 KB", Verdict: Partial,
		corrupt: func(v *request) {
			line := strings.Repeat("h", 9_000)
			for range 100 {
				v.w.Header().Add("X-Hoard", line)
			}
			v.passThrough()
		}},
	{Name: "events-by-the-100000", Area: "stream", Doc: "streams have 100,000 events of a few bytes", Verdict: Nonconformant,
		corrupt: writeByHand("stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\n", a.formatHead())
			writeRepeatedly(c, "data:1\n\n", 800_000)
			writeText(c, "%s", a.text)
		})},
	{Name: "lines-by-the-100000", Area: "stream", Doc: "streams have an event of 100,000 lines", Verdict: Nonconformant,
		corrupt: writeByHand("stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\n", a.formatHead())
			writeRepeatedly(c, "data\n", 500_000)
			writeText(c, "\n%s", a.text)
		})},
	{Name: "ids-of-2-MB", Doc: "tasks get ids of 2 MB, which every later call carries", Verdict: Nonconformant,
		corrupt: editBodies("send", func(text string) string {
			return taskID.ReplaceAllLiteralString(text, `"result":{"id":"`+strings.Repeat("i", 2<<20)+`"`)
		})},
	{Name: "nests-of-900", Doc: "every answer has 60,000 arrays, 900 deep", Verdict: Partial,
		corrupt: editBodies("send get cancel stream", withLong(func() string {
			return `"x":[` + strings.Repeat(strings.Repeat("[", 900)+strings.Repeat("]", 900)+",", 66) + `0]`
		}))},
	{Name: "faults-by-the-1000", Doc: "every answer has faults without number", Verdict: Partial,
		corrupt: editBodies("send get cancel", withLong(func() string { return `"x":[` + strings.Repeat(`{"a":1,"a":1e999,"a":"\ud800"},`, 5_000) + `0]` }))},
	{Name: "deliveries-of-1-MB", Area: "push", Doc: "every webhook gets 60 deliveries of nearly 1 MB", Verdict: Nonconformant,
		Flags: []string{"--webhook-listen", "127.0.0.1:0", "--stimuli", "plain"},
		corrupt: func(v *request) {
			if hook := webhookURL.FindSubmatch(v.body); hook != nil && v.recordWebhookAndReportNew(string(hook[1])) {
				v.work.Go(func() {
					body := `{"padding":"` + strings.Repeat("d", 1000<<10) + `"}`
					for range 60 {
						resp, err := http.Post(string(hook[1]), "application/json", strings.NewReader(body))
						if err != nil {
							return
						}
						resp.Body.Close()
					}
				})
			}
			v.passThrough()
		}},
	{Name: "skills-by-the-10000", Doc: "the card has 10,000 skills", Verdict: Partial,
		corrupt: editBodies("card", func(text string) string {
			return strings.Replace(text, `"skills":[`, `"skills":[`+repeatNumbered(10_000, `{"id":"s%d","name":"s","description":"d","tags":["t"]},`), 1)
		})},
}

var webhookURL = regexp.MustCompile(`"url":"(http://127[^"]*)"`)

// recordWebhookAndReportNew reports whether a webhook is seen for the first time.
func (r *Running) recordWebhookAndReportNew(hook string) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	first := !slices.Contains(r.hooks, hook)
	r.hooks = append(r.hooks, hook)
	return first
}

// repeatNumbered repeats a format with numbers.
func repeatNumbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
