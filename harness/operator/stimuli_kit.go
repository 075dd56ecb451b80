package operator

// KitStimuli are messages for agents that were prepared for the official
// compatibility kit of A2A 0.3.0, which asks an agent to keep a task at work for
// four seconds if the id of a message begins in a certain way, and nothing
// else. All other messages are processed as they would be without the kit.
func KitStimuli() map[string]Stimulus {
	return map[string]Stimulus{
		"quick": {Text: "echo hello", MessageID: "test-message-id-"},
		"slow":  {Text: "slow", MessageID: "test-resubscribe-message-id-", Seconds: 4},
	}
}
