// Package a2a01 is A2A 0.1.0 on the wire, and its defects.
package a2a01
