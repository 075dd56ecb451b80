// Package a2x03 is A2X 0.3 on the wire, and its defects: A2A 0.3.0 with payments.
package a2x03
