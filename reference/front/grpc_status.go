package front

import (
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
)

// A Failure is the status that ends a call of gRPC.
type Failure struct {
	Code    codes.Code
	Message string
	Details []proto.Message
}

// failure writes an error of JSON-RPC as a status. A client that is to come again later
// is told so in the details too.
func (b *GRPCBinding) failure(e map[string]any, x *Reply) *Failure {
	fault := x.fault(b.Faults, b.Judge, e, x.Status)
	f := &Failure{Code: codes.Code(code.Code_value[fault.RPC]), Message: Text(e, "message")}
	details, _ := e["data"].([]any)
	for _, detail := range details {
		var any anypb.Any
		if protojson.Unmarshal(Encode(detail), &any) != nil {
			continue // no message of a type that is known
		}
		if m, err := any.UnmarshalNew(); err == nil {
			f.Details = append(f.Details, m)
		}
	}
	if seconds, err := strconv.Atoi(x.Header.Get("Retry-After")); err == nil {
		f.Details = append(f.Details, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Duration(seconds) * time.Second)})
	}
	return f
}

func (f *Failure) status() *status.Status {
	s := &rpcstatus.Status{Code: int32(f.Code), Message: f.Message}
	for _, detail := range f.Details {
		if any, err := anypb.New(detail); err == nil {
			s.Details = append(s.Details, any)
		}
	}
	return status.FromProto(s)
}
