package judge

import "github.com/a2a-conform/a2a-conform/harness/binding"

// The parts of an answer. A check names them by these, so that none knows how a
// binding wraps what it carries.

// Result is what an operation gave.
func (v Value) Result() Value { return v.At(binding.Result) }

// Failure is the error by which an operation was refused.
func (v Value) Failure() Value { return v.At(binding.Failure) }

// ErrorCode is the number by which the binding says which error it is.
func (v Value) ErrorCode() Value { return v.At(binding.Code) }

// ErrorMessage is what the error says for people.
func (v Value) ErrorMessage() Value { return v.At(binding.Message) }

// ErrorDetails is what an error tells besides, at a pointer inside of it.
func (v Value) ErrorDetails(at string) Value { return v.At(binding.Details + at) }

// ID is the id of the call that an answer names.
func (v Value) ID() Value { return v.At(binding.ID) }

// Version is the version of the envelope that an answer states.
func (v Value) Version() Value { return v.At(binding.Version) }
