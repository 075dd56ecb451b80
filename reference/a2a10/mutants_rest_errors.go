package a2a10

import (
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
var restErrorMutants = map[string]front.Mutant{
	"rest-error-code-of-rpc":    {Rest: onReason(TaskNotFound, func(_ *front.Reply, e map[string]any) { e["code"] = TaskNotFound })},
	"rest-error-details-object": {Rest: onRestError(func(_ *front.Reply, e map[string]any) { front.Replace(e, "details", front.At(e, "details/0")) })},
	"rest-error-reason-in-full": {Rest: onRestInfo(func(_, info map[string]any) {
		info["reason"] = inFull(front.Text(info, "reason"))
	})},
}

// restStatus makes a mutant that sends an error of the protocol with another status.
func restStatus(name, variant, called string, code, status int, rpc string) front.Mutant {
	return front.Mutant{Name: name, Variant: variant, Summary: called + " comes with HTTP " + strconv.Itoa(status) + ".",
		Rest: onReason(code, func(x *front.Reply, _ map[string]any) { restated(x, status, rpc) })}
}

// restStatusMutants are about the statuses of errors (section 5.4), with those that the
// version before had.
var restStatusMutants = map[string]front.Mutant{
	"rest-unknown-task-500":               restStatus("rest-unknown-task-500", "", "TaskNotFoundError", TaskNotFound, 500, "INTERNAL"),
	"rest-not-cancelable-500":             restStatus("rest-not-cancelable-500", "", "TaskNotCancelableError", taskNotCancelable, 500, "INTERNAL"),
	"rest-not-cancelable-409":             restStatus("rest-not-cancelable-409", "", "TaskNotCancelableError", taskNotCancelable, 409, "FAILED_PRECONDITION"),
	"rest-no-push-500":                    restStatus("rest-no-push-500", "silent", "PushNotificationNotSupportedError", pushNotSupported, 500, "INTERNAL"),
	"rest-no-push-501":                    restStatus("rest-no-push-501", "silent", "PushNotificationNotSupportedError", pushNotSupported, 501, "UNIMPLEMENTED"),
	"rest-unsupported-501":                restStatus("rest-unsupported-501", "", "UnsupportedOperationError", Unsupported, 501, "UNIMPLEMENTED"),
	"rest-content-type-500":               restStatus("rest-content-type-500", "", "ContentTypeNotSupportedError", contentType, 500, "INTERNAL"),
	"rest-content-type-415":               restStatus("rest-content-type-415", "", "ContentTypeNotSupportedError", contentType, 415, "INVALID_ARGUMENT"),
	"rest-extended-card-unconfigured-500": restStatus("rest-extended-card-unconfigured-500", "lavish", "ExtendedAgentCardNotConfiguredError", noExtendedCard, 500, "INTERNAL"),
	"rest-extension-required-500":         restStatus("rest-extension-required-500", "extended", "ExtensionSupportRequiredError", extensionRequired, 500, "INTERNAL"),
	"rest-version-500":                    restStatus("rest-version-500", "", "VersionNotSupportedError", versionUnknown, 500, "INTERNAL"),
}
