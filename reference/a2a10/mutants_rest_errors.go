package a2a10

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// onRestError edits the errors over HTTP+JSON, in their own form.
func onRestError(edit func(x *front.Reply, e map[string]any)) func(*front.Reply) {
	return func(x *front.Reply) {
		if e := front.Object(x.Body, "error"); e != nil {
			edit(x, e)
		}
	}
}

// onReason edits the errors over HTTP+JSON that are one of the protocol.
func onReason(code int, edit func(x *front.Reply, e map[string]any)) func(*front.Reply) {
	return onRestError(func(x *front.Reply, e map[string]any) {
		if front.Text(e, "details/0/reason") == faults[code].Reason {
			edit(x, e)
		}
	})
}

// onRestInfo edits what an error over HTTP+JSON says about itself.
func onRestInfo(edit func(e, info map[string]any)) func(*front.Reply) {
	return onRestError(func(_ *front.Reply, e map[string]any) {
		if info := front.Object(e, "details/0"); front.Text(info, "@type") == errorInfo {
			edit(e, info)
		}
	})
}

// inFull is the name of an error that has a reason, such as TaskNotFoundError.
func inFull(reason string) string {
	name := ""
	for word := range strings.SplitSeq(reason, "_") {
		name += word[:1] + strings.ToLower(word[1:])
	}
	return name + "Error"
}

// restated gives an error another status, and the code and the name that go with it.
func restated(x *front.Reply, status int, name string) {
	x.Status = status
	front.Put(x.Body, "error/code", status)
	front.Put(x.Body, "error/status", name)
}

// restErrorMutants are about the form of errors (section 11.6).
var restErrorMutants = front.InArea("rest",
	front.Mutant{Name: "rest-error-as-problem", Summary: "Errors are problem documents.",
		Rest: onRestError(func(x *front.Reply, e map[string]any) {
			x.Header.Set("Content-Type", "application/problem+json")
			x.Body = map[string]any{"type": "about:blank", "title": front.Text(e, "status"), "status": e["code"], "detail": e["message"]}
		})},
	front.Mutant{Name: "rest-error-code-of-rpc", Summary: "The code of an error is that of JSON-RPC.",
		Rest: onReason(TaskNotFound, func(_ *front.Reply, e map[string]any) { e["code"] = TaskNotFound })},
	front.Mutant{Name: "rest-error-detail", Summary: "The words of an error stand under the name detail.",
		Rest: onRestError(func(_ *front.Reply, e map[string]any) {
			e["detail"] = e["message"]
			delete(e, "message")
		})},
	front.Mutant{Name: "rest-error-status-number", Summary: "The status of an error is the number of its google.rpc.Code.",
		Rest: onRestError(func(_ *front.Reply, e map[string]any) { e["status"] = 5 })},
	front.Mutant{Name: "rest-error-details-object", Summary: "The details of an error are one object.",
		Rest: onRestError(func(_ *front.Reply, e map[string]any) { front.Replace(e, "details", front.At(e, "details/0")) })},
	front.Mutant{Name: "rest-error-details-empty", Summary: "The details of an error of the protocol are empty.",
		Rest: onRestInfo(func(e, _ map[string]any) { e["details"] = []any{} })},
	front.Mutant{Name: "rest-error-domain-foreign", Summary: "The domain of an ErrorInfo is googleapis.com.",
		Rest: onRestInfo(func(_, info map[string]any) { info["domain"] = "googleapis.com" })},
	front.Mutant{Name: "rest-error-reason-in-full", Summary: "The reason of an ErrorInfo is the name of the error, such as TaskNotFoundError.",
		Rest: onRestInfo(func(_, info map[string]any) {
			info["reason"] = inFull(front.Text(info, "reason"))
		})},
	front.Mutant{Name: "rest-error-metadata-nested", Summary: "The metadata of an ErrorInfo hold an object.",
		Rest: onRestInfo(func(_, info map[string]any) {
			info["metadata"] = map[string]any{"task": map[string]any{"known": false}}
		})},
)

// restStatus makes a mutant that sends an error of the protocol with another status.
func restStatus(name, variant, called string, code, status int, rpc string) front.Mutant {
	return front.Mutant{Name: name, Variant: variant, Summary: called + " comes with HTTP " + strconv.Itoa(status) + ".",
		Rest: onReason(code, func(x *front.Reply, _ map[string]any) { restated(x, status, rpc) })}
}

// restStatusMutants are about the statuses of errors (section 5.4), with those that the
// version before had.
var restStatusMutants = front.InArea("rest",
	restStatus("rest-unknown-task-500", "", "TaskNotFoundError", TaskNotFound, 500, "INTERNAL"),
	restStatus("rest-not-cancelable-500", "", "TaskNotCancelableError", taskNotCancelable, 500, "INTERNAL"),
	restStatus("rest-not-cancelable-409", "", "TaskNotCancelableError", taskNotCancelable, 409, "FAILED_PRECONDITION"),
	restStatus("rest-no-push-500", "silent", "PushNotificationNotSupportedError", pushNotSupported, 500, "INTERNAL"),
	restStatus("rest-no-push-501", "silent", "PushNotificationNotSupportedError", pushNotSupported, 501, "UNIMPLEMENTED"),
	restStatus("rest-unsupported-501", "", "UnsupportedOperationError", Unsupported, 501, "UNIMPLEMENTED"),
	restStatus("rest-content-type-500", "", "ContentTypeNotSupportedError", contentType, 500, "INTERNAL"),
	restStatus("rest-content-type-415", "", "ContentTypeNotSupportedError", contentType, 415, "INVALID_ARGUMENT"),
	restStatus("rest-extended-card-unconfigured-500", "lavish", "ExtendedAgentCardNotConfiguredError", noExtendedCard, 500, "INTERNAL"),
	restStatus("rest-extension-required-500", "extended", "ExtensionSupportRequiredError", extensionRequired, 500, "INTERNAL"),
	restStatus("rest-version-500", "", "VersionNotSupportedError", versionUnknown, 500, "INTERNAL"),
	front.Mutant{Name: "rest-invalid-input-500", Summary: "What is wrong with a request is HTTP 500.",
		Rest: onRestError(func(x *front.Reply, e map[string]any) {
			if x.Status == http.StatusBadRequest && front.Text(e, "details/0/reason") == "" {
				restated(x, http.StatusInternalServerError, "INTERNAL")
			}
		})},
)
