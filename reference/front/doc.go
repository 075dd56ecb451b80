// Package front is what the bundled server has in common for all protocols: HTTP, JSON-RPC, HTTP+JSON, SSE, gRPC, credentials, limits, TLS, and the doors at which a defect is applied.
package front
