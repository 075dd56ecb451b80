package e2e

// bindingNotes are about HTTP+JSON and gRPC. What N26 says of the verbs by which a stream is
// subscribed to over HTTP+JSON is tried in harness/rest_test.go (TestEitherRouteWillDo).
var bindingNotes = []note{
	{"N02 statuses of HTTP that changed", []reading{
		{is: "as they are today", want: map[string]string{"REST-STATUS-002": "pass"}},
		{is: "of a task that cannot be canceled, as before", mutant: "rest-not-cancelable-409", want: map[string]string{"REST-STATUS-002": "finding"}},
		{is: "of a media type, as before", mutant: "rest-content-type-415", want: map[string]string{"REST-STATUS-005": "finding"}},
		{is: "of webhooks that are not supported, as before", variant: "silent", mutant: "rest-no-push-501", want: map[string]string{"REST-STATUS-003": "finding"}},
		{is: "neither", mutant: "rest-not-cancelable-500", want: map[string]string{"REST-STATUS-002": "fail"}},
	}},
	{"N02 statuses of gRPC that changed", []reading{
		{is: "as they are today", grpc: true, want: map[string]string{"GRPC-STATUS-004": "pass", "GRPC-STATUS-008": "pass"}},
		{is: "of an operation that is not supported, as before", grpc: true, mutant: "grpc-unsupported-unimplemented", want: map[string]string{"GRPC-STATUS-004": "finding"}},
		{is: "of a version, as before", grpc: true, mutant: "grpc-version-unimplemented", want: map[string]string{"GRPC-STATUS-008": "finding"}},
		{is: "of webhooks that are not supported, as before", grpc: true, variant: "silent", mutant: "grpc-no-push-unimplemented", want: map[string]string{"GRPC-STATUS-003": "finding"}},
		{is: "neither", grpc: true, mutant: "grpc-version-internal", want: map[string]string{"GRPC-STATUS-008": "fail"}},
	}},
	{"N03 ErrorInfo over HTTP+JSON and gRPC", []reading{
		{is: "there", grpc: true, want: map[string]string{"REST-ERR-006": "pass", "GRPC-ERR-001": "pass"}},
		{is: "left out over HTTP+JSON", mutant: "rest-error-details-empty", want: map[string]string{"REST-ERR-006": "fail"}},
		{is: "left out over gRPC", grpc: true, mutant: "grpc-error-details-missing", want: map[string]string{"GRPC-ERR-001": "fail"}},
	}},
	{"N23 the type of answers over HTTP+JSON", []reading{
		{is: "of the protocol", want: map[string]string{"REST-FMT-001": "pass"}},
		{is: "of the edition before", mutant: "rest-labelled-json", want: map[string]string{"REST-FMT-001": "finding"}},
		{is: "a page's", mutant: "rest-labelled-html", want: map[string]string{"REST-FMT-001": "fail"}},
	}},
	{"N38 the tenant in the path", []reading{
		{is: "not on the card", want: map[string]string{"TENANT-003": "not-applicable"}},
		{is: "read", variant: "tenanted", want: map[string]string{"TENANT-003": "pass"}},
		{is: "not read", variant: "tenanted", mutant: "rest-tenant-path-missing", want: map[string]string{"TENANT-003": "fail"}},
	}},
}
