package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
)

// defaultFleet is the folder of the embedded broker.
const defaultFleet = "a2a-fleet"

// brokerFlags are the flags that locate the broker of a fleet.
type brokerFlags struct {
	dial     broker.ConnectOptions
	tokenEnv string
}

func (b *brokerFlags) registerFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&b.dial.Data, "data", defaultFleet, "folder of the embedded broker")
	fl.StringVar(&b.dial.URL, "nats", "", "URL of a NATS broker or cluster that exists, in place of the embedded one; several separated by commas")
	fl.StringVar(&b.dial.Creds, "nats-creds", "", "credentials file for it")
	fl.StringVar(&b.tokenEnv, "nats-token-env", "", "environment variable with a token for it")
	fl.StringVar(&b.dial.CA, "nats-ca", "", "PEM file of the authorities of its certificate")
	fl.StringVar(&b.dial.Cert, "nats-cert", "", "PEM file of the client certificate to show it")
	fl.StringVar(&b.dial.Key, "nats-key", "", "PEM file of that certificate's key")
	fl.IntVar(&b.dial.Replicas, "replicas", 0, "keep everything on so many nodes of a cluster (default: as it is, or 1)")
}

// connectFleet reaches the broker. If it is away, the command waits and reports it.
func (b *brokerFlags) connectFleet(cmd *cobra.Command, clientName string) (*fleet.Fleet, error) {
	if err := b.checkFlagsReadTokenEnv(cmd); err != nil {
		return nil, err
	}
	d := b.dial
	d.Name, d.Log = clientName, logLinesTo(cmd.ErrOrStderr())
	return fleet.Connect(cmd.Context(), d)
}

func (b *brokerFlags) checkFlagsReadTokenEnv(cmd *cobra.Command) error {
	if b.dial.URL != "" && cmd.Flags().Changed("data") {
		return errors.New("--data names the embedded broker, and --nats another one; leave one of them out")
	}
	if b.dial.URL == "" {
		for _, name := range []string{"nats-creds", "nats-token-env", "nats-ca", "nats-cert", "nats-key"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is about a broker that exists; give --nats URL as well", name)
			}
		}
	}
	if b.dial.Replicas < 0 || b.dial.Replicas > 5 {
		return errors.New("--replicas is a number from 1 to 5")
	}
	if b.tokenEnv != "" {
		if b.dial.Token = os.Getenv(b.tokenEnv); b.dial.Token == "" {
			return fmt.Errorf("--nats-token-env: the environment variable %s is not set", b.tokenEnv)
		}
	}
	return nil
}

// givenFlags returns the flags about the broker as a child process takes them.
func (b *brokerFlags) givenFlags(cmd *cobra.Command) []string {
	return flagsGiven(cmd, strings.Fields("data nats nats-creds nats-token-env nats-ca nats-cert nats-key replicas"))
}

func brokerCommand() *cobra.Command {
	var b broker.Server
	var child bool
	cmd := &cobra.Command{
		Use:   "broker --data DIR",
		Short: "Run the embedded broker: the queue and the results, in a folder",
		Long: `broker runs an embedded NATS server with JetStream. It is the only process that holds the folder; it writes its address and a token
into that folder (broker.json, mode 0600), by which the other commands find it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := withExitAtStdinEnd(cmd, child)
			defer stop()
			b.Log = logLinesTo(cmd.ErrOrStderr())
			cli.AimBelow(brokerMemory, 100)
			if child {
				b.DisconnectTimeout = brokerGracePeriod
			}
			return b.Serve(ctx)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&b.Data, "data", defaultFleet, "folder of everything that is kept")
	fl.StringVar(&b.Listen, "listen", "", "HOST:PORT to listen at (default: a free port of 127.0.0.1); for other machines, with TLS")
	fl.StringVar(&b.Cert, "tls-cert", "", "PEM file of a certificate, to speak TLS")
	fl.StringVar(&b.Key, "tls-key", "", "PEM file of that certificate's key")
	fl.Var((*bytesFlag)(&b.MaxBytes), "max-bytes", "keep no more than this in all, such as 50GB (default: what the disk holds)")
	fl.BoolVar(&child, "attended", false, "")
	fl.MarkHidden("attended")
	return cmd
}

// brokerMemory is what the broker tries to stay below, in bytes.
const brokerMemory = 512 << 20
