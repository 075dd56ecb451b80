// Package match has the matchers with which checks say what they expect of the server.
package match
