package front

// ExtensionsHeader names extensions: in a request those to activate, in a
// response those that are active.
const ExtensionsHeader = "X-A2A-Extensions"

// PaymentsExtension is the extension by which the variant paid demands money.
const PaymentsExtension = "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2"
