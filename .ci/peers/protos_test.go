package peers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/a2a-conform/a2a-conform/harness/binding"
)

// Our proto files say of each message and method what the official SDK says, and nothing
// else.
func TestProtoFilesAreThoseOfTheSDK(t *testing.T) {
	bin := t.TempDir()
	sets := map[string][]protoreflect.FileDescriptor{}
	for _, module := range []string{"go", "go10"} {
		program := filepath.Join(bin, module)
		build(t, module, "./descriptors", program)
		text, err := exec.Command(program).Output()
		if err != nil {
			t.Fatal(err)
		}
		sets[module] = described(t, text)
	}
	for _, c := range []struct {
		module, file, pkg string
		without           string      // in the names of what the SDK has beyond the protocol
		later             [2]string   // a name of the protocol, and what the SDK calls it
		mistakes          [][2]string // edits of our file, each of which has to be seen
	}{
		{"go10", "../../schema/a2a-1.0/a2a.proto", "lf.a2a.v1", "", [2]string{}, [][2]string{
			{"string message_id = 1;", "string message_id = 9;"},
			{"string message_id = 1;", "string messages_id = 1;"},
			{"string message_id = 1;", "bytes message_id = 1;"},
			{"string message_id = 1;", "optional string message_id = 1;"},
			{"string message_id = 1;", "repeated string message_id = 1;"},
			{"string message_id = 1;", `string message_id = 1 [json_name = "id"];`},
			{"  string message_id = 1;\n", ""},
			{"string message_id = 1;", "string message_id = 1; string more = 99;"},
			{"  Role role = 4;", "  TaskState role = 4;"},
			{"  oneof payload {\n    Task task = 1;\n    Message message = 2;\n  }", "  Task task = 1;\n  Message message = 2;"},
			{"  oneof flow {", "  oneof flows {"},
			{"map<string, StringList> schemes", "map<string, string> schemes"},
			{"ROLE_AGENT = 2;", "ROLE_AGENT = 3;"},
			{"ROLE_AGENT = 2;", "ROLE_AGENTS = 2;"},
			{"returns (stream StreamResponse);\n\n", "returns (StreamResponse);\n\n"},
			{"rpc GetTask(GetTaskRequest) returns (Task);", "rpc GetTask(CancelTaskRequest) returns (Task);"},
			{"rpc GetTask(GetTaskRequest) returns (Task);", "rpc GetTask(GetTaskRequest) returns (Message);"},
			{"rpc CancelTask(CancelTaskRequest) returns (Task);", ""},
			{"message Artifact {", "message Nothing {} message Artifact {"},
			{"package lf.a2a.v1;", "package a2a.v2;"},
		}},
		{"go", "../../schema/a2a-0.3/a2a.proto", "a2a.v1", "", [2]string{}, [][2]string{
			{`Message update = 2 [json_name = "message"];`, "Message update = 2;"},
			{"string artifact_id = 1;", "string artifact_id = 2;"},
		}},
		{"go10", "../../reference/a2a10/a2a.proto", "lf.a2a.v1", "", [2]string{}, [][2]string{
			{"string message_id = 1;", "string message_id = 9;"},
		}},
		{"go", "../../reference/a2a03/a2a.proto", "a2a.v1", "ListTasks", [2]string{"repeated Part content = 5;", "repeated Part parts = 5;"}, [][2]string{
			{`Message update = 2 [json_name = "message"];`, "Message update = 2;"},
			{"string artifact_id = 1;", "string artifact_id = 2;"},
			{"rpc CancelTask(CancelTaskRequest) returns (Task);", ""},
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			ours, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			if c.later[0] != "" {
				if bytes.Count(ours, []byte(c.later[0])) != 1 {
					t.Errorf("%q is not in the file", c.later[0])
				}
				ours = bytes.Replace(ours, []byte(c.later[0]), []byte(c.later[1]), 1)
			}
			want := table(sets[c.module], c.pkg)
			if c.without != "" {
				var kept []string
				for line := range strings.SplitSeq(want, "\n") {
					if !strings.Contains(line, c.without) {
						kept = append(kept, line)
					}
				}
				if len(kept) == strings.Count(want, "\n")+1 {
					t.Errorf("the SDK has nothing of %s", c.without)
				}
				want = strings.Join(kept, "\n")
			}
			got := compiled(t, ours, c.pkg)
			if n := strings.Count(want, "\n"); n < 200 {
				t.Errorf("the SDK describes only %d things", n)
			}
			differences(t, got, want)
			for _, mistake := range c.mistakes {
				if bytes.Count(ours, []byte(mistake[0])) == 0 {
					t.Fatalf("%q is not in the file", mistake[0])
				}
				if compiled(t, bytes.Replace(ours, []byte(mistake[0]), []byte(mistake[1]), 1), c.pkg) == want {
					t.Errorf("%q in place of %q is not seen", mistake[1], mistake[0])
				}
			}
		})
	}
}

