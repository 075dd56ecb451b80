package a2a10

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// onFailure edits the statuses that end calls of gRPC.
func onFailure(edit func(*front.Failure)) func(*front.Parcel) {
	return func(p *front.Parcel) {
		if p.Failure != nil {
			edit(p.Failure)
		}
	}
}

// infoOf is what an error of the protocol says about itself; nil if it is none.
func infoOf(f *front.Failure) *errdetails.ErrorInfo {
	for _, detail := range f.Details {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info
		}
	}
	return nil
}

// onInfo edits what errors of the protocol say about themselves over gRPC.
func onInfo(edit func(f *front.Failure, info *errdetails.ErrorInfo)) func(*front.Parcel) {
	return onFailure(func(f *front.Failure) {
		if info := infoOf(f); info != nil {
			edit(f, info)
		}
	})
}

// grpcErrorMutants are about the form of errors (section 10.6).
var grpcErrorMutants = map[string]front.Mutant{
	"grpc-error-details-missing": {Grpc: onInfo(func(f *front.Failure, _ *errdetails.ErrorInfo) { f.Details = nil })},
	"grpc-error-domain-foreign":  {Grpc: onInfo(func(_ *front.Failure, info *errdetails.ErrorInfo) { info.Domain = "googleapis.com" })},
	"grpc-error-reason-in-full":  {Grpc: onInfo(func(_ *front.Failure, info *errdetails.ErrorInfo) { info.Reason = inFull(info.Reason) })},
}

// grpcStatus makes a mutant that sends an error of the protocol with another status.
func grpcStatus(name, variant, called string, code int, status codes.Code) front.Mutant {
	return front.Mutant{Name: name, Variant: variant, Summary: called + " comes with the gRPC status " + status.String() + ".",
		Grpc: onInfo(func(f *front.Failure, info *errdetails.ErrorInfo) {
			if info.Reason == faults[code].Reason {
				f.Code = status
			}
		})}
}

// grpcStatusMutants are about the statuses of errors (section 5.4), with those that the
// version before had.
var grpcStatusMutants = map[string]front.Mutant{
	"grpc-unknown-task-internal":               grpcStatus("grpc-unknown-task-internal", "", "TaskNotFoundError", TaskNotFound, codes.Internal),
	"grpc-not-cancelable-internal":             grpcStatus("grpc-not-cancelable-internal", "", "TaskNotCancelableError", taskNotCancelable, codes.Internal),
	"grpc-no-push-internal":                    grpcStatus("grpc-no-push-internal", "silent", "PushNotificationNotSupportedError", pushNotSupported, codes.Internal),
	"grpc-no-push-unimplemented":               grpcStatus("grpc-no-push-unimplemented", "silent", "PushNotificationNotSupportedError", pushNotSupported, codes.Unimplemented),
	"grpc-unsupported-internal":                grpcStatus("grpc-unsupported-internal", "", "UnsupportedOperationError", Unsupported, codes.Internal),
	"grpc-unsupported-unimplemented":           grpcStatus("grpc-unsupported-unimplemented", "", "UnsupportedOperationError", Unsupported, codes.Unimplemented),
	"grpc-content-type-internal":               grpcStatus("grpc-content-type-internal", "", "ContentTypeNotSupportedError", contentType, codes.Internal),
	"grpc-extended-card-unconfigured-internal": grpcStatus("grpc-extended-card-unconfigured-internal", "lavish", "ExtendedAgentCardNotConfiguredError", noExtendedCard, codes.Internal),
	"grpc-extension-required-internal":         grpcStatus("grpc-extension-required-internal", "extended", "ExtensionSupportRequiredError", extensionRequired, codes.Internal),
	"grpc-version-internal":                    grpcStatus("grpc-version-internal", "", "VersionNotSupportedError", versionUnknown, codes.Internal),
	"grpc-version-unimplemented":               grpcStatus("grpc-version-unimplemented", "", "VersionNotSupportedError", versionUnknown, codes.Unimplemented),
	"grpc-invalid-input-internal": {Grpc: onFailure(func(f *front.Failure) {
		if f.Code == codes.InvalidArgument && infoOf(f) == nil {
			f.Code = codes.Internal
		}
	})},
}
