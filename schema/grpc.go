package schema

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// GRPCStatuses are the names of the statuses by which gRPC states an error: first that of
// the source, then others by which servers may say it.
type GRPCStatuses []string

// UnmarshalYAML takes one name for a list of one.
func (g *GRPCStatuses) UnmarshalYAML(n *yaml.Node) error { return decodeOneOrList(n, (*[]string)(g)) }

// grpcStatuses are those that gRPC has, by number. OK is no error.
var grpcStatuses = []string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"}

// ProtoFile returns the text of the proto file that a binding names.
func (d *Dialect) ProtoFile(b Binding) []byte { return d.protos[b.Proto] }

// requireGRPCServiceAndProto finds the mistakes in a binding of gRPC. What is in its proto file is seen if it
// is spoken.
func (s *catalogueCheck) requireGRPCServiceAndProto(file, name string, b Binding) {
	if b.Service == "" {
		s.addError(file, "bindings", name, "bindings.%s: service is missing: the full name of the service, such as lf.a2a.v1.A2AService", name)
	}
	switch {
	case b.Proto == "":
		s.addError(file, "bindings", name, "bindings.%s: proto is missing: the name of the file in this folder that describes the service", name)
	case s.ProtoFile(b) == nil:
		s.addError(file, "proto", b.Proto, "bindings.%s: there is no file %s beside this one", name, b.Proto)
	}
}

// grpcErrors finds statuses that gRPC does not have.
func (s *catalogueCheck) grpcErrors(file, name string, e ErrorSign) {
	for _, status := range e.GRPC {
		if known := grpcStatuses[1:]; !slices.Contains(known, status) {
			s.addError(file, "errors", name, "errors.%s: %s", name, Unknown("status of gRPC", status, known))
		}
	}
}
