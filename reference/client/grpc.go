package client

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// grpcBinding is the name of the binding on cards. Its calls are written by hand, so that mutants can spoil each part: a POST of
// HTTP/2 whose body is one message with its prefix. What comes is shown to the rest of the client as HTTP+JSON has it.
const grpcBinding = "GRPC"

// A grpcRequest is a call of gRPC, before it is written. Mutants edit it.
type grpcRequest struct {
	service, method string
	message         object // its JSON
	edit            func(payload []byte) []byte
	header          http.Header
}

// inGRPC reports whether the call goes to an interface of gRPC.
func (c *call) inGRPC() bool { return c.binding == grpcBinding }

// makeTransport makes what carries calls of gRPC: HTTP/2, without TLS at addresses of http.
func makeTransport(secure *tls.Config) *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Transport{Protocols: protocols, DisableCompression: true, TLSClientConfig: secure}
}

// readTarget returns the address of an interface of gRPC as a URL: cards have HOST:PORT, or a URL.
func readTarget(address string) (*url.URL, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Port() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address of gRPC", address)
	}
	return u, nil
}

// sendGRPC sends a call over gRPC.
func (s *session) sendGRPC(c *call) (*response, error) {
	method, has := s.dialect.rpcs[c.op]
	if !has {
		return nil, fmt.Errorf("gRPC has no method for %s", c.op)
	}
	r := &grpcRequest{service: s.dialect.service, method: method.method, message: c.getParams(), header: c.header.Clone()}
	if s.dialect.toProto != nil {
		r.message = s.dialect.toProto(c.op, r.message)
	}
	r.header.Set("Content-Type", "application/grpc")
	r.header.Set("Te", "trailers")
	r.header.Del("Accept")
	if c.editGRPC != nil {
		c.editGRPC(r)
	}
	payload, err := s.dialect.proto.encodeMessage(method.call, r.message)
	if err != nil {
		return nil, fmt.Errorf("the call cannot be written: %w", err)
	}
	if r.edit != nil {
		payload = r.edit(payload)
	}
	target, err := readTarget(c.url)
	if err != nil {
		return nil, err
	}
	target.Path = "/" + r.service + "/" + r.method
	body := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(payload))), payload...)
	q, err := http.NewRequestWithContext(s.ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header = r.header
	s.addCredentials(q, s.chooseCredentials(c.op))
	reply, err := s.rpc.RoundTrip(q)
	if err != nil {
		return nil, fmt.Errorf("the agent cannot be called: %w", err)
	}
	return s.readGRPC(c, method, reply)
}

// maxMessages bounds the messages of one answer.
const maxMessages = maxEvents

// readGRPC shows an answer of gRPC as one of HTTP+JSON: a stream as events.
func (s *session) readGRPC(c *call, method rpc, reply *http.Response) (*response, error) {
	out := &response{call: c, status: reply.StatusCode, header: http.Header{}}
	if reply.StatusCode != http.StatusOK || !strings.HasPrefix(reply.Header.Get("Content-Type"), "application/grpc") {
		reply.Body.Close()
		return nil, newStatusError(reply.StatusCode)
	}
	next := func() (text []byte, err error) {
		payload, err := readMessage(reply.Body)
		if err != nil {
			return nil, err
		}
		o, err := s.dialect.proto.decodeMessage(method.answer, payload, 0)
		if err != nil {
			return nil, err
		}
		if s.dialect.fromProto != nil {
			o = s.dialect.fromProto(o)
		}
		return encodeJSON(o), nil
	}
	if !method.streams {
		defer reply.Body.Close()
		text, err := next()
		if err != nil && err != io.EOF {
			return nil, err
		}
		io.Copy(io.Discard, io.LimitReader(reply.Body, maxBody))
		if failure := readStatus(reply); failure != nil || text == nil {
			out.status, text = http.StatusInternalServerError, encodeStatus(failure)
		}
		out.body = io.NopCloser(bytes.NewReader(text))
		return out, nil
	}
	r, w := io.Pipe()
	out.header.Set("Content-Type", eventStream)
	out.body = &pipedBody{r, reply.Body}
	go func() {
		for range maxMessages {
			text, err := next()
			if err == io.EOF {
				if failure := readStatus(reply); failure != nil {
					fmt.Fprintf(w, "data: %s\n\n", encodeStatus(failure))
				}
				w.Close()
				return
			}
			if err == nil {
				_, err = fmt.Fprintf(w, "data: %s\n\n", text)
			}
			if err != nil {
				w.CloseWithError(err)
				return
			}
		}
		w.CloseWithError(errors.New("the stream has too many messages"))
	}()
	return out, nil
}

