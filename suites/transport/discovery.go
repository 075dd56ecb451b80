// Package transport judges what every dialect shares: whether a server can be recognised, and how
// it answers as a party of HTTP, whatever its protocol says.
package transport

// Discoverable is the requirement that all dialects share, which fails if nothing of an A2A
// server was found. It belongs to no catalogue.
const Discoverable = "A2A-DISC-000"

// DiscoverableStatement is what it asks.
const DiscoverableStatement = "The server can be recognised as an A2A server: it publishes an agent card or answers JSON-RPC."
