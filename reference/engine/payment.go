package engine

// The metadata by which work is paid for, after the x402 extension.
const (
	paymentStatus  = "x402.payment.status"
	paymentDemand  = "x402.payment.required"
	paymentPayload = "x402.payment.payload"
)

// demandPaymentOrEcho does its work for money only: its task waits for a payment.
func (u *turn) demandPaymentOrEcho(string) {
	if !u.engine.o.Pays {
		u.completeTaskEchoingAnswer(u.text)
		return
	}
	m := u.newReply("This costs one cent.")
	m.Metadata = map[string]any{paymentStatus: "payment-required", paymentDemand: map[string]any{
		"x402Version": 1,
		"accepts": []any{map[string]any{
			"scheme": "exact", "network": "base-sepolia", "maxAmountRequired": "10000", "resource": "https://conform.example.com/work",
			"asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "payTo": "0x0000000000000000000000000000000000000001", "maxTimeoutSeconds": 60,
		}},
	}}
	u.announceStatus(Status{State: InputRequired, Message: m})
}

// isUnpaid reports whether a message to a task that waits leaves it unpaid.
func isUnpaid(t *task, m Message) bool {
	asked := t.Status.Message
	return asked != nil && asked.Metadata[paymentDemand] != nil && m.Metadata[paymentPayload] == nil
}
