package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
)

// passage is what is known of an exchange while it passes so that it leaves as it came.
type passage struct {
	isHTTP2 bool                         // the client calls by HTTP/2
	on      atomic.Pointer[numberedConn] // on which the answer is awaited
	reached atomic.Bool                  // there was a connection to the server
	raw     *rawAnswer                   // what came in place of an answer
	// The heads of the request and of the answer by HTTP/1.1 as they came, and the bodies if they are in chunks; nil if they are not known.
	requestHead, answerHead     []byte
	requestChunks, answerChunks *chunkedBody
	answerOn                    *numberedConn // on which such a body comes
	unreadableRequest           atomic.Bool   // the body of the request cannot be read to its end
	answerError                 error         // why that of the answer was not read to its end; nil if it was
	restPassed                  bool          // it cannot be read, and its rest passed on as it came
	headAlone                   bool          // no body follows the head of the answer
}

// awaitOn states on which connection the request leaves and the answer is awaited.
func (p *passage) awaitOn(on net.Conn) {
	p.reached.Store(true)
	plain, isPlain := on.(*numberedConn)
	switch {
	case isPlain && plain.isHTTP2:
		p.on.Store(plain)
	case isPlain && !p.isHTTP2:
		plain.awaitAnswer(p.requestHead, p.requestChunks)
		if before := p.on.Swap(plain); before != nil && before != plain { // the call is made once more
			before.endAwaiting()
		}
	}
}

// readTLS returns what was agreed on with the server by TLS on a connection of HTTP/1.1; nil if there is no TLS.
func (p *passage) readTLS() *tls.ConnectionState {
	on := p.on.Load()
	if on == nil {
		return nil
	}
	if secure, ok := on.Conn.(*tls.Conn); ok {
		state := secure.ConnectionState()
		return &state
	}
	return nil
}

// brokeOff reports whether a call by HTTP/2 reached the server, which gave no answer that can be read: the stream of the client
// then ends in the same way.
func (p *passage) brokeOff() bool { return p.isHTTP2 && p.reached.Load() }

// endAwaiting states that the answer was understood. Its body passes on in the chunks in which it comes if it has some, and the client
// is on a connection on which it can.
func (p *passage) endAwaiting(answer *http.Response, client *clientConn) {
	on := p.on.Swap(nil)
	if on == nil {
		return
	}
	inChunks := client != nil && !p.isHTTP2 && answer.ProtoMajor == 1 && slices.Equal(answer.TransferEncoding, []string{"chunked"}) && answer.Body != http.NoBody
	p.answerHead, p.answerChunks = on.beginBody(inChunks)
	p.answerOn = on
	on.endAwaiting()
}

// endChunks ends what is done for bodies in chunks as the call ends.
func (p *passage) endChunks() {
	p.endAnswerChunks()
	if p.requestChunks != nil {
		p.requestChunks.endLeaving()
	}
}

// endAnswerChunks has the body of the answer be no more passed on in the chunks in which it comes.
func (p *passage) endAnswerChunks() {
	if p.answerChunks != nil {
		p.answerOn.endBody(p.answerChunks)
		p.answerChunks = nil
	}
}

// takeRawAnswer takes what came in place of an answer, unless the client has left.
func (p *passage) takeRawAnswer(gone bool, client *clientConn) {
	on := p.on.Swap(nil)
	if on == nil {
		return
	}
	if !gone && p.unreadableRequest.Load() {
		if rest, known := client.takeRest(); known {
			if begin, known := on.takeHeld(); known {
				p.raw = &rawAnswer{begin: begin, from: on, both: true, request: rest}
				return
			}
		}
	} else if !gone {
		if begin := on.takeUnread(); begin != nil {
			p.raw = &rawAnswer{begin: begin, from: on}
			return
		}
	}
	on.endAwaiting()
}

// holdAnswer has the rest of a request pass on as it comes, since its body cannot be read, if no answer came before.
func (p *passage) holdAnswer() {
	if on := p.on.Load(); on != nil && p.requestChunks != nil && on.holdOpen() {
		p.unreadableRequest.Store(true)
	}
}

// isUnreadable reports whether a body is not what it has to be. One that breaks off is not unreadable.
func isUnreadable(err error) bool {
	var op *net.OpError
	return !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, net.ErrClosed) && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, http.ErrBodyReadAfterClose) && !errors.As(err, &op)
}
