package binding

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// grpcBinding carries operations as calls of a gRPC service. The messages are read as JSON, by
// the proto file that the dialect names.
type grpcBinding struct {
	name    string
	is      schema.Binding
	ops     map[string]string // by method
	dialect *schema.Dialect
	form    jsonForm // of the messages, if their JSON is not that of the text
}

func newGRPC(name string, is schema.Binding, d *schema.Dialect) Binding {
	b := &grpcBinding{name: name, is: is, ops: opsByMethod(is.Methods), dialect: d}
	if len(is.Forms) > 0 {
		b.form = jsonForm(d.Form(is.Forms[0]))
	}
	record.Translate(is.Service, d.Once(translatorOf(name), func() any { return &translator{of: b.loadProtocol} }).(*translator))
	return b
}

func init() { Register(schema.KindGRPC, newGRPC) }

func (b *grpcBinding) Name() string { return b.name }
func (b *grpcBinding) Kind() string { return schema.KindGRPC }

// Encode calls an operation that it has no method for by its own name, and without
// parameters.
func (b *grpcBinding) Encode(base string, r Request) (client.Call, error) {
	if r.Bend != nil {
		return client.Call{}, ErrNoEnvelope
	}
	method := cmp.Or(b.is.Methods[r.Op], r.Op)
	params, err := b.form.encodeParamsInForm(b.is.Written(r.Op, b.dialect.Operation(r.Op).Params), r.Params)
	if err != nil {
		return client.Call{}, err
	}
	message, err := b.encodeParams(method, params)
	if err != nil {
		return client.Call{}, err
	}
	h := http.Header{"Content-Type": {"application/grpc"}}
	SetHeaders(h, b.dialect.Headers)
	return client.Call{Method: http.MethodPost, URL: grpcTargetToBaseURL(base) + "/" + b.is.Service + "/" + url.PathEscape(method),
		Header: h, Body: record.FrameGRPC(message), HTTP2: true}, nil
}

// grpcTargetToBaseURL returns the address of a card as the beginning of a URL. Most cards have none but the
// host and the port of a gRPC server: whether TLS is spoken there is then found out.
func grpcTargetToBaseURL(base string) string {
	base = strings.TrimRight(base, "/")
	scheme, rest, has := strings.Cut(base, "://")
	switch {
	case !has && strings.HasPrefix(base, "dns:"): // dns:host:port
		return "//" + strings.TrimPrefix(base, "dns:")
	case !has:
		return "//" + strings.TrimPrefix(base, "//")
	}
	switch strings.ToLower(scheme) {
	case "dns": // dns:///host:port, or one of a name server before that
		return "//" + rest[strings.LastIndexByte(rest, '/')+1:]
	case "grpc":
		return "//" + rest
	case "grpcs":
		return "https://" + rest
	case "http", "https": // the methods of gRPC are below no path
		host, _, _ := strings.Cut(rest, "/")
		return scheme + "://" + host
	}
	return base
}

func (b *grpcBinding) Sent(x *record.Exchange) Sent {
	root := x.Call().Root
	s := Sent{Call: root, Params: root}
	at := x.URL
	method := at[strings.LastIndexByte(at, '/')+1:]
	if !strings.HasSuffix(at, "/"+b.is.Service+"/"+method) {
		return s
	}
	if name, err := url.PathUnescape(method); err == nil {
		method = name
	}
	s.Named, s.Op = method, b.ops[method]
	s.Sound = s.Op != "" && root != nil
	s.Params = b.form.readValue(b.is.Written(s.Op, b.dialect.Operation(s.Op).Params), root, span{})
	return s
}

// Decode takes a message for the result if the status is OK: without that, clients
// take the call for failed. Of a stream there is no result as a whole.
func (b *grpcBinding) Decode(op string, x *record.Exchange) Answer {
	a := newAnswerWithNothingFound()
	g := x.GRPC()
	switch {
	case g == nil || x.IsStream() || !g.Coded:
		return a
	case g.Failed():
		a = b.readErrorStatus(x.Reply().Root)
		// What is before a server states about it that it cannot be reached.
		a.Marked = g.Status() != "UNAVAILABLE" || len(reasonsTold(a.Details.Node)) > 0
	default:
		a.Marked = true
		b.readResult(&a, b.dialect.Operation(op).Result, x.Reply().Root)
	}
	return a
}

// readResult reads a result of a definition.
func (b *grpcBinding) readResult(a *Answer, of string, root *record.Node) {
	a.Result.Node, a.Read = b.form.readValue(of, root, span{}), len(b.form) > 0
}

// Event reads a message of a stream, or the error by which one ended.
func (b *grpcBinding) Event(_ string, data *record.Node) Answer {
	if a := b.readErrorStatus(data); a.Failure.Exists() || data == nil {
		return a
	}
	a := newAnswerWithNothingFound()
	b.readResult(&a, b.dialect.Types.Event, data)
	return a
}

// readErrorStatus reads a status that is one of an error, as the record shows it.
func (b *grpcBinding) readErrorStatus(root *record.Node) Answer {
	a := newAnswerWithNothingFound()
	e := root.Member("error")
	if e == nil || e.Kind != record.Object {
		return a
	}
	a.setFailure(e)
	a.Names = namesByReason(b.dialect, a.Details.Node)
	if status := e.Member("status"); len(a.Names) == 0 && status != nil {
		a.Names = namesByStatus(b.dialect, status.String)
	}
	a.Marked = true
	return a
}

func (b *grpcBinding) Title(op string) string { return b.is.Methods[op] }

func (b *grpcBinding) Sign(name string) string {
	e, ok := b.dialect.Errors[name]
	switch {
	case !ok || len(e.GRPC) == 0:
		return ""
	case e.Reason != "":
		return e.GRPC[0] + " with the reason " + e.Reason
	}
	return e.GRPC[0] + " (" + name + ")"
}
