package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manyFlags is how many flags a command has at most that are shown in one list.
const manyFlags = 10

// flagGroups are the flags of the commands that have many, by what they are about. A
// flag stands in one of them.
var flagGroups = []struct {
	title string
	flags []string
}{
	{"What to judge", strings.Fields("self file every schedule config dialect agent run skip area section level rerun-failed schema card-key disguise")},
	{"How to reach the server", strings.Fields("card rpc url binding trust-host ca insecure webhook-listen webhook-url webhook-cert webhook-key")},
	{"Credentials and headers", strings.Fields("bearer-env basic-env api-key-env api-key-header header client-cert client-key")},
	{"What to send", strings.Fields("stimuli try examples allow allow-disruptive plan")},
	{"Output", strings.Fields("out format json quiet verbose open never-unseen rounds")},
	{"Gate and waivers", strings.Fields("gate waivers")},
	{"Certificate", strings.Fields("sign nonce")},
	{"Time limits and concurrency", strings.Fields("watch wait timeout deadline concurrency workers parallel isolate lease once")},
	{"What an entry may ask for", strings.Fields("allow-network secrets")},
	{"Politeness, over all workers", strings.Fields("per-host per-second runs-per-second")},
	{"What is kept", strings.Fields("keep keep-rounds keep-bytes max-bytes")},
	{"The broker", strings.Fields("data nats nats-creds nats-token-env nats-ca nats-cert nats-key replicas")},
}

// ownFlags are the flags of a command without that for help, which every command has.
func ownFlags(cmd *cobra.Command) (out []*pflag.Flag) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden {
			out = append(out, f)
		}
	})
	return out
}

// groupHelp has a command with many flags show them in groups.
func groupHelp(cmd *cobra.Command) {
	if len(ownFlags(cmd)) > manyFlags {
		cmd.SetUsageFunc(groupedUsage)
	}
}

func groupedUsage(cmd *cobra.Command) error {
	const width = 120
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
	left := map[string]*pflag.Flag{}
	for _, f := range ownFlags(cmd) {
		left[f.Name] = f
	}
	show := func(title string, set *pflag.FlagSet) {
		if set.HasFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", title, set.FlagUsagesWrapped(width))
		}
	}
	for _, g := range flagGroups {
		set := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
		set.SortFlags = false // those that belong together stand together
		for _, name := range g.flags {
			if f := left[name]; f != nil {
				set.AddFlag(f)
				delete(left, name)
			}
		}
		show(g.title, set)
	}
	others := pflag.NewFlagSet("others", pflag.ContinueOnError)
	for _, f := range left {
		others.AddFlag(f)
	}
	show("Other", others)
	_, err := fmt.Fprint(cmd.OutOrStderr(), b.String())
	return err
}
