// Package a2a10 is A2A 1.0.1 over JSON-RPC, HTTP+JSON and gRPC on the wire, and its defects.
package a2a10
