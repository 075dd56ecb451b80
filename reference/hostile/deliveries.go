package hostile

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// webhookFlags are the flags of a run that receives deliveries.
var webhookFlags = []string{"--webhook-listen", "127.0.0.1:0", "--stimuli", "plain"}

// deliveries are servers that attack the webhook of a run. They deliver what they have to as
// well, as the protocol asks for it.
var deliveries = []Server{
	attacksWebhooks("delivery-fields-by-the-13000", "every webhook gets 20 deliveries of 13,000 header lines", Partial, "",
		func(ctx context.Context, r *Running, hook *url.URL) {
			head := "POST " + hook.RequestURI() + " HTTP/1.1\r\nHost: " + hook.Host + "\r\nContent-Length: 2\r\n" + strings.Repeat("a:\r\n", 13_000) + "\r\n{}"
			for range 20 {
				r.dialWebhook(ctx, hook, func(c net.Conn) { writeText(c, "%s", head) })
			}
		}),
	attacksWebhooks("deliveries-by-the-400", "every webhook gets 400 deliveries of a few bytes", Nonconformant, "",
		func(ctx context.Context, r *Running, hook *url.URL) {
			for range 400 {
				r.postDelivery(ctx, http.MethodPost, hook.String(), "application/json", "{}")
			}
		}),
	attacksWebhooks("deliveries-of-values", "every webhook gets 12 deliveries of 130,000 values each", Nonconformant, "",
		func(ctx context.Context, r *Running, hook *url.URL) {
			body := `{"task":[` + strings.Repeat("[],", 130_000) + `0]}`
			for range 12 {
				r.postDelivery(ctx, http.MethodPost, hook.String(), "application/json", body)
			}
		}),
	attacksWebhooks("deliveries-of-fields", "every webhook gets deliveries whose JSON repeats one member 50,000 times", Nonconformant, "",
		func(ctx context.Context, r *Running, hook *url.URL) {
			body := `{` + strings.Repeat(`"task":{},`, 50_000) + `"z":0}`
			for range 12 {
				r.postDelivery(ctx, http.MethodPost, hook.String(), "application/json", body)
			}
		}),
	attacksWebhooks("delivery-url-of-60-KB", "deliveries come to the webhook with a query of 60 KB", Nonconformant, "",
		func(ctx context.Context, r *Running, hook *url.URL) {
			for range 20 {
				r.postDelivery(ctx, http.MethodPost, hook.String()+"&q="+strings.Repeat("q", 60<<10), "application/json", "{}")
			}
		}),
	attacksWebhooks("delivery-in-chunks-of-a-byte", "a delivery comes in a million chunks of a byte each, with extensions", Nonconformant, "",
		func(ctx context.Context, r *Running, hook *url.URL) {
			r.dialWebhook(ctx, hook, func(c net.Conn) {
				writeText(c, "POST %s HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n", hook.RequestURI(), hook.Host)
				writeRepeatedly(c, "1;ext=yes\r\n{\r\n", 14_000_000)
				writeText(c, "0\r\n\r\n")
			})
		}),
	attacksWebhooks("deliveries-compressed", "deliveries are compressed, and would be 60 MB", Nonconformant, "",
		func(ctx context.Context, r *Running, hook *url.URL) {
			bomb := string(deliveryBomb())
			for range 4 {
				r.dialWebhook(ctx, hook, func(c net.Conn) {
					writeText(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", hook.RequestURI(), hook.Host, len(bomb), bomb)
				})
			}
		}),
	attacksWebhooks("deliveries-held-open", "a hundred deliveries to every webhook never end", Partial, "",
		func(ctx context.Context, r *Running, hook *url.URL) {
			for range 100 {
				r.work.Go(func() {
					r.dialWebhook(ctx, hook, func(c net.Conn) {
						writeText(c, "POST %s HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", hook.RequestURI(), hook.Host)
					})
				})
			}
		}),
	attacksWebhooks("deliveries-elsewhere", "deliveries come with other hosts, paths, methods and versions, and by proxy", Nonconformant, "A2A10-DELIV-005",
		func(ctx context.Context, r *Running, hook *url.URL) {
			for _, head := range []string{
				"POST http://victim.invalid" + hook.RequestURI() + " HTTP/1.1\r\nHost: victim.invalid",
				"POST //" + hook.RequestURI() + " HTTP/1.1\r\nHost: victim.invalid:1",
				"POST /.." + hook.RequestURI() + " HTTP/1.1\r\nHost: a\r\nX-Forwarded-Host: ::error::pwned",
				"OPTIONS * HTTP/1.1\r\nHost: a",
				"CONNECT victim.invalid:443 HTTP/1.1\r\nHost: victim.invalid:443",
				"GET " + hook.RequestURI() + "&validationToken=" + strings.Repeat("%1b[31m<script>", 3_000) + " HTTP/1.1\r\nHost: a",
				"PRI * HTTP/2.0\r\n\r\nSM",
				"POST /agents/x HTTP/1.0\r\nContent-Length: 5",
				"TRACE " + hook.RequestURI() + " HTTP/1.1\r\nHost: a",
				"POST " + hook.Path + "/../.. HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10",
				"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
			} {
				r.dialWebhook(ctx, hook, func(c net.Conn) { writeText(c, "%s\r\n\r\n", head) })
			}
		}),
}

// deliveryBomb is 60 MB in 60 KB.
var deliveryBomb = sync.OnceValue(func() []byte { return repeatGzipped(strings.Repeat("0", 1<<20), 60) })

// longestAttack is how long the reply to a call is held back for what is done to the webhook that
// the call names.
const longestAttack = 3 * time.Second

// attacksWebhooks returns a server that does something to every webhook that it is named, while the
// conversation continues.
func attacksWebhooks(name, doc string, ends Verdict, names string, attack func(ctx context.Context, r *Running, hook *url.URL)) Server {
	return Server{Name: name, Doc: doc, dialect: "a2a-1.0", Verdict: ends, Names: names, Area: "push", Flags: webhookFlags, corrupt: func(v *request) {
		deliveryBomb() // made before the run can be over
		if named := webhookURL.FindSubmatch(v.body); named != nil && v.recordWebhookAndReportNew(string(named[1])) {
			if hook, err := url.Parse(string(named[1])); err == nil {
				over := make(chan struct{})
				v.work.Go(func() {
					defer close(over)
					attack(v.ctx, v.Running, hook)
				})
				if ends == Nonconformant { // what is wrong has come before the run can be over
					select {
					case <-over:
					case <-time.After(longestAttack): // the webhook may hold its answers
					}
				}
			}
		}
		v.passThrough()
	}}
}

// postDelivery sends one request to a webhook.
func (r *Running) postDelivery(ctx context.Context, method, to, kind, body string) {
	q, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(body))
	if err != nil {
		return
	}
	q.Header.Set("Content-Type", kind)
	resp, err := r.up.RoundTrip(q)
	if err != nil {
		return
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// dialWebhook writes something to a webhook by hand, and waits until that hangs up.
func (r *Running) dialWebhook(ctx context.Context, hook *url.URL, speak func(net.Conn)) {
	c, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", hook.Host)
	if err != nil || !r.trackConnection(c) {
		return
	}
	defer r.dropConnection(c)
	speak(c)
	readToEnd(c)
}