// pipedBody is a stream that was converted, which is closed with its source.
type pipedBody struct {
	*io.PipeReader
	source io.Closer
}

// Close ends the stream.
func (b *pipedBody) Close() error {
	b.PipeReader.Close()
	return b.source.Close()
}

// readMessage reads one message with its prefix.
func readMessage(r io.Reader) ([]byte, error) {
	var prefix [5]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(prefix[1:])
	if size > maxBody {
		return nil, fmt.Errorf("the message is longer than %d bytes", maxBody)
	}
	payload, err := readBody(io.LimitReader(r, int64(size)), maxBody)
	switch {
	case err != nil:
		return nil, err
	case len(payload) < int(size):
		return nil, io.ErrUnexpectedEOF
	case prefix[0] == 1:
		z, err := gzip.NewReader(bytes.NewReader(payload))
		if err != nil {
			return nil, err
		}
		return readBody(z, maxBody)
	}
	return payload, nil
}

// A grpcStatus is the status of an error by which a call ended.
type grpcStatus struct {
	code            int
	message, reason string
}

// readStatus reads the status at the end of an answer; nil for OK.
func readStatus(reply *http.Response) *grpcStatus {
	h := reply.Trailer
	if h.Get("Grpc-Status") == "" {
		h = reply.Header
	}
	code, err := strconv.Atoi(h.Get("Grpc-Status"))
	switch {
	case err != nil:
		return &grpcStatus{code: 2, message: "the call ended without a status"}
	case code == 0:
		return nil
	}
	e := &grpcStatus{code: code, message: h.Get("Grpc-Message")}
	if text, err := url.PathUnescape(e.message); err == nil {
		e.message = text
	}
	packed, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(h.Get("Grpc-Status-Details-Bin"), "="))
	if err != nil {
		return e
	}
	all, err := statusFile.decodeMessage("Status", packed, 0)
	if err != nil {
		return e
	}
	for _, detail := range getList(all, "details") {
		content, _ := base64.StdEncoding.DecodeString(getText(detail, "value"))
		if info, err := statusFile.decodeMessage("ErrorInfo", content, 0); err == nil && strings.HasSuffix(getText(detail, "typeUrl"), "google.rpc.ErrorInfo") && e.reason == "" {
			e.reason = getText(info, "reason")
		}
	}
	return e
}

// statusFile has the messages that state an error.
var statusFile = readProtoFile(`
	Status: 1 code number, 2 message text, 3 details Any*
	Any: 1 typeUrl text, 2 value bytes
	ErrorInfo: 1 reason text, 2 domain text`)

// grpcCodes are the names of the statuses, by number.
var grpcCodes = strings.Fields("OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED")

// encodeStatus writes a status as HTTP+JSON has errors; one of nil is that of an answer without a message.
func encodeStatus(e *grpcStatus) []byte {
	if e == nil {
		e = &grpcStatus{code: 13, message: "the answer has no message"}
	}
	name := fmt.Sprint(e.code)
	if e.code > 0 && e.code < len(grpcCodes) {
		name = grpcCodes[e.code]
	}
	failure := object{"code": e.code, "status": name, "message": e.message}
	if e.reason != "" {
		failure["details"] = []any{object{"reason": e.reason}}
	}
	return encodeJSON(object{"error": failure})
}
