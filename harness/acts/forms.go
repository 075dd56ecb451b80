package acts

// Form is a form that documents in use have although the grammar of the draft has no such form, or although the
// draft leaves open what it means.
type Form struct {
	Name string
	Has  string // what documents have
	Read string // how it is read
	// Grammatical is set if the grammar permits the form, and only its meaning is open. The strict mode accepts it.
	Grammatical bool
}

// The names of the forms.
const (
	formErrorCode         = "error-code"
	formErrorUntyped      = "error-untyped"
	formErrorData         = "error-data"
	formOperationName     = "operation-name"
	formItems             = "items"
	formEmptyList         = "empty-list"
	formBareExpect        = "bare-expect"
	formStatusError       = "status-error"
	formBodyOperators     = "body-operators"
	formOneOfAssertions   = "one-of-assertions"
	formRawStream         = "raw-stream"
	formUndefinedVariable = "undefined-variable"
	formExtendedCard      = "extended-card"
	formMessageIDs        = "message-ids"
	formBareEvent         = "bare-event"
	formWebhook           = "webhook"
	formUnknownName       = "unknown-name"
	formEmptyValue        = "empty-value"
)

// Forms is the closed table of forms beyond the grammar. A document in any other form is refused.
var Forms = []Form{
	{formErrorCode, "expect_error has code", "as error_type", false},
	{formErrorUntyped, "expect_error has no error_type", "any error will do", false},
	{formErrorData, "expect_error has data", "as what the binding has of the error besides code and message: data of JSON-RPC, details of HTTP+JSON and gRPC", false},
	{formOperationName, "an operation has a name of another draft, such as set_push_notification_config", "as the operation of the grammar", false},
	{formItems, "items is among the operators", "a map describes every element, and a list the first elements in their order", false},
	{formEmptyList, "requires_behaviors is an empty list", "as if the key were not there", false},
	{formBareExpect, "expect has members other than status and body", "as members of body; error: {exists: true} means that the call is refused", false},
	{formStatusError, "expect.status is error", "the call is refused, by whatever error", false},
	{formBodyOperators, "operators are in the place of the members of a body or an event", "as operators on the whole", false},
	{formOneOfAssertions, "one_of lists assertions", "as any_of", false},
	{formRawStream, "a raw step has expect_stream", "each event is what its data holds, with its envelope", false},
	{formUndefinedVariable, "a variable is used that nothing defines", "its value is that of --var; without it the test is skipped", false},
	{formExtendedCard, "get_agent_card has the parameter extended", "as get_extended_agent_card", true},
	{formMessageIDs, "send_message has taskId or contextId next to message", "as members of the message, which has them in A2A 1.0", true},
	{formBareEvent, "an event is described without the member that holds it", "the description is about what that member holds", true},
	{formWebhook, "a push configuration has the URL of another host", "our own webhook takes its place, unless --var webhookUrl names that host", true},
	{formUnknownName, "parameters have a member of which A2A knows nothing", "as it is written; --strict refuses it if it is like a name of A2A, unless --literal names it", true},
	{formEmptyValue, "a member has no value after its colon", "as null; what it should hold may be indented too little", true},
}

// findForm returns the form of a name.
func findForm(name string) Form {
	for _, f := range Forms {
		if f.Name == name {
			return f
		}
	}
	panic("there is no form " + name)
}

// earlierOperationNames are names of operations in other drafts, with those of the grammar.
var earlierOperationNames = map[string]string{
	"set_push_notification_config":    "create_push_config",
	"get_push_notification_config":    "get_push_config",
	"list_push_notification_configs":  "list_push_configs",
	"delete_push_notification_config": "delete_push_config",
}
