package client

// a2xMutants spoil what A2X alone has.
var a2xMutants = []mutant{
	{name: "payment-without-task", dialect: "a2x-0.3", summary: "pays in a message without the id of the task",
		request: editMessages(func(_ *call, m object) {
			if getObject(m, "metadata")["x402.payment.payload"] != nil {
				delete(m, "taskId")
			}
		})},
}

// a2xEventMutants misread streams of A2X.
var a2xEventMutants = []mutant{
	{name: "events-unread", dialect: "a2x-0.3", variant: "reporting", summary: "reads no event, whether it has an envelope or not",
		habit: refuseResults(func(s *session, result object) error {
			if s.habits.streaming && s.usesStreams() {
				clear(result)
			}
			return nil
		})},
}
