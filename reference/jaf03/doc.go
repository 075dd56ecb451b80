// Package jaf03 is the A2A of the JAF framework on the wire, and its defects.
package jaf03
