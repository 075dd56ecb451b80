package gateway

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sort"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// newReader returns a reader of a connection.
func newReader(c net.Conn) *bufio.Reader { return bufio.NewReader(c) }

// splitListener serves connections of HTTP/2 frame by frame, and hands on the others.
type splitListener struct {
	net.Listener
	others chan net.Conn
}

// peeked is a connection of which some bytes were looked at.
type peeked struct {
	net.Conn
	in *bufio.Reader
}

// Read implements net.Conn.
func (p *peeked) Read(b []byte) (int, error) { return p.in.Read(b) }

// newSplitListener begins to accept connections.
func newSplitListener(l net.Listener, serve func(c net.Conn)) net.Listener {
	s := &splitListener{l, make(chan net.Conn)}
	go func() {
		defer close(s.others)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				p := &peeked{c, newReader(c)}
				if begin, err := p.in.Peek(4); err == nil && string(begin) == "PRI " {
					serve(p)
					return
				}
				s.others <- p
			}()
		}
	}()
	return s
}

// Accept implements net.Listener.
func (s *splitListener) Accept() (net.Conn, error) {
	c, ok := <-s.others
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

// serveFrames answers the first call on a connection of HTTP/2, with fields that net/http would not write.
func (g *Gateway) serveFrames(c net.Conn) {
	defer c.Close()
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(c, c)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if f.WriteSettings() != nil {
		return
	}
	var head *http2.MetaHeadersFrame
	var body bytes.Buffer
	for ended := false; !ended; {
		frame, err := f.ReadFrame()
		if err != nil || body.Len() > mostBody {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				f.WriteSettingsAck()
			}
		case *http2.MetaHeadersFrame:
			head, ended = frame, frame.StreamEnded()
		case *http2.DataFrame:
			body.Write(frame.Data())
			ended = frame.StreamEnded()
		}
	}
	in := &http.Request{Method: http.MethodPost, Header: http.Header{}, URL: &url.URL{Path: head.PseudoValue("path")}}
	for _, field := range head.RegularFields() {
		in.Header.Add(field.Name, field.Value)
	}
	answer, err := g.sendRequest(g.prepareRequest(in.WithContext(context.Background()), body.Bytes()), body.Bytes())
	if err != nil {
		return
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, mostBody))
	block := func(fields [][2]string) []byte {
		var out bytes.Buffer
		e := hpack.NewEncoder(&out)
		for _, v := range fields {
			e.WriteField(hpack.HeaderField{Name: v[0], Value: v[1]})
		}
		return out.Bytes()
	}
	fields := append([][2]string{{":status", fmt.Sprint(answer.StatusCode)}}, listFields(answer.Header)...)
	trailer := listFields(answer.Trailer)
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: head.StreamID, BlockFragment: block(append(fields, g.trait.frames...)), EndHeaders: true, EndStream: len(text) == 0 && len(trailer) == 0})
	if len(text) > 0 || len(trailer) == 0 {
		f.WriteData(head.StreamID, len(trailer) == 0, text)
	}
	if len(trailer) > 0 {
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: head.StreamID, BlockFragment: block(trailer), EndHeaders: true, EndStream: true})
	}
	for { // until the caller closes the connection
		if _, err := f.ReadFrame(); err != nil {
			return
		}
	}
}

// listFields returns fields as HTTP/2 has them.
func listFields(h http.Header) (out [][2]string) {
	for name, values := range h {
		for _, v := range values {
			out = append(out, [2]string{strings.ToLower(name), v})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i][0] < out[j][0] })
	return out
}
