package reference

import (
	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/a2a10"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/jaf03"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// What the tests of the whole server take from its rooms.
const (
	maxBody           = front.MaxBody
	apiKeyHeader      = front.APIKeyHeader
	extensionsHeader  = front.ExtensionsHeader
	paymentsExtension = front.PaymentsExtension

	codeInvalidParams  = front.CodeInvalidParams
	codeMethodNotFound = front.CodeMethodNotFound

	getPushMethod          = mutants.GetPushMethod
	setPushMethod          = mutants.SetPushMethod
	getPushConfigMethod    = a2a03.GetPushConfigMethod
	setPushConfigMethod    = a2a03.SetPushConfigMethod
	listPushConfigMethod   = a2a03.ListPushConfigMethod
	deletePushConfigMethod = a2a03.DeletePushConfigMethod
	extendedCardMethod     = a2a03.ExtendedCardMethod

	a2a03Provenance   = front.Provenance
	a2a03Second       = a2a03.Second
	a2a03TaskNotFound = a2a03.TaskNotFound
	a2a03Trace        = front.Trace
	a2a03Unsupported  = a2a03.Unsupported

	jaf03AuthenticationRequired = jaf03.AuthenticationRequired
	jaf03Exhausted              = jaf03.Exhausted
	jaf03PermissionDenied       = jaf03.PermissionDenied
	jaf03RateLimited            = jaf03.RateLimited
	jaf03TaskNotFound           = jaf03.TaskNotFound
)

var (
	at, has, num, object, text = front.At, front.Has, front.Num, front.Object, front.Text
	decode, encode             = front.Decode, front.Encode

	a2a03Service = a2a03.Service
	a2a10Service = a2a10.Service
)
