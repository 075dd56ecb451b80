// Package rpc judges calls and answers as such: their envelope, their errors, and HTTP below them.
package rpc

import (
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("envelope/response", "every reply to a call is a JSON-RPC response object", checkRepliesAreRPCResponses),
		judge.Define("envelope/echoes-id", "the reply has the id of the call", checkEchoedID),
		judge.Define("envelope/null-id", "the reply to a call whose id could not be read has id null", checkReplyIDIsNull),
		judge.Define("envelope/own-or-null-id", "the reply has the id of the call or null", checkReplyIDOwnOrNull),
		judge.Define("envelope/null-call", "a call with id null gets id null, if it gets a reply", checkNullIDEchoed),
		judge.Define("envelope/no-error-beside-result", "a reply with a result has no error member", checkNoErrorWithResult),
		judge.Define("envelope/no-result-beside-error", "a reply with an error has no result member", checkNoResultWithError),
		judge.Define("envelope/integer-code", "error.code is an integer", checkIntegerCode),
		judge.Define("envelope/concise-message", "error.message is one concise sentence", checkConciseMessage),
		judge.Define("envelope/error-data", "error.data may have any JSON type", checkErrorDataParsable),
		judge.Define("envelope/notification", "a notification gets no response object", checkNotificationUnanswered),
		judge.Define("envelope/batch", "a batch is answered by one response for each call", checkBatchAnsweredOrRefused),

		judge.Define("errors/refused", "a call is refused, with one of the named errors; it is only a finding that malformed params are accepted, if the specification does not ask servers to validate", checkRefused),
		judge.Define("errors/code", "the error of a refused call has one of the named codes", checkRefusalHasRequiredCode),
		judge.Define("errors/no-internal", "no malformed call is answered as a fault of the server", checkMalformedNotInternalError),
		judge.Define("errors/unknown-task", "a call about an unknown task does not report an ordinary task", checkUnknownTaskNotServed),
		judge.Define("errors/stays-finished", "a call does not change the state of a task that has ended", checkEndedTaskKeepsState),
		judge.Define("errors/code-range", "every error code is a standard one or within the server's range", checkStandardOrServerCode),
		judge.Define("errors/request-id", "the id of the call in the data of an error is that of the call", checkErrorDataIDMatches),
		judge.Define("errors/alive", "the server goes on serving after malformed calls", checkServedAfterMalformedCalls),

		judge.Define("errors/coded", "every error has a code that says which error it is", checkErrorsHaveCode),
		judge.Define("errors/worded", "every error has a message for people", checkErrorMessagesAreStrings),
		judge.Define("errors/details-list", "the details of an error are a list of objects that each name their type", checkDetailsAreTypedList),
		judge.Define("errors/details-typed", "each object in the details of an error names its type", checkDetailsTyped),
		judge.Define("errors/info", "an error that the protocol names is described by an ErrorInfo; a missing one is a finding", noteErrorsWithoutInfo),
		judge.Define("errors/info-domain", "the ErrorInfo of an error that the protocol names has the protocol's domain", checkInfoDomain),
		judge.Define("errors/info-reason", "the ErrorInfo of an error that the protocol names has the reason of that error", checkInfoReason),
		judge.Define("errors/info-metadata", "the metadata of an ErrorInfo are strings by name", checkInfoMetadata),
		judge.Define("errors/violations", "an error about bad params lists them in a BadRequest; a missing one is a finding", checkFieldViolationsAreObjects),
		judge.Define("errors/names-member", "an error about bad params names the member that is wrong", checkErrorNamesFaultyMember),
		judge.Define("errors/number", "an error that is provoked, or that names itself, has the number that the protocol gives it", checkCodeOfNamedError),

		judge.Define("transport/answers", "the endpoint answers a call with a JSON-RPC response", checkCallGetsWholeReply),
		judge.Define("transport/one-answers", "a call is answered by the protocol at one interface at least", checkSomeInterfaceAnswers),
		judge.Define("transport/media-type", "replies of a kind have the media type application/json", checkMediaType),
		judge.Define("transport/utf-8", "what is sent as JSON is well-formed UTF-8", checkUTF8),
		judge.Define("transport/letters-kept", "letters of every script come back as they were sent", checkIDAndContextEchoed),
		judge.Define("transport/charset", "a charset that is named is UTF-8", checkNamedCharsetIsUTF8),
		judge.Define("transport/one-document", "a reply is one JSON-RPC response object and nothing else", checkBodyIsOneRPCResponse),
		judge.Define("transport/status", "accepted calls are answered with the HTTP status", checkAcceptedCallStatus),
		judge.Define("transport/no-fault", "an unusual call leads to no fault of the server", observe.CheckAnsweredOrderly),
		judge.Define("transport/not-executed", "a call that came by another HTTP method is not executed", checkNonPOSTNotExecuted),
		judge.Define("transport/tls-offered", "an https endpoint accepts a modern handshake", checkModernTLSAccepted),
		judge.Define("transport/tls-refused", "an https endpoint refuses an outdated handshake", checkOutdatedTLSRefused),
		judge.Define("transport/tls-versions", "an https endpoint offers today's TLS and refuses what was given up", checkNewTLSServedOldRefused),
		judge.Define("transport/strict", "what is answered over https tells clients to stay with it", checkSomeResponseHasHSTS),
		judge.Define("transport/https-only", "a production endpoint is offered over https only", checkHTTPSAddressAndCall),

		judge.Define("version/words", "the answer to a call has the form of the version that the call names", checkVersionSpecificValues),
		judge.Define("version/unnamed", "a call that names no version gets an orderly answer; it is a finding if it is served as one of the current version", checkVersionlessCallAnswered),
		judge.Define("version/named", "the refusal of a version names a version that is served; it is a finding if it does not", noteErrorsWithoutServedVersion),
		judge.Define("version/older", "an endpoint of an older version serves a call of that version", checkOlderVersionServed),
		judge.Define("version/unmixed", "an answer of an endpoint of an older version has no members of the current one", checkOldReplyLacksNewStates),

		judge.Define("tenant/apart", "the task of one tenant is not seen through another", checkTaskHiddenFromOtherTenant),
		judge.Define("tenant/kept", "a webhook is set and read for the tenant that the calls name", checkShownWebhookTenantMatches),

		judge.Define("http/status", "a call is answered with one of the HTTP statuses", checkHTTPStatus),
		judge.Define("rest/begins", "the paths of the operations begin at the address of the interface", checkSomeRESTPathServed),
		judge.Define("rest/labelled", "what is answered has the media type of the binding", checkRESTMediaType),
		judge.Define("rest/json", "a call that succeeds is answered with JSON, if with anything", checkRESTJSON),
		judge.Define("rest/label-taken", "a body with a media type of the binding is accepted", checkRequestMediaTypeAccepted),
		judge.Define("rest/succeeds", "results come with an HTTP status of success, and errors with another", checkHTTPStatusFitsOutcome),
		judge.Define("rest/decoded", "a query in which everything is percent-encoded is read as the plain one", checkQueryDecoded),
		judge.Define("rest/holds", "a result is held by a member that is named after its sort", checkResultHasGivenMember),
		judge.Define("rest/holds-one", "an answer or an event is an object with exactly one of the members", checkExactlyOneResultMember),
		judge.Define("rest/core", "a result holds what a task or a message holds, by the names of the text or of the proto file", checkRESTCoreObjectMembers),
		judge.Define("transport/header-read", "what a header says of a call is read from there", checkHeaderValueHonored),
		judge.Define("rest/guarded", "who shows no credentials, and who may not make a call, is told so by the HTTP status", checkUnauthorizedRESTRefused),
		judge.Define("rest/events", "a stream consists of server-sent events whose data is JSON", checkRESTStreamsSendSSE),
		judge.Define("rest/bare-events", "the events of a stream have no envelope", checkEventsWithoutEnvelope),

		judge.Define("rest/error-object", "a call that fails is answered with an object that describes the error", checkRefusalHasErrorObject),
		judge.Define("rest/code", "the code of an error is the HTTP status that it comes with", checkErrorCodeIsHTTPStatus),
		judge.Define("rest/status-name", "an error has the name that google.rpc gives its code", checkErrorStatusNameKnown),
		judge.Define("errors/info-present", "an error that the protocol names has an ErrorInfo", checkErrorInfoPresent),
		judge.Define("rest/one-shape", "errors are JSON objects that have members in common", checkErrorsShareMember),
		judge.Define("rest/told", "an error says by its code or its name which one it is", checkErrorHasProtocolName),
		judge.Define("rest/error-status", "an error of the protocol comes with the HTTP status that it has there", checkErrorHTTPStatus),

		judge.Define("grpc/served", "the service is there: one of its methods at least is known", checkSomeGRPCMethodServed),
		judge.Define("grpc/encoded", "the bytes of messages are what the proto file describes", checkGRPCEncodingToleratingUnknowns),
		judge.Define("grpc/secured", "calls travel over TLS; unless your configuration sets production, calls without TLS are only a finding", checkGRPCOverTLS),
		judge.Define("grpc/one-payload", "each message of a stream holds one thing", checkOnePayload),
		judge.Define("grpc/empty", "a call that returns nothing is answered with a message without fields", checkGRPCReplyEmpty),
		judge.Define("grpc/bare-ids", "an id is not the name of a resource", checkTaskIDNotResourceName),
		judge.Define("grpc/counted", "a page says how many tasks it has, and how many there are in all", checkListCountsNotZero),
		judge.Define("grpc/dropped", "a connection outlives a stream that a client gives up", checkStreamCancelKeepsConnection),
		judge.Define("grpc/error-status", "an error of the protocol comes with the status that it has there", checkGRPCErrorStatus),
		judge.Define("grpc/status", "a call is answered with one of the statuses", checkRefusalGRPCStatus),
		judge.Define("grpc/fails", "a call ends with a status that is not OK; one that does not say why is a finding", checkGRPCStatusNotOK),
		judge.Define("grpc/guarded", "the status tells callers that they need credentials, or that they may not make the call", checkUnauthorizedGRPCRefused),
		judge.Define("grpc/named-values", "values of an enum have a name, and not the name for an unspecified value", checkEnumValuesNamed),
	}
}