// differences tells what is in one table and not in the other.
func differences(t *testing.T, got, want string) {
	t.Helper()
	ours, theirs := strings.Split(got, "\n"), strings.Split(want, "\n")
	for _, line := range ours {
		if !slices.Contains(theirs, line) {
			t.Errorf("only in ours: %s", line)
		}
	}
	for _, line := range theirs {
		if !slices.Contains(ours, line) {
			t.Errorf("only in the SDK's: %s", line)
		}
	}
}

// The messages of google.rpc are those of its own package, as far as ours have them.
func TestStatusIsThatOfGoogle(t *testing.T) {
	program := filepath.Join(t.TempDir(), "descriptors")
	build(t, "go10", "./descriptors", program)
	text, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile("../../schema/a2a-1.0/a2a.proto")
	if err != nil {
		t.Fatal(err)
	}
	p, err := binding.Compile("a2a.proto", ours, "lf.a2a.v1.A2AService")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(table(described(t, text), "google.rpc"), "\n")
	seen := 0
	for line := range strings.SplitSeq(table([]protoreflect.FileDescriptor{p.Status.ParentFile()}, "google.rpc"), "\n") {
		if seen++; !slices.Contains(want, line) {
			t.Errorf("only in ours: %s", line)
		}
	}
	if seen < 14 {
		t.Errorf("only %d things are described", seen)
	}
}

// described are the files of a set.
func described(t *testing.T, text []byte) (files []protoreflect.FileDescriptor) {
	t.Helper()
	set := &descriptorpb.FileDescriptorSet{}
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, set); err != nil {
		t.Fatal(err)
	}
	all, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	all.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		files = append(files, f)
		return true
	})
	return files
}

// compiled is the table of a proto file of ours; of one that has no such service it is a
// word of that.
func compiled(t *testing.T, text []byte, pkg string) string {
	t.Helper()
	p, err := binding.Compile("a2a.proto", text, pkg+".A2AService")
	if err != nil {
		return err.Error()
	}
	return table([]protoreflect.FileDescriptor{p.Service.ParentFile()}, pkg)
}

// table writes all that the files of a package describe and the wire shows, a line for
// each thing, in order.
func table(files []protoreflect.FileDescriptor, pkg string) string {
	var lines []string
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	enum := func(e protoreflect.EnumDescriptor) {
		for i := range e.Values().Len() {
			line("%s.%s = %d", e.FullName(), e.Values().Get(i).Name(), e.Values().Get(i).Number())
		}
	}
	var message func(m protoreflect.MessageDescriptor)
	message = func(m protoreflect.MessageDescriptor) {
		line("message %s, with %d fields", m.FullName(), m.Fields().Len())
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			of, in := "", ""
			if f.Message() != nil {
				of = string(f.Message().FullName())
			} else if f.Enum() != nil {
				of = string(f.Enum().FullName())
			}
			if f.ContainingOneof() != nil {
				in = string(f.ContainingOneof().Name())
			}
			line("%s = %d: %s %s %s, %q in JSON, one of %q, presence %t, packed %t, map %t", f.FullName(), f.Number(), f.Cardinality(), f.Kind(), of, f.JSONName(), in, f.HasPresence(), f.IsPacked(), f.IsMap())
		}
		for i := range m.Messages().Len() {
			message(m.Messages().Get(i))
		}
		for i := range m.Enums().Len() {
			enum(m.Enums().Get(i))
		}
	}
	for _, f := range files {
		if string(f.Package()) != pkg {
			continue
		}
		for i := range f.Messages().Len() {
			message(f.Messages().Get(i))
		}
		for i := range f.Enums().Len() {
			enum(f.Enums().Get(i))
		}
		for i := range f.Services().Len() {
			for j := range f.Services().Get(i).Methods().Len() {
				m := f.Services().Get(i).Methods().Get(j)
				line("method %s: %s, streams %t, gives %s, streams %t", m.FullName(), m.Input().FullName(), m.IsStreamingClient(), m.Output().FullName(), m.IsStreamingServer())
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
