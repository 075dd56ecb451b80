package a2a10

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

var pushMethods = []string{createPushMethod, getPushMethod, listPushMethod, deletePushMethod}

// words are what the mutants of several protocols need to know of this one.
var words = mutants.Wording{
	Send: sendMethod, Stream: streamMethod, Chunk: "result/artifactUpdate/",
	Get: getMethod, Cancel: cancelMethod, Resubscribe: subscribeMethod,
	Hello:    hello,
	Task:     map[string]any{"contextId": "made-up"},
	Message:  func(m *engine.Message, t engine.Task) any { return writeMessage(m, t.ID, t.Session) },
	User:     "ROLE_USER",
	State:    func(name string) string { return stateName(engine.State(name)) },
	NotFound: TaskNotFound,
	Finished: Unsupported, NoStreaming: Unsupported,
	SetPush: createPushMethod,
}

// hello is what a lenient server puts in place of a message it misses.
func hello() map[string]any {
	return map[string]any{"messageId": "made-up", "role": "ROLE_USER", "parts": []any{map[string]any{"text": "hello"}}}
}

func allMutants() []front.Mutant {
	return front.OfEnvelope("envelope", slices.Concat(
		// What these do no sentence of this protocol is about.
		except(mutants.RpcMutants, "http-method-ignored", "empty-body-ignored", "error-message-trace", "forbidden-id-echoed",
			"version-compared-loosely", "word-gets-error-page"),
		front.Chosen(a2a03.EnvelopeMutants, "id-garbled", "id-number-to-text", "error-id-null", "error-code-text", "error-message-empty",
			"unknown-method-invalid", "parse-error-page", "parse-error-id-left-out", "version-older-accepted", "method-number-internal",
			"any-id-accepted", "endpoint-refuses-post", "endpoint-missing", "text-beyond-ascii-lost"),
		except(mutants.CommonMutants(streamMethod, TaskNotFound), "completed-forgotten", "stream-notification-answered"),
		mutants.MediaMutants,
		mutants.AddressMutants,
		front.TransportSecurityMutants,
		mutants.AuthMutants(words),
		mutants.CredentialMutants(words.Get, words.NotFound),
		front.Chosen(mutants.ErrorMutants(words), "scalar-params-dropped", "scalar-params-ignored", "unknown-task-created", "unknown-task-misnamed",
			"unknown-task-canceled", "finished-task-canceled", "code-outside-range", "no-streaming-internal", "no-resubscribing-misnamed"),
		front.Chosen(mutants.SendMutants(words), "send-missing", "send-refused-as-invalid", "message-optional", "message-as-text", "role-defaults-to-user", "parts-optional",
			"parts-may-be-empty", "single-part-wrapped", "message-metadata-refused", "params-metadata-refused", "metadata-unchecked"),
		// What these do is left open here: sections 3.7 and 5.5.
		except(mutants.TaskMutants(words), "get-without-id-misnamed", "get-number-misnamed", "get-history-length-ignored", "history-agent-only",
			"artifacts-not-stored", "get-metadata-refused"),
		except(mutants.LifecycleMutants(words), "cancel-without-id-misnamed"),
		dataMutants,
		mutants.EventMutants,
		front.Chosen(mutants.StreamMutants(words), "stream-accepted", "stream-as-ndjson", "event-without-field", "event-split", "event-id-of-task",
			"stream-stays-open", "stream-falls-silent", "first-chunk-appended", "every-chunk-last", "last-chunk-stored", "streamed-task-working", "event-error-beside-result",
			"stream-buffered", "chunks-broadcast", "cancel-unseen", "drop-stalls", "chunks-apart", "drop-cancels"),
		mutants.SubscriptionMutants(words),
		mutants.NoticeMutants,
		versionMutants,
		envelopeMutants,
		errorMutants,
		sendMutants,
		partMutants,
		executionMutants,
		contextMutants,
		taskMutants,
		stateMutants,
		listMutants,
		streamMutants,
		subscriptionMutants,
		pushMutants,
		noticeMutants,
		guardMutants,
		extensionMutants,
		extendedCardMutants,
		signatureMutants,
		discoveryMutants,
		cardMutants,
		limitMutants,
		tenantMutants,
		front.InArea("message", shapeMutants...),
		mutants.RestMutants(restBase),
		restRouteMutants,
		restQueryMutants,
		restFormMutants,
		restErrorMutants,
		restStatusMutants,
		restStreamMutants,
		restGuardMutants,
		interopMutants,
		mutants.GrpcMutants,
		grpcServiceMutants,
		grpcDataMutants,
		grpcMetadataMutants,
		grpcErrorMutants,
		grpcStatusMutants,
		grpcStreamMutants,
		grpcGuardMutants,
		grpcInteropMutants,
	))
}

// except are the mutants of a list but those that have one of the names.
func except(ms []front.Mutant, names ...string) []front.Mutant {
	return slices.DeleteFunc(slices.Clone(ms), func(m front.Mutant) bool { return slices.Contains(names, m.Name) })
}

// onResult edits the successful replies to one method.
func onResult(method string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(method, func(x *front.Reply) {
		if front.Has(x.Body, "result") {
			edit(x)
		}
	})
}

// put sets one member of the results of one method, where there is what holds it.
func put(method, path string, value any) func(*front.Reply) {
	return onResult(method, func(x *front.Reply) { front.Put(x.Body, "result/"+path, value) })
}

// drop removes one member of the results of one method.
func drop(method, path string) func(*front.Reply) {
	return onResult(method, func(x *front.Reply) { front.Drop(x.Body, "result/"+path) })
}

// onTask edits the task in the results of SendMessage.
func onTask(edit func(x *front.Reply, task map[string]any)) func(*front.Reply) {
	return onResult(sendMethod, func(x *front.Reply) {
		if t := front.Object(x.Body, "result/task"); t != nil {
			edit(x, t)
		}
	})
}

// said is the first text of the message of a call.
func said(body any) string { return front.Text(body, "params/message/parts/0/text") }

// ordinary reports whether a message begins a task in no context of the client's.
func ordinary(params any) bool {
	return !front.Has(params, "message/contextId") && !front.Has(params, "message/taskId")
}

// unchecked makes a server that leaves out a member of the params of a method when it
// is wrong.
func unchecked(method, path string, wrong func(v any) bool) func(*front.Call) {
	return front.Misread(method, func(body any) {
		if v := front.At(body, "params/"+path); v != nil && wrong(v) {
			front.Drop(body, "params/"+path)
		}
	})
}

// ignored makes a server that does not read a member of the params of a method.
func ignored(method, path string) func(*front.Call) {
	return unchecked(method, path, func(any) bool { return true })
}

// succeeding makes a success of the errors of one method with one code.
func succeeding(method string, code int, result func(*front.Reply) any) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers(method, code) {
			x.Succeed(result(x))
		}
	}
}

// nothing is an empty result.
func nothing(*front.Reply) any { return map[string]any{} }

// negative reports whether v is a number below 0.
func negative(v any) bool {
	return front.IsNumber(v) && strings.HasPrefix(string(front.Encode(v)), "-")
}
