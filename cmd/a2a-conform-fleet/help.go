package main

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
)

// flagGroups are the flags of the subcommands that have many, by what they are about.
var flagGroups = []cli.FlagGroup{
	{Title: "What to judge", Flags: strings.Fields("file every schedule dialect")},
	{Title: "How to reach the server", Flags: strings.Fields("ca webhook-listen webhook-url")},
	{Title: "What to send", Flags: strings.Fields("allow")},
	{Title: "Output", Flags: strings.Fields("out json quiet rounds")},
	{Title: "Gate and waivers", Flags: strings.Fields("gate")},
	{Title: "Time limits and concurrency", Flags: strings.Fields("watch timeout deadline workers parallel isolate lease once")},
	{Title: "What an entry may ask for", Flags: strings.Fields("allow-network secrets")},
	{Title: "Politeness, over all workers", Flags: strings.Fields("per-host per-second runs-per-second")},
	{Title: "What is kept", Flags: strings.Fields("keep keep-rounds keep-bytes max-bytes")},
	{Title: "The broker", Flags: strings.Fields("data nats nats-creds nats-token-env nats-ca nats-cert nats-key replicas")},
}
