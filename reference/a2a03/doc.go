// Package a2a03 is A2A 0.3.0 on the wire, and its defects.
package a2a03
