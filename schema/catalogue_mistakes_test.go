package schema

import (
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// A dialect that nobody speaks, with a line for each mistake to be made in.
const (
	mistakeDialect = `name: zz-9.9
title: ZZ 9.9
prefix: ZZ99
source: {title: A made-up protocol, version: "9.9"}
allows: [residue]
operations:
  send: {result: Job, agent: true}
  get: {result: Job, about: task}
bindings: {JSONRPC: {kind: jsonrpc, methods: {send: do, get: look}}}
errors:
  ParseError: -32700
  InvalidParams: -32602
states:
  - {name: busy}
  - {name: ready, terminal: true, outcome: done, not: [busy]}
shapes: {card: Card}
stimuli:
  quick: {text: hello}
`
	mistakeShapes = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"Card":{"type":"object"},"Job":{"type":"object"}}}`
	mistakeProbes = `blocks:
  - name: envelope
    op: get
    probes:
      - {name: no-id, patch: [{op: remove, path: /id}]}
      - {name: no-version, twin: no-id, on: envelope, patch: [{op: remove, path: /jsonrpc}]}
      - no-method
      - {name: no-look, like: no-method, valid: true}
  - {name: late, op: send, task: fresh, probes: [{name: empty, raw: ''}]}
`
	mistakeShared = `probes:
  - {name: word, raw: hello}
  - name: no-method
    on: envelope
    patch: [{op: remove, path: /method}]
`
	mistakeErrors = `source: A made-up protocol 9.9
requirements:
  - id: ZZ99-ERR-001
    level: MUST
    area: errors
    section: "1"
    binding: jsonrpc
    statement: It holds.
    needs: [task, stimulus.slow]
    operator: [no-production]
    risk: heavy
    check: errors/refused
    with: {steps: [envelope/no-id]}
    mutants: [one, two]
    apart: {one: each stands alone}
`
	mistakeTask = `source: A made-up protocol 9.9
requirements:
  - {id: ZZ99-TASK-001, level: MAY, area: task, section: "2", statement: It may hold., permission: true, use: either, check: x/y}
  - id: ZZ99-TASK-002
    level: SHOULD
    area: task
    section: "2"
    about: server
    after: [ZZ99-ERR-001, ZZ99-TASK-001]
    statement: It should hold.
    unobservable: It does not show.
