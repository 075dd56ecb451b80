package main

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
)

// flagGroups are the flags of the commands that have many, by what they are about.
var flagGroups = []cli.FlagGroup{
	{Title: "What to judge", Flags: strings.Fields("self replay config dialect agent run skip area section level rerun-failed schema card-key disguise")},
	{Title: "How the client is started or served", Flags: strings.Fields("scenario list adapter keep with declare hook variant text second dir listen one-port tls-cert tls-key env")},
	{Title: "What passes, and what is recorded", Flags: strings.Fields("upstream host rewrite only sample hold side page bodies")},
	{Title: "How to reach the server", Flags: strings.Fields("card rpc url binding trust-host proxy ca insecure through upstream-listen upstream-variant webhook-listen webhook-url webhook-cert webhook-key")},
	{Title: "Credentials and headers", Flags: strings.Fields("bearer-env basic-env api-key-env api-key-header header client-cert client-key")},
	{Title: "What to send", Flags: strings.Fields("stimuli transport strict literal var try examples never-unseen allow allow-disruptive trace max-messages plan")},
	{Title: "Output", Flags: strings.Fields("out write ci force format json quiet verbose open history")},
	{Title: "Gate and waivers", Flags: strings.Fields("gate waivers sdk")},
	{Title: "Certificate", Flags: strings.Fields("sign nonce")},
	{Title: "What the bundled server does", Flags: strings.Fields("addr grpc-addr ca-out mutant list-mutants latency rtt rate serial")},
	{Title: "Time limits and concurrency", Flags: strings.Fields("watch wait timeout deadline concurrency jobs patience")},
}
