// Package binding knows how operations travel: how a call is written, and where
// the answer to it stands in what came back. It is pure, so that a replay reads
// what the run read.
package binding

import "github.com/a2a-conform/a2a-conform/harness/wire"

// Where the parts of a call and of the answer to it stand in the objects of
// JSON-RPC 2.0 (sections 4 and 5), as pointers.
const (
	Version = "/jsonrpc"
	ID      = "/id"
	Method  = "/method"
	Params  = "/params"
	Result  = "/result"
	Failure = "/error"
	Code    = "/error/code"
	Message = "/error/message"
	Details = "/error/data"
)

// Call is a JSON-RPC request object of ours.
type Call map[string]any

// Encode makes a call. Params that are nil are left out, and so is an id.
func Encode(id any, method string, params map[string]any) Call {
	c := Call{"jsonrpc": "2.0", "method": method}
	if id != nil {
		c.Identify(id)
	}
	if params != nil {
		c.SetParams(params)
	}
	return c
}

// Identify gives the call an id.
func (c Call) Identify(id any) { c["id"] = id }

// Params are the parameters, where they are an object.
func (c Call) Params() (params map[string]any, ok bool) {
	params, ok = c["params"].(map[string]any)
	return params, ok
}

// SetParams puts parameters in the place of others.
func (c Call) SetParams(params any) { c["params"] = params }

// SetMethod names another method.
func (c Call) SetMethod(name string) { c["method"] = name }

// Answer is what came back, read as a JSON-RPC response object. Each part is nil
// where there is none.
type Answer struct {
	Envelope *wire.Node // the whole
	Result   *wire.Node
	Failure  *wire.Node
	Code     *wire.Node // of the failure
}

// Decode reads an answer; of nil it reads nothing.
func Decode(root *wire.Node) Answer {
	if root == nil {
		return Answer{}
	}
	return Answer{Envelope: root, Result: root.At(Result), Failure: root.At(Failure), Code: root.At(Code)}
}

// Enveloped reports whether something has the version of JSON-RPC on it.
func (a Answer) Enveloped() bool { return a.Envelope != nil && a.Envelope.At(Version) != nil }

// IsResponse reports whether something has any member that tells a response object of
// JSON-RPC from other JSON.
func (a Answer) IsResponse() bool { return a.Enveloped() || a.Result != nil || a.Failure != nil }

// Wrap puts a result that came by itself into an envelope.
func Wrap(result *wire.Node) *wire.Node {
	return &wire.Node{Kind: wire.Object, Members: []wire.Member{{Name: "result", Value: result}}}
}

// Bare reports whether the data of a stream event is a result by itself, without
// an envelope around it.
func Bare(data *wire.Node) bool {
	return data != nil && data.Kind == wire.Object && !Decode(data).IsResponse()
}

// Request is a call as it was sent. Each part is nil where there is none.
type Request struct {
	Version *wire.Node
	ID      *wire.Node
	Method  *wire.Node
	Params  *wire.Node
}

// Sent reads a call, whoever wrote it; of nil it reads nothing.
func Sent(root *wire.Node) Request {
	return Request{Version: root.Member("jsonrpc"), ID: root.Member("id"), Method: root.Member("method"), Params: root.Member("params")}
}

// Sound reports whether a call is one of JSON-RPC 2.0 as far as the version and
// the method tell.
func (r Request) Sound() bool {
	return r.Version != nil && r.Version.Kind == wire.String && r.Version.String == "2.0" && r.Method != nil && r.Method.Kind == wire.String
}
