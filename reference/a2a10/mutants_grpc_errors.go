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
var grpcErrorMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-error-details-missing", Summary: "An error of the protocol has no details.",
		Grpc: onInfo(func(f *front.Failure, _ *errdetails.ErrorInfo) { f.Details = nil })},
	front.Mutant{Name: "grpc-error-domain-foreign", Summary: "The domain of an ErrorInfo is googleapis.com.",
		Grpc: onInfo(func(_ *front.Failure, info *errdetails.ErrorInfo) { info.Domain = "googleapis.com" })},
	front.Mutant{Name: "grpc-error-reason-in-full", Summary: "The reason of an ErrorInfo is the name of the error, such as TaskNotFoundError.",
		Grpc: onInfo(func(_ *front.Failure, info *errdetails.ErrorInfo) { info.Reason = inFull(info.Reason) })},
)

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
var grpcStatusMutants = front.InArea("grpc",
	grpcStatus("grpc-unknown-task-internal", "", "TaskNotFoundError", TaskNotFound, codes.Internal),
	grpcStatus("grpc-not-cancelable-internal", "", "TaskNotCancelableError", taskNotCancelable, codes.Internal),
	grpcStatus("grpc-no-push-internal", "silent", "PushNotificationNotSupportedError", pushNotSupported, codes.Internal),
	grpcStatus("grpc-no-push-unimplemented", "silent", "PushNotificationNotSupportedError", pushNotSupported, codes.Unimplemented),
	grpcStatus("grpc-unsupported-internal", "", "UnsupportedOperationError", Unsupported, codes.Internal),
	grpcStatus("grpc-unsupported-unimplemented", "", "UnsupportedOperationError", Unsupported, codes.Unimplemented),
	grpcStatus("grpc-content-type-internal", "", "ContentTypeNotSupportedError", contentType, codes.Internal),
	grpcStatus("grpc-extended-card-unconfigured-internal", "lavish", "ExtendedAgentCardNotConfiguredError", noExtendedCard, codes.Internal),
	grpcStatus("grpc-extension-required-internal", "extended", "ExtensionSupportRequiredError", extensionRequired, codes.Internal),
	grpcStatus("grpc-version-internal", "", "VersionNotSupportedError", versionUnknown, codes.Internal),
	grpcStatus("grpc-version-unimplemented", "", "VersionNotSupportedError", versionUnknown, codes.Unimplemented),
	front.Mutant{Name: "grpc-invalid-input-internal", Summary: "What is wrong with a request is told with the gRPC status Internal.",
		Grpc: onFailure(func(f *front.Failure) {
			if f.Code == codes.InvalidArgument && infoOf(f) == nil {
				f.Code = codes.Internal
			}
		})},
)
