// Package core is the core schema of parts, spoken over A2A 0.1.0.
package core
