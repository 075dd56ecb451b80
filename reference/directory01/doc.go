// Package directory01 is a directory of agents on the wire, and its defects.
package directory01
