// Package reference is the bundled server: a second reading of the protocols, which
// the suite is tested against. It speaks every dialect, in healthy variants and, for
// proofs, with one named defect at a time. It shares nothing with the suite.
//
// What all dialects have in common is in front, one wire format is in each of the
// folders named after a dialect, and mutants has the defects that several share.
package reference

import (
	"context"

	"github.com/a2a-conform/a2a-conform/reference/a2a01"
	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/a2a10"
	"github.com/a2a-conform/a2a-conform/reference/a2x03"
	"github.com/a2a-conform/a2a-conform/reference/core"
	"github.com/a2a-conform/a2a-conform/reference/directory01"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/jaf03"
)

var protocols = front.Protocols{a2a01.Dialect, a2a03.Dialect, a2a10.Dialect, a2x03.Dialect, jaf03.Dialect, core.Dialect, directory01.Dialect}

type (
	// Options choose the server to start.
	Options = front.Options
	// A Server is a running reference server.
	Server = front.Server
	// A Rate is how many calls a client may make in a window of time.
	Rate = front.Rate
	// MutantInfo describes a faulty server.
	MutantInfo = front.MutantInfo
)

// Credentials that the variants with a guard know.
const (
	Token       = front.Token
	SecondToken = front.SecondToken
	LowToken    = front.LowToken
	Key         = front.Key
	SecondBasic = front.SecondBasic
)

// Hasty are the time limits of the variant hasty, which need no long wait.
var Hasty = front.Hasty

// CoreSchema is the JSON Schema of the parts that several protocols share.
var CoreSchema = core.Schema

// CardKey is the public key by which the card of the variant signed of a2a-1.0 can be
// verified, in PEM form (A2A 1.0.1, section 8.4.3). Its signature ES256 names it.
func CardKey() []byte { return a2a10.PublicKey() }

// CardKeys are the public keys of all signatures of that server, as a JSON Web Key Set.
func CardKeys() []byte { return a2a10.PublicKeys() }

// Start listens and serves until Close, or until ctx ends.
func Start(ctx context.Context, o Options) (*Server, error) { return protocols.Start(ctx, o) }

// DefaultDialect is the protocol of a server whose Options name none.
const DefaultDialect = "a2a-1.0"

// Dialects returns the names of the protocols the server can speak.
func Dialects() []string { return protocols.Names() }

// Variants returns the names of the healthy servers of a dialect.
func Variants(dialect string) []string { return protocols.Variants(dialect) }

// Mutants returns the faulty servers of a dialect, sorted by name.
func Mutants(dialect string) []MutantInfo { return protocols.Mutants(dialect) }
