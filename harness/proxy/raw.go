package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// rawAnswer is what passes on as it comes in place of an answer, or of its rest: its beginning, and the connection on which it comes.
type rawAnswer struct {
	begin []byte
	from  *numberedConn
	// both states that what the client sends passes on as well, since its request cannot be read any more; request is what the server
	// was not sent yet of that.
	both    bool
	request []byte
}

// passRawAnswer passes on an answer that is no HTTP, as it comes, until either side closes its connection or the context
// ends. It reports false if the connection of the client cannot be taken over; then nothing was passed on.
func passRawAnswer(ctx context.Context, w http.ResponseWriter, on *clientConn, a *rawAnswer) bool {
	var client net.Conn
	switch {
	case on == nil:
		a.from.closeNow()
		return false
	case a.from.isHTTP2: // there is no other way out of it
		client = on.takeOver()
	default:
		var err error
		if client, _, err = http.NewResponseController(w).Hijack(); err != nil {
			a.from.closeNow()
			return false
		}
	}
	a.passRest(ctx, client)
	return true
}

// passRest passes on to a client, whose connection was taken over, what comes until either side closes its connection or the context
// ends.
func (a *rawAnswer) passRest(ctx context.Context, client net.Conn) {
	defer a.from.closeNow()
	defer client.Close()
	defer context.AfterFunc(ctx, func() {
		client.Close()
		a.from.Conn.Close()
	})()
	client.SetDeadline(time.Time{})
	if _, err := client.Write(a.begin); err != nil {
		return
	}
	go func() {
		if !a.both {
			io.Copy(io.Discard, client) // until the client has left
			a.from.Conn.Close()
			return
		}
		if _, err := a.from.Conn.Write(a.request); err == nil {
			io.Copy(a.from.Conn, client) // until the client has left, or ended
		}
		endWriting(a.from)
	}()
	io.Copy(client, a.from.Conn)
}
