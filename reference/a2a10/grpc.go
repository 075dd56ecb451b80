package a2a10

import (
	_ "embed"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// rpcs is the binding GRPC, section 10.
var rpcs = &front.GRPCBinding{
	Service: "lf.a2a.v1.A2AService",
	Define:  Service,
	Faults:  faults,
}

//go:embed a2a.proto
var definition string

// Service is the definition of the service and its messages. It is read once, when
// somebody asks for it.
var Service = front.Defined(definition)
