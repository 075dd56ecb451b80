package gateway

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"time"

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

// framed is a connection of HTTP/2 that is served frame by frame.
type framed struct {
	f      *http2.Framer
	stream uint32
	body   bytes.Buffer // of the request
	room   int64        // bytes of data that the caller takes on the connection
	window int64        // and on the stream
	begins int64        // the window with which a stream begins
}

// serveFrames answers the first call on a connection of HTTP/2, with fields that net/http would not write.
func (g *Gateway) serveFrames(c net.Conn) {
	defer c.Close()
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	const window = 65535 // of HTTP/2, unless a setting changes it
	s := &framed{f: http2.NewFramer(c, c), room: window, window: window, begins: window}
	s.f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if s.f.WriteSettings() != nil {
		return
	}
	var head *http2.MetaHeadersFrame
	for ended := false; !ended; {
		frame, err := s.readFrame()
		if err != nil || s.body.Len() > mostBody {
			return
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			head, ended = frame, frame.StreamEnded()
			s.stream = head.StreamID
		case *http2.DataFrame:
			ended = frame.StreamEnded()
		}
	}
	in := &http.Request{Method: http.MethodPost, Header: http.Header{}, URL: &url.URL{Path: head.PseudoValue("path")}}
	for _, field := range head.RegularFields() {
		in.Header.Add(field.Name, field.Value)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	answer, err := g.sendRequest(g.prepareRequest(in.WithContext(ctx), s.body.Bytes()), s.body.Bytes())
	if err != nil {
		return
	}
	defer answer.Body.Close()
	s.writeAnswer(answer, g.trait.frames)
	for { // until the caller closes the connection
		if _, err := s.f.ReadFrame(); err != nil {
			return
		}
	}
}

// readFrame reads a frame, and does what HTTP/2 demands about it.
func (s *framed) readFrame() (http2.Frame, error) {
	frame, err := s.f.ReadFrame()
	if err != nil {
		return nil, err
	}
	switch frame := frame.(type) {
	case *http2.SettingsFrame:
		if v, has := frame.Value(http2.SettingInitialWindowSize); has {
			s.window, s.begins = s.window+int64(v)-s.begins, int64(v)
		}
		if !frame.IsAck() {
			err = s.f.WriteSettingsAck()
		}
	case *http2.WindowUpdateFrame:
		if frame.StreamID == 0 {
			s.room += int64(frame.Increment)
		} else {
			s.window += int64(frame.Increment)
		}
	case *http2.DataFrame:
		s.body.Write(frame.Data())
		if n := uint32(len(frame.Data())); n > 0 {
			err = cmp.Or(s.f.WriteWindowUpdate(0, n), s.f.WriteWindowUpdate(frame.StreamID, n))
		}
	}
	return frame, err
}

// writeAnswer passes an answer on as it comes, with fields of its own in its head.
func (s *framed) writeAnswer(answer *http.Response, own [][2]string) {
	write := func(fields [][2]string, ends bool) {
		var out bytes.Buffer
		e := hpack.NewEncoder(&out)
		for _, v := range fields {
			e.WriteField(hpack.HeaderField{Name: v[0], Value: v[1]})
		}
		s.f.WriteHeaders(http2.HeadersFrameParam{StreamID: s.stream, BlockFragment: out.Bytes(), EndHeaders: true, EndStream: ends})
	}
	fields := append([][2]string{{":status", fmt.Sprint(answer.StatusCode)}}, listFields(answer.Header)...)
	piece := make([]byte, 16<<10)
	n, err := answer.Body.Read(piece)
	onlyHead := n == 0 && err == io.EOF && len(answer.Trailer) == 0
	for write(append(fields, own...), onlyHead); !onlyHead; n, err = answer.Body.Read(piece) {
		for left := piece[:n]; len(left) > 0; {
			for min(s.room, s.window) <= 0 {
				if _, err := s.readFrame(); err != nil {
					return
				}
			}
			part := left[:min(int64(len(left)), s.room, s.window)]
			s.room, s.window, left = s.room-int64(len(part)), s.window-int64(len(part)), left[len(part):]
			if s.f.WriteData(s.stream, false, part) != nil {
				return
			}
		}
		if err == io.EOF {
			write(listFields(answer.Trailer), true)
			return
		}
		if err != nil {
			s.f.WriteRSTStream(s.stream, http2.ErrCodeInternal)
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
