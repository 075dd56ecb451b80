// Package signature makes and verifies the signatures of agent cards: JSON Web Signatures
// (RFC 7515) over the card in the canonical form of RFC 8785. It reads keys, reports in
// which form a card was signed, and sends nothing.
package signature
