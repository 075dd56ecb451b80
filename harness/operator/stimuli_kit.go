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

// PrefixStimuli are messages for agents that follow the prefixes of ACTS, the A2A Conformance Test Specification
// (section 11.2 of the draft, and tck-auth-required of its tests). Behaviours for which it has no prefix have no
// message, so that requirements about them stay undecided.
func PrefixStimuli() map[string]Stimulus {
	return map[string]Stimulus{
		"quick":    {Text: "tck-complete-task hello"},
		"slow":     {Text: "tck-long-running start", Seconds: 2},
		"ask":      {Text: "tck-multi-turn start", Answer: "done"},
		"fail":     {Text: "tck-task-failure"},
		"chunks":   {Text: "tck-stream-chunked"},
		"data":     {Text: "tck-artifact-data"},
		"message":  {Text: "tck-message-response hello"},
		"needauth": {Text: "tck-auth-required"},
	}
}
