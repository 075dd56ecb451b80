package serve

import "github.com/a2a-conform/a2a-conform/harness/adapter"

// paymentExtension is the extension by which agents of A2X ask for payments.
const paymentExtension = "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2"

// paymentPayload is the member of a message's metadata that has a payment, after the x402 extension.
const paymentPayload = "x402.payment.payload"

// payments are the scenarios in which a task asks for a payment: a cent of a test network, for an address without an owner. No payment is
// ever settled.
var payments = []Script{
	{Name: "payment", Twin: "hello", Dialects: []string{a2x03}, Needs: []string{WithExtension}, Extensions: []string{paymentExtension}, Do: []adapter.Command{{Do: adapter.Send}},
		Doc:    "The card offers the extension for payments. A task asks for a payment of one cent on a test network, and is completed by a message with one that has its id.",
		ByHand: "Have your application pay, if it can: nothing is settled.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.editCard = offerExtension(paymentExtension, false)
			s.on[sendingMessages] = func(c *call) {
				t := c.findNamedTask()
				switch {
				case t == nil:
					t = c.newTask(inputRequired)
					c.setStatusText(t, "This costs one cent.")
				case c.sent.Params.At("/message/metadata/"+paymentPayload) != nil && c.readState(t) == inputRequired:
					c.completeTask(t)
				}
				o := c.buildTask(t)
				if message, is := o["status"].(object)["message"].(object); is && c.readState(t) == inputRequired {
					message["metadata"] = writePaymentDemand()
				}
				c.sendResult(c.form.wrapNamed("task", o))
			}
		}},
}

// writePaymentDemand writes the metadata by which a task asks for a payment.
func writePaymentDemand() object {
	return object{"x402.payment.status": "payment-required", "x402.payment.required": object{"x402Version": 1, "accepts": []any{object{
		"scheme": "exact", "network": "base-sepolia", "maxAmountRequired": "10000", "resource": "https://conform.example.com/work", "description": "Made up for a test.",
		"mimeType": "text/plain", "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "payTo": "0x0000000000000000000000000000000000000001", "maxTimeoutSeconds": 60,
	}}}}
}
