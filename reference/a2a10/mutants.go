package a2a10

import (
	_ "embed"

	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// words are what the mutants of several protocols need to know of this one.
var words = mutants.Wording{
	Send: sendMethod, Stream: streamMethod, Chunk: "result/artifactUpdate/",
	Get: getMethod, Cancel: cancelMethod, Resubscribe: subscribeMethod,
	Hello:    newSubstituteUserMessage,
	Task:     map[string]any{"contextId": "made-up"},
	Message:  func(m *engine.Message, t engine.Task) any { return writeMessage(m, t.ID, t.Session) },
	User:     "ROLE_USER",
	State:    func(name string) string { return stateName(engine.State(name)) },
	NotFound: TaskNotFound,
	Finished: Unsupported, NoStreaming: Unsupported,
	SetPush: createPushMethod,
}

// newSubstituteUserMessage is what a lenient server puts in place of a message it misses.
func newSubstituteUserMessage() map[string]any {
	return map[string]any{"messageId": "made-up", "role": "ROLE_USER", "parts": []any{map[string]any{"text": "hello"}}}
}

//go:embed mutants.yaml
var tableText []byte

var table = mutants.NewTable("reference/a2a10/mutants.yaml", tableText)

func allMutants() []front.Mutant {
	return front.OfEnvelope("envelope", table.Build(mutants.Vocabulary{
		Words: words,
		Operations: map[string]string{
			"list": listMethod, "getPush": getPushMethod, "listPush": listPushMethod, "deletePush": deletePushMethod, "extendedCard": extendedCardMethod,
		},
		Errors: map[string]int{
			"TaskNotCancelable": taskNotCancelable, "PushNotSupported": pushNotSupported, "UnsupportedOperation": Unsupported,
			"ContentTypeNotSupported": contentType, "ExtendedCardNotConfigured": noExtendedCard,
			"ExtensionRequired": extensionRequired, "VersionNotSupported": versionUnknown, "Forbidden": Codes.Forbidden,
		},
		REST: rest,
		Shared: map[string]mutants.Source{
			"mutants": mutants.SharedSource(words, restBase),
			"a2a03":   {Table: a2a03.Table, Code: a2a03.Code()},
		},
		Code: []map[string]front.Mutant{callMutants, cardMutants, grpcMutants, listMutants, pushMutants, restMutants, streamMutants, taskMutants},
	}))
}

// onTask edits the task in the results of SendMessage.
func onTask(edit func(x *front.Reply, task map[string]any)) func(*front.Reply) {
	return front.OnResult(sendMethod, func(x *front.Reply) {
		if t := front.Object(x.Body, "result/task"); t != nil {
			edit(x, t)
		}
	})
}

// firstText returns the first text of the message of a call.
func firstText(body any) string { return front.Text(body, "params/message/parts/0/text") }

// dropWrongParam makes a server that leaves out a member of the params of a method when it
// is wrong.
func dropWrongParam(method, path string, wrong func(v any) bool) func(*front.Call) {
	return front.Misread(method, func(body any) {
		if v := front.At(body, "params/"+path); v != nil && wrong(v) {
			front.Drop(body, "params/"+path)
		}
	})
}

// returnResultOnError makes a success of the errors of one method with one code.
func returnResultOnError(method string, code int, result func(*front.Reply) any) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers(method, code) {
			x.Succeed(result(x))
		}
	}
}
