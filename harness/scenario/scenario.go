// Package scenario lists the scenarios: the conversations with the server under test. A
// scenario decides its next request from what it observed and records that decision; it never
// judges. The packages below have the scenarios by area, one in each file; trial.go has those that
// differ only in what their message carries.
package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/scenario/auth"
	"github.com/a2a-conform/a2a-conform/harness/scenario/directory"
	"github.com/a2a-conform/a2a-conform/harness/scenario/endpoint"
	"github.com/a2a-conform/a2a-conform/harness/scenario/limits"
	"github.com/a2a-conform/a2a-conform/harness/scenario/malformed"
	"github.com/a2a-conform/a2a-conform/harness/scenario/message"
	"github.com/a2a-conform/a2a-conform/harness/scenario/push"
	"github.com/a2a-conform/a2a-conform/harness/scenario/stream"
	"github.com/a2a-conform/a2a-conform/harness/scenario/task"
	"github.com/a2a-conform/a2a-conform/schema"
)

// inOrder is the code of the scenarios that are played before the blocks of probes, in order.
var inOrder = []conversation.Scenario{
	message.Quick, message.Unknown, stream.Stream, stream.StreamFault, task.Slow, task.Cancel,
	task.Stays, stream.Drop, stream.Resubscribe, stream.TwoStreams, stream.CancelStream,
	stream.Chunks, task.Ask, task.AskStream, task.Fail, task.History, task.TwoTasks, task.Sessions,
	task.Finished, message.Unsupported, push.Push, push.Replaced, message.KitchenSink,
	message.NullMembers, message.PartKinds, message.OutputHint, auth.TLSVersions, auth.PlainHTTP,
	endpoint.Agents, message.ForeignLetters, task.Turns, stream.CancelReason,
	task.Deadline, auth.Guard, auth.Schemes, auth.Anonymous, auth.NeedAuth, limits.Heavy,
	limits.Sizes, limits.Counted, limits.Together, limits.Crowd, limits.Long, limits.Flood, message.Talk,
	message.OutputModes, task.ForeignContext, message.Artifact, message.Extensions,
	endpoint.Interfaces, message.RequiredExtensions, endpoint.OlderVersion, endpoint.Tenants,
	endpoint.Paths, push.Configs, push.Several, push.Asked, push.Failing, push.Trouble,
	stream.Followed, stream.Followers, auth.ExtendedCard, limits.Large, message.Payment,
	auth.OpenCard, endpoint.CachedCard, message.Waiting, message.Repeated, message.OwnContext,
	task.Endings, task.List, endpoint.Crosswise, directory.Lookup, directory.Directory,
	directory.AgentTasks,
}

// All returns the scenarios that a dialect allows, in the order in which their
// plays stand in the transcript.
func All(d *schema.Dialect) []conversation.Scenario {
	var out []conversation.Scenario
	all := declared()
	for _, code := range inOrder {
		s := all[code.Name]
		switch s.Name {
		case limits.Crowd.Name:
			if d.Crowd > 0 && d.Crowd <= limits.SharedCrowd {
				s.Class, s.Parallel, s.Burst, s.Sends = conversation.Shared, d.Crowd, d.Crowd, 2*d.Crowd
			}
		case task.Ask.Name:
			if d.Has("list") { // the waiting task is canceled, so that a list shows it
				s.After, s.Reuses = nil, nil
			}
		case task.ForeignContext.Name:
			if d.Has("list") {
				s.Sends, s.Chain = 3, 1
			}
		case auth.NeedAuth.Name:
			if w, err := dialect.For(d.Name); err == nil && w.Unlocks {
				s.Sends, s.Chain, s.Parallel = 2, 1, 2
			}
		}
		if s.Possible(d) {
			out = append(out, s)
		}
	}
	for _, b := range d.Blocks {
		s := malformed.NewProbeScenario(d, b)
		if d.Directory.List != "" {
			s = directory.NewProbeScenario(d, b)
		}
		if b.Binding == "" || s.Possible(d) {
			out = append(out, s)
		}
	}
	if s := all[limits.Nested.Name]; s.Possible(d) { // after the malformed calls, which keep no agent busy
		out = append(out, s)
	}
	return out
}
