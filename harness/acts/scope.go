package acts

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Environment is what a test needs besides its document.
type Environment struct {
	Vars map[string]string                 // of the operator
	Env  func(name string) (string, error) // a variable of the environment; an error if it is not given to tests
}

// envPrefixes begin the names of the variables of the environment that a document may use by itself. Any other may be
// a secret of the operator that is none of the server's business.
var envPrefixes = regexp.MustCompile(`^(A2A|ACTS|SUT)_`)

// IsGivenToTests reports whether documents may use a variable of the environment by itself.
func IsGivenToTests(name string) bool { return envPrefixes.MatchString(name) }

// NewEnvironment returns an environment with the operator's variables. A document may use variables whose names begin
// with A2A_, ACTS_ or SUT_, and those that are allowed by name.
func NewEnvironment(vars map[string]string, allowed []string, lookup func(string) (string, bool)) Environment {
	return Environment{Vars: vars, Env: func(name string) (string, error) {
		if !slices.Contains(allowed, name) && !IsGivenToTests(name) {
			return "", fmt.Errorf("{{env.%s}} is not given to tests, since it may be a secret; give --env %[1]s", quoteIfOdd(name))
		}
		value, ok := lookup(name)
		if !ok {
			return "", fmt.Errorf("{{env.%s}} has no value; set that variable of the environment", quoteIfOdd(name))
		}
		return value, nil
	}}
}

// scope is what the expressions of a test refer to.
type scope struct {
	test      *Test
	env       Environment
	baseURL   string
	webhook   func() string
	newID     func() string
	responses map[string]*record.Node            // the answer of each step
	captured  map[string]map[string]*record.Node // by step and name
}

// maxVariableDepth bounds how variables that use each other are followed.
const maxVariableDepth = 8

// resolveExpressions returns the value of a text with its expressions replaced. A text that is one expression has its value,
// whatever its type; in any other text the values are texts.
func (s *scope) resolveExpressions(text string) (*record.Node, error) { return s.resolveAt(text, 0) }

func (s *scope) resolveAt(text string, depth int) (*record.Node, error) {
	if !strings.Contains(text, "{{") {
		return newText(text), nil
	}
	if depth > maxVariableDepth {
		return nil, fmt.Errorf("the variables in %s use each other more than %d times; write the value out", quoteShort(text), maxVariableDepth)
	}
	if whole := templatePart.FindStringSubmatch(text); whole != nil && whole[0] == text {
		return s.evaluateExpression(strings.TrimSpace(whole[1]), depth)
	}
	var failed error
	out := templatePart.ReplaceAllStringFunc(text, func(part string) string {
		n, err := s.evaluateExpression(strings.TrimSpace(part[2:len(part)-2]), depth)
		plain, ok := formatPlain(n)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case !ok:
			failed = errors.Join(failed, fmt.Errorf("%s is %s, which cannot be part of a text", part, nameType(n)))
		}
		return plain
	})
	return newText(out), failed
}

// evaluateExpression returns the value of an expression.
func (s *scope) evaluateExpression(e string, depth int) (*record.Node, error) {
	if e == generatorUUID {
		return newText(s.newID()), nil
	}
	if step, name, dotted := strings.Cut(e, "."); dotted && step == "env" {
		value, err := s.env.Env(name)
		return newText(value), err
	} else if dotted {
		return s.findCaptured(step, name)
	}
	if value, ok := s.env.Vars[e]; ok {
		return newText(value), nil
	}
	switch e {
	case baseURLVariable:
		return newText(s.baseURL), nil
	case webhookVariable:
		return newText(s.webhook()), nil
	}
	if value, ok := s.test.variables[e]; ok {
		return s.resolveAt(value, depth+1)
	}
	return nil, fmt.Errorf("{{%s}} has no value; give --var %[1]s=VALUE", quoteIfOdd(e))
}

// findCaptured returns a value that a step has captured. Calls do not repeat texts of any length.
func (s *scope) findCaptured(step, name string) (*record.Node, error) {
	n := s.captured[step][name]
	switch {
	case n == nil:
		return nil, fmt.Errorf("{{%s.%s}} has no value: the answer of the step %[1]s has nothing at its path", quoteIfOdd(step), quoteIfOdd(name))
	case n.Kind == record.String && len(n.String) > record.MaxID:
		return nil, fmt.Errorf("{{%s.%s}} is a text of %d bytes, and calls repeat none of more than %d", quoteIfOdd(step), quoteIfOdd(name), len(n.String), record.MaxID)
	}
	return n, nil
}

// findSource returns what an assertion is about.
func (s *scope) findSource(a *NamedAssertion) (*record.Node, error) {
	switch {
	case a.Step == "":
		return s.evaluateExpression(a.Variable, 0)
	case a.Variable == responseWord:
		n, ok := s.responses[a.Step]
		if !ok {
			return nil, fmt.Errorf("the step %s has no answer", quoteIfOdd(a.Step))
		}
		return n, nil
	}
	return s.findCaptured(a.Step, a.Variable)
}

// resolveParams returns a value with the expressions of its texts replaced.
func (s *scope) resolveParams(value any) (any, error) {
	switch value := value.(type) {
	case string:
		n, err := s.resolveExpressions(value)
		if err != nil {
			return nil, err
		}
		return n.Interface(), nil
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			one, err := s.resolveParams(v)
			if err != nil {
				return nil, err
			}
			out[i] = one
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, v := range value {
			one, err := s.resolveParams(v)
			if err != nil {
				return nil, err
			}
			out[name] = one
		}
		return out, nil
	}
	return value, nil
}
