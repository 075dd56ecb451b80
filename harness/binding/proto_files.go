package binding

import (
	"context"
	_ "embed"
	"fmt"
	"path"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Protocol is the protobuf of a binding, compiled: the messages of a dialect with
// those that say what went wrong.
type Protocol struct {
	Service protoreflect.ServiceDescriptor
	Status  protoreflect.MessageDescriptor // google.rpc.Status

	files    []protoreflect.FileDescriptor
	required map[protoreflect.Name]map[string]bool // members that the dialect requires, by message
}

//go:embed google_rpc.proto
var statusFile string

const statusPath = "google/rpc/status.proto"

// Compile reads a proto file and finds the service in it. name is for errors.
func Compile(name string, text []byte, service string) (*Protocol, error) {
	name = path.Base(name)
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(map[string]string{name: string(text), statusPath: statusFile}),
		}),
		MaxParallelism: 1, // what it imports is compiled already
	}
	files, err := compiler.Compile(context.Background(), name, statusPath)
	if err != nil {
		return nil, err
	}
	p := &Protocol{}
	for _, f := range files {
		p.files = append(p.files, f)
	}
	p.Status = p.findMessage("google.rpc.Status")
	for _, f := range p.files {
		if s := f.Services().ByName(protoreflect.FullName(service).Name()); s != nil && s.FullName() == protoreflect.FullName(service) {
			p.Service = s
		}
	}
	if p.Service == nil {
		return nil, fmt.Errorf("%s has no service %s", name, service)
	}
	return p, nil
}

// setRequired takes from a dialect which members its messages always have. Protobuf has no
// way to leave out most of them: what is not on the wire is there with its default.
func (p *Protocol) setRequired(d *schema.Dialect) {
	p.required = map[protoreflect.Name]map[string]bool{}
	for _, r := range d.Shapes().Rules() {
		if r.Keyword != "required" {
			continue
		}
		of := protoreflect.Name(r.Definition)
		if p.required[of] == nil {
			p.required[of] = map[string]bool{}
		}
		p.required[of][path.Base(r.At)] = true
	}
}

// findMessage finds a message by its full name, those of google.protobuf included that the
// files import; nil if there is none.
func (p *Protocol) findMessage(name protoreflect.FullName) protoreflect.MessageDescriptor {
	of := func(f protoreflect.FileDescriptor) protoreflect.MessageDescriptor {
		if f.Package() == name.Parent() {
			return f.Messages().ByName(name.Name())
		}
		return nil
	}
	for _, f := range p.files {
		if m := of(f); m != nil {
			return m
		}
		for i := range f.Imports().Len() {
			if m := of(f.Imports().Get(i)); m != nil {
				return m
			}
		}
	}
	return nil
}

// findMethod finds a method of the service; nil if there is none.
func (p *Protocol) findMethod(name string) protoreflect.MethodDescriptor {
	return p.Service.Methods().ByName(protoreflect.Name(name))
}

// decodeMessageToJSON is Read, with an error for what has no text.
func (p *Protocol) decodeMessageToJSON(of protoreflect.MessageDescriptor, message []byte) ([]byte, error) {
	text, faults := p.Read(of, message)
	if text == nil {
		return nil, fmt.Errorf("%s: %s", faults[len(faults)-1].Kind, faults[len(faults)-1].Detail)
	}
	return text, nil
}
