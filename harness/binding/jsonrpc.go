package binding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Version is the place of a text that makes it an object of JSON-RPC, whatever is
// known of the dialect.
const Version = "/jsonrpc"

// jsonRPC carries operations as JSON-RPC 2.0 by POST.
type jsonRPC struct {
	name    string
	methods map[string]string // by operation
	ops     map[string]string // by method
	dialect *schema.Dialect   // nil if none is known yet
	bare    bool              // results may stand in a stream by themselves
}

func newJSONRPC(name string, is schema.Binding, d *schema.Dialect) Binding {
	return &jsonRPC{name, is.Methods, opsByMethod(is.Methods), d, d != nil && d.Stream.Bare}
}

// opsByMethod returns the operation of each method, the first by the alphabet if it has several.
func opsByMethod(methods map[string]string) map[string]string {
	ops := map[string]string{}
	for op, method := range methods {
		if first, twice := ops[method]; !twice || op < first {
			ops[method] = op
		}
	}
	return ops
}

func (b *jsonRPC) Name() string { return b.name }
func (b *jsonRPC) Kind() string { return schema.KindJSONRPC }

// callObject is a call, whose members stand in the order in which clients in use write them.
type callObject struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
	ID      any    `json:"id,omitempty"`
}

// Encode calls an operation that it has no method for by its own name.
func (b *jsonRPC) Encode(base string, r Request) (client.Call, error) {
	body, err := json.Marshal(callObject{"2.0", cmp.Or(b.methods[r.Op], r.Op), r.Params, r.ID})
	if err == nil && r.Bend != nil {
		body, err = r.Bend(body)
	}
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if b.dialect != nil {
		SetHeaders(h, b.dialect.Headers)
	}
	if b.dialect.Operation(r.Op).Streams {
		h.Set("Accept", "text/event-stream, application/json")
	}
	return client.Call{Method: http.MethodPost, URL: base, Header: h, Body: body}, err
}

func (b *jsonRPC) Sent(x *record.Exchange) Sent {
	root := x.Call().Root
	s := b.readCall(root)
	if root != nil && root.Kind == record.Array {
		for _, e := range root.Elems {
			s.Calls = append(s.Calls, b.readCall(e))
		}
	}
	return s
}

func (b *jsonRPC) readCall(call *record.Node) Sent {
	s := Sent{Framed: true, Call: call, ID: call.Member("id"), Params: call.Member("params"), ParamsAt: "/params", Version: call.Member("jsonrpc"), Method: call.Member("method")}
	if s.Method == nil || s.Method.Kind != record.String {
		return s
	}
	s.Named, s.Op = s.Method.String, b.ops[s.Method.String]
	s.Sound = s.Version != nil && s.Version.Kind == record.String && s.Version.String == "2.0"
	return s
}

func (b *jsonRPC) Decode(_ string, x *record.Exchange) Answer { return b.readResponse(x.Reply().Root) }

func (b *jsonRPC) Event(_ string, data *record.Node) Answer {
	a := b.readResponse(data)
	if b.bare && data != nil && data.Kind == record.Object && !a.IsResponse() {
		a = b.readResponse(nil)
		a.Bare, a.Result = true, View{Node: data}
	}
	return a
}

// readResponse finds the parts of a response object (JSON-RPC 2.0, section 5).
func (b *jsonRPC) readResponse(root *record.Node) Answer {
	part := func(at string) View {
		if root == nil {
			return View{nil, at}
		}
		return View{root.At(at), at}
	}
	a := Answer{Envelope: View{Node: root}, Version: part(Version), ID: part("/id"), Result: part("/result"),
		Failure: part("/error"), Code: part("/error/code"), Message: part("/error/message"), Details: part("/error/data")}
	a.Marked = a.Version.Exists()
	a.Listed = root != nil && root.Kind == record.Array
	if n := a.Code.Node; n != nil && n.Kind == record.Number && b.dialect != nil {
		if code, err := strconv.Atoi(n.Number); err == nil {
			a.Names = namesOfErrors(b.dialect, func(_ string, e schema.ErrorSign) bool { return e.Code == code })
		}
	}
	return a
}

func (b *jsonRPC) Title(op string) string { return b.methods[op] }

func (b *jsonRPC) Sign(name string) string {
	code, ok := b.dialect.Code(name)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d (%s)", code, name)
}

// InParams returns a place in the envelope of a call as a place in the parameters of the call; false
// if it is not in them.
func InParams(at string) (string, bool) {
	rest, found := strings.CutPrefix(at, "/params")
	return rest, found && (rest == "" || strings.HasPrefix(rest, "/"))
}
