// Package mutants has the defects that several wire formats share.
package mutants