`
)

func mistakeFiles() map[string]string {
	return map[string]string{"dialect.yaml": mistakeDialect, "a2a.json": mistakeShapes, "probes.yaml": mistakeProbes,
		"../probes.yaml": mistakeShared, "requirements/errors.yaml": mistakeErrors, "requirements/task.yaml": mistakeTask}
}

func loadTexts(files map[string]string) (*Dialect, error) {
	made := fstest.MapFS{}
	for name, text := range files {
		made[path.Join("zz-9.9", name)] = &fstest.MapFile{Data: []byte(text)}
	}
	return LoadFS(made, "zz-9.9")
}

// What ships is without mistakes, as far as this room can tell.
func TestCatalogueLoads(t *testing.T) {
	for _, name := range Names() {
		if _, err := LoadFS(files, name); err != nil {
			t.Error(err)
		}
	}
}

// A mistake in the catalogue ends the load with the file and the line where it stands,
// and with what may have been meant.
func TestCatalogueMistakes(t *testing.T) {
	if _, err := loadTexts(mistakeFiles()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, file, old, new, want string }{
		{"an id twice, in two files", "requirements/task.yaml", "id: ZZ99-TASK-002", "id: ZZ99-ERR-001",
			"requirements/task.yaml:4: ZZ99-ERR-001 is used twice; first at schema/zz-9.9/requirements/errors.yaml:3"},
		{"an id twice, in one file", "requirements/task.yaml", "id: ZZ99-TASK-002", "id: ZZ99-TASK-001",
			"requirements/task.yaml:4: ZZ99-TASK-001 is used twice; first at schema/zz-9.9/requirements/task.yaml:3"},
		{"another dialect's id", "requirements/errors.yaml", "id: ZZ99-ERR-001", "id: ZZ98-ERR-001",
			"requirements/errors.yaml:3: ZZ98-ERR-001: the id does not begin with ZZ99-"},
		{"an area", "requirements/task.yaml", "\n    area: task", "\n    area: tasc",
			"requirements/task.yaml:6: ZZ99-TASK-002: unknown area tasc; did you mean task?"},
		{"an area like no other", "requirements/task.yaml", "\n    area: task", "\n    area: weather",
			"requirements/task.yaml:6: ZZ99-TASK-002: unknown area weather; choose one of auth, card, context, directory, discovery, envelope, errors, extension, limits, message, push, ratelimit, stream, task, transport"},
		{"no area", "requirements/task.yaml", "\n    area: task", "",
			"requirements/task.yaml:4: ZZ99-TASK-002: statement, area and section are all needed"},
		{"a level", "requirements/errors.yaml", "level: MUST", "level: MSUT",
			"requirements/errors.yaml:4: ZZ99-ERR-001: unknown level MSUT; did you mean MUST?"},
		{"no level", "requirements/errors.yaml", "    level: MUST\n", "",
			"requirements/errors.yaml:3: ZZ99-ERR-001: it names no level; choose one of MUST, SHOULD, MAY"},
		{"a need", "requirements/errors.yaml", "needs: [task, stimulus.slow]", "needs: [task, stimulus.slwo]",
			"requirements/errors.yaml:9: ZZ99-ERR-001: unknown need stimulus.slwo; did you mean stimulus.slow?"},
		{"the operator's word", "requirements/errors.yaml", "no-production", "no-prodution",
			"requirements/errors.yaml:10: ZZ99-ERR-001: unknown operator word no-prodution; did you mean no-production?"},
		{"a binding", "requirements/errors.yaml", "binding: jsonrpc", "binding: json-rpc",
			"requirements/errors.yaml:7: ZZ99-ERR-001: unknown binding json-rpc; did you mean jsonrpc?"},
		{"a risk", "requirements/errors.yaml", "risk: heavy", "risk: heavier",
			"requirements/errors.yaml:11: ZZ99-ERR-001: unknown risk heavier; did you mean heavy?"},
		{"a mutant apart", "requirements/errors.yaml", "{one: each", "{onee: each",
			"requirements/errors.yaml:15: ZZ99-ERR-001: unknown mutant onee; did you mean one?"},
		{"what it rests on", "requirements/task.yaml", "[ZZ99-ERR-001,", "[ZZ99-ERR-002,",
			"requirements/task.yaml:9: ZZ99-TASK-002: unknown requirement ZZ99-ERR-002; did you mean ZZ99-ERR-001?"},
		{"what it is about", "requirements/task.yaml", "about: server", "about: sever",
			"requirements/task.yaml:8: ZZ99-TASK-002: unknown word sever; did you mean server?"},
		{"not judged at all", "requirements/task.yaml", "\n    unobservable: It does not show.", "",
			"requirements/task.yaml:4: ZZ99-TASK-002: it needs either check or unobservable"},
		{"readings of which none is applied", "requirements/task.yaml", "unobservable: It does not show.", "unobservable: It does not show.\n    readings: [one, another]",
			"requirements/task.yaml:4: ZZ99-TASK-002: readings and applied belong together: applied has the letters of the readings by which it is judged"},
		{"a reading that is not there", "requirements/task.yaml", "unobservable: It does not show.", "unobservable: It does not show.\n    readings: [one, another]\n    applied: [C]",
			"requirements/task.yaml:13: ZZ99-TASK-002: unknown reading C; did you mean A?"},
		{"a permission that binds", "requirements/task.yaml", "level: MAY", "level: MUST",
			"requirements/task.yaml:3: ZZ99-TASK-001: only a MAY can be a permission"},
		{"a member", "requirements/errors.yaml", "area: errors", "aera: errors",
			`requirements/errors.yaml:5: unknown key "aera" in requirements[0]; valid keys: id, level,`},
		{"a block twice", "probes.yaml", "name: late", "name: envelope",
			"probes.yaml:9: the block envelope is used twice; first at schema/zz-9.9/probes.yaml:2"},
		{"a probe twice", "probes.yaml", "name: no-version", "name: no-id",
			"probes.yaml:6: the probe envelope/no-id is used twice; first at schema/zz-9.9/probes.yaml:5"},
		{"a shared probe", "probes.yaml", "- no-method", "- no-metod",
			"probes.yaml:7: envelope: unknown shared probe no-metod; did you mean no-method?; one of its own has a map: {name: …, patch: …}"},
		{"a shared probe under another name", "probes.yaml", "like: no-method", "like: no-look",
			"probes.yaml:8: envelope: unknown shared probe no-look; choose one of no-method, word; one of its own has a map: {name: …, patch: …}"},
		{"a shared probe twice in a block", "probes.yaml", "{name: no-look, like: no-method, valid: true}", "no-method",
			"probes.yaml:8: the probe envelope/no-method is used twice; first at schema/zz-9.9/probes.yaml:7"},
		{"a shared probe where there is one of the name", "probes.yaml", "name: no-look,", "name: no-id,",
			"probes.yaml:8: the probe envelope/no-id is used twice; first at schema/zz-9.9/probes.yaml:5"},
		{"what a block changes of a shared probe", "probes.yaml", "valid: true", "risk: heavier",
			"probes.yaml:8: envelope/no-look: unknown risk heavier; did you mean heavy?"},
		{"a word that no probe has, beside a shared one", "probes.yaml", "valid: true", "vald: true",
			`probes.yaml:8: unknown key "vald" in blocks[0].probes[3]; valid keys: name, title,`},
		{"a mistake in a shared probe", "../probes.yaml", "on: envelope", "on: envelop",
			"../probes.yaml:4: envelope/no-method: unknown word envelop; did you mean envelope?"},
		{"a patch of a shared probe", "../probes.yaml", "op: remove", "op: remvoe",
			"../probes.yaml:5: envelope/no-method: unknown patch operation remvoe; did you mean remove?"},
		{"two shared probes of a name", "../probes.yaml", "name: word", "name: no-method",
			"../probes.yaml:3: the shared probe no-method is used twice; first at schema/probes.yaml:2"},
		{"a shared probe like another", "../probes.yaml", "raw: hello", "like: no-method",
			`../probes.yaml:2: unknown key "like" in probes[0]; valid keys: name, title,`},
		{"the operation of a block", "probes.yaml", "op: send", "op: sedn",
			"probes.yaml:9: late: unknown operation sedn; did you mean send?"},
		{"a block without one", "probes.yaml", "    op: get\n", "",
			"probes.yaml:2: envelope: it names no operation; choose one of get, send"},
		{"the operation of a patch", "probes.yaml", "{op: remove, path: /jsonrpc}", "{op: remvoe, path: /jsonrpc}",
			"probes.yaml:6: envelope/no-version: unknown patch operation remvoe; did you mean remove?"},
		{"the operation afterwards", "probes.yaml", "twin: no-id", "then: cancel",
			"probes.yaml:6: envelope/no-version: unknown operation cancel; choose one of get, send"},
		{"the probe that has to be accepted", "probes.yaml", "twin: no-id", "twin: no-ids",
			"probes.yaml:6: envelope/no-version: unknown twin no-ids; did you mean no-id?"},
		{"a body that is patched", "probes.yaml", "raw: ''", "raw: '', patch: [{op: remove, path: /id}]",
			"probes.yaml:9: late/empty: a raw body is not patched; leave out raw or patch"},
		{"what a probe bends", "probes.yaml", "on: envelope", "on: envelop",
			"probes.yaml:6: envelope/no-version: unknown word envelop; did you mean envelope?"},
		{"a patch on HTTP", "probes.yaml", "on: envelope", "on: http",
			"probes.yaml:6: envelope/no-version: with on: http only method and headers are bent; leave out raw and patch"},
		{"a method that is bent tacitly", "probes.yaml", "raw: ''", "method: PUT",
			"probes.yaml:9: late/empty: it bends nothing but the method or the headers of HTTP; say on: http"},
		{"params that are raw", "probes.yaml", "raw: ''", "on: params, raw: ''",
			"probes.yaml:9: late/empty: a raw body has no params to bend; leave out on, or say on: envelope where it is one of JSON-RPC"},
		{"the task of a block", "probes.yaml", "task: fresh", "task: frsh",
			"probes.yaml:9: late: unknown task frsh; did you mean fresh?"},
		{"an error twice", "dialect.yaml", "  InvalidParams:", "  ParseError:",
			`dialect.yaml:12: the key "ParseError" is given twice; the first is in line 11`},
		{"a risk that is allowed", "dialect.yaml", "[residue]", "[residua]",
			"dialect.yaml:5: allows: unknown risk residua; did you mean residue?"},
		{"a stimulus", "dialect.yaml", "  quick:", "  qiuck:",
			"dialect.yaml:18: stimuli: unknown stimulus qiuck; did you mean quick?"},
		{"a state that must not follow", "dialect.yaml", "not: [busy]", "not: [bussy]",
			"dialect.yaml:15: not: unknown state bussy; did you mean busy?"},
		{"a definition", "dialect.yaml", "{result: Job, about: task}", "{result: Jobb, about: task}",
			"dialect.yaml:8: result: unknown definition Jobb; did you mean Job?"},
		{"a message's definition", "dialect.yaml", "{card: Card}", "{card: Crad}",
			"dialect.yaml:16: card: unknown definition Crad; did you mean Card?"},
		{"what an operation is about", "dialect.yaml", "about: task", "about: tasks",
			"dialect.yaml:8: about: unknown word tasks; did you mean task?"},
		{"the kind of a binding", "dialect.yaml", "kind: jsonrpc", "kind: json-rpc",
			"dialect.yaml:9: bindings.JSONRPC: unknown kind json-rpc; did you mean jsonrpc?"},
		{"a method of no operation", "dialect.yaml", "get: look}", "get: look, gett: see}",
			"dialect.yaml:9: bindings.JSONRPC: unknown operation gett; did you mean get?"},
		{"an operation without a method", "dialect.yaml", ", get: look}", "}",
			"dialect.yaml:8: bindings.JSONRPC: there is no method for the operation get"},
		{"a verb", "dialect.yaml", "{kind: jsonrpc, methods: {send: do, get: look}}", "{kind: rest, media: [a/b], routes: {send: POST /a, get: GETT /b}}",
			"dialect.yaml:9: bindings.JSONRPC: get: unknown verb GETT; did you mean GET?; a route is a verb and a path, such as GET /tasks/{id}"},
		{"a path without a slash", "dialect.yaml", "{kind: jsonrpc, methods: {send: do, get: look}}", "{kind: rest, media: [a/b], routes: {send: POST /a, get: GET b}}",
			`dialect.yaml:9: bindings.JSONRPC: get: the path "b" of GET b does not begin with a slash`},
		{"a name within a segment", "dialect.yaml", "{kind: jsonrpc, methods: {send: do, get: look}}", `{kind: rest, media: [a/b], routes: {send: POST /a, get: "GET /b{id}"}}`,
			"dialect.yaml:9: bindings.JSONRPC: get: the segment b{id} of GET /b{id} is none: it may begin with one {name}, and go on with what stands behind it"},
		{"a route twice", "dialect.yaml", "{kind: jsonrpc, methods: {send: do, get: look}}", "{kind: rest, media: [a/b], routes: {send: POST /a, get: [GET /b, POST /a]}}",
			"dialect.yaml:9: bindings.JSONRPC: POST /a is the route of get and of send"},
		{"an operation without a route", "dialect.yaml", "{kind: jsonrpc, methods: {send: do, get: look}}", "{kind: rest, media: [a/b], routes: {send: POST /a}}",
			"dialect.yaml:8: bindings.JSONRPC: there is no route for the operation get"},
		{"a route of no operation", "dialect.yaml", "{kind: jsonrpc, methods: {send: do, get: look}}", "{kind: rest, media: [a/b], routes: {send: POST /a, get: GET /b, gett: GET /c}}",
			"dialect.yaml:9: bindings.JSONRPC: unknown operation gett; did you mean get?"},
		{"bodies of no media type", "dialect.yaml", "{kind: jsonrpc, methods: {send: do, get: look}}", "{kind: rest, routes: {send: POST /a, get: GET /b}}",
			"dialect.yaml:9: bindings.JSONRPC: media is missing: the media types of bodies, first that of ours"},
		{"a member of an error", "dialect.yaml", "ParseError: -32700", "ParseError: {coed: -32700}",
			`dialect.yaml:11: unknown key "coed" in errors.ParseError; valid keys: code, http, grpc, reason`},
		{"a status of an error", "dialect.yaml", "ParseError: -32700", "ParseError: {code: -32700, grpc: NOTFOUND}",
			`dialect.yaml:11: errors.ParseError: unknown status of gRPC NOTFOUND; did you mean NOT_FOUND?`},
		{"a binding of gRPC without its service", "dialect.yaml", "{kind: jsonrpc,", "{kind: grpc, proto: a2a.proto,",
			"dialect.yaml:9: bindings.JSONRPC: service is missing: the full name of the service, such as lf.a2a.v1.A2AService"},
		{"a binding of gRPC without its file", "dialect.yaml", "{kind: jsonrpc,", "{kind: grpc, service: zz.S,",
			"dialect.yaml:9: bindings.JSONRPC: proto is missing: the name of the file in this folder that describes the service"},
		{"a binding of gRPC whose file is not there", "dialect.yaml", "{kind: jsonrpc,", "{kind: grpc, service: zz.S, proto: none.proto,",
			"dialect.yaml:9: bindings.JSONRPC: there is no file none.proto beside this one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := mistakeFiles()
			if strings.Count(files[c.file], c.old) != 1 {
				t.Fatalf("%q is not there once", c.old)
			}
			files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
			_, err := loadTexts(files)
			if err == nil {
				t.Fatal("it was loaded")
			}
			got, _, _ := strings.Cut(err.Error(), "\n")
			if want := strings.Replace("schema/zz-9.9/"+c.want, "zz-9.9/../", "", 1); got != want && !(strings.HasSuffix(want, ",") && strings.HasPrefix(got, want)) {
				t.Errorf("got\n\t%v\nwant\n\t%s", err, want)
			}
		})
	}
}

// Every mistake is told, and not the first alone.
func TestCatalogueMistakesAreAllReported(t *testing.T) {
	files := mistakeFiles()
	files["requirements/errors.yaml"] = strings.NewReplacer("MUST", "MSUT", "area: errors", "area: erors").Replace(mistakeErrors)
	_, err := loadTexts(files)
	want := `schema/zz-9.9/requirements/errors.yaml:4: ZZ99-ERR-001: unknown level MSUT; did you mean MUST?
schema/zz-9.9/requirements/errors.yaml:5: ZZ99-ERR-001: unknown area erors; did you mean errors?`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestNearest(t *testing.T) {
	known := strings.Fields("task card stream InvalidParams")
	for word, want := range map[string]string{"tasc": "task", "tsak": "task", "Task": "task", "streams": "stream", "InvalidParam": "InvalidParams",
		"invalid-params": "InvalidParams", "": "", "weather": "", "cart": "card", "taaaask": "task", "taaaaaask": ""} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q is nearest to %q, want %q", word, got, want)
		}
	}
}
