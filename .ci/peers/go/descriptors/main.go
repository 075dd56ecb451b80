// Command descriptors writes what the Go SDK knows of the messages of protocol 0.3:
// a FileDescriptorSet in bytes.
package main

import (
	"log"
	"os"

	"github.com/a2aproject/a2a-go/a2apb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

func main() {
	set := &descriptorpb.FileDescriptorSet{}
	known := map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) { // what it imports goes before it
		if known[f.Path()] {
			return
		}
		known[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	add(a2apb.File_a2a_proto)
	b, err := proto.Marshal(set)
	if err == nil {
		_, err = os.Stdout.Write(b)
	}
	if err != nil {
		log.Fatal(err)
	}
}
