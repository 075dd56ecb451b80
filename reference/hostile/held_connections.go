package hostile

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"
)

// mediumTimeout are the bounds of a run that is to end though a connection is held.
var mediumTimeout = []string{"--timeout", "2s"}

const (
	shortRun = 10 * time.Second
	switched = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n"
)

// held leave a connection open past every bound of a client: what is read there
// is not, or no longer, what the client's HTTP ties to its request.
var held = []Server{
	{Name: "switched-held", Area: "transport", Doc: "a call is answered with 101, and the connection stays", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: mediumTimeout, Deadline: shortRun,
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, switched)
			readToEnd(c)
		})},
	{Name: "switched-held-card", Area: "discovery", Doc: "the card is answered with 101, and the connection stays", Verdict: Nonconformant, Names: "A2A01-DISC-001", Deadline: shortRun,
		Flags: append([]string{"--dialect", "a2a-0.1"}, mediumTimeout...),
		corrupt: forOperations("card", func(v *request) {
			v.takeConnection(func(c net.Conn) {
				writeText(c, switched)
				readToEnd(c)
			})
		})},
	{Name: "switched-drip", Area: "transport", Doc: "after 101 a byte comes now and then for ever", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: mediumTimeout, Deadline: shortRun,
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, switched)
			writeSlowly(v.r.Context(), c, strings.Repeat(".", 1<<20), 100*time.Millisecond)
		})},
	{Name: "switched-deaf", Area: "transport", Doc: "after 101 by TLS nothing is read, closing words included", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Deadline: shortRun,
		Flags: append([]string{"--insecure"}, mediumTimeout...), https: true, wrap: newTLSWrapperNamedMarkup(time.Hour, "127.0.0.1"),
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, switched)
			<-v.r.Context().Done()
		})},
	{Name: "interim-drip", Area: "transport", Doc: "an interim answer comes now and then, and no other", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: mediumTimeout, Deadline: shortRun,
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			repeatText(v.r.Context(), c, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 300*time.Millisecond)
		})},
	{Name: "head-drip", Area: "transport", Doc: "the head of an answer comes byte by byte, and never ends", Verdict: Nonconformant, Names: "A2A01-HTTP-001", Flags: mediumTimeout, Deadline: shortRun,
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeSlowly(v.r.Context(), c, "HTTP/1.1 200 OK\r\nX-Long: "+strings.Repeat("x", 1<<20), 200*time.Millisecond)
		})},
	{Name: "trailer-held", Area: "transport", Doc: "the body is whole, and the trailer after it is held back", Verdict: Partial, Flags: mediumTimeout, Deadline: shortRun,
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, a.formatHead()+"Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n%x\r\n%s\r\n0\r\nX-Sum: ", len(a.text), a.text)
			readToEnd(c)
		})},
	{Name: "heartbeat-stream", Area: "stream", Doc: "a stream of comments, one now and then, and no event", Verdict: Nonconformant, Names: "A2A01-STR-003", Flags: mediumTimeout, Deadline: shortRun,
		corrupt: writeByHand("stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s", a.formatHead()+"\r\n")
			repeatText(v.r.Context(), c, ": still here\n\n", 100*time.Millisecond)
		})},
	{Name: "waiting-switched", Doc: "who waits for the server to come up is answered with 101, and held", Verdict: Conformant, Deadline: shortRun * 3,
		Flags: []string{"--wait", "3s"},
		corrupt: func(v *request) {
			if v.r.Method == http.MethodGet && v.r.URL.Path == "/" {
				v.takeConnection(func(c net.Conn) {
					writeText(c, switched)
					readToEnd(c)
				})
				return
			}
			v.passThrough()
		}},
}

// repeatText writes a text again and again until no one takes it any more.
func repeatText(ctx context.Context, c net.Conn, text string, pause time.Duration) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		if _, err := c.Write([]byte(text)); err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
