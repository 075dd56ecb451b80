package acts

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Variables that are always ours: a server under test is never made to call elsewhere because of a document.
const (
	baseURLVariable = "baseUrl"
	webhookVariable = "webhookUrl"
)

// responseWord names the whole answer of a step, in the source of an assertion.
const responseWord = "response"

// generatorUUID is the one generator of the draft.
const generatorUUID = "$uuid"

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	templatePart = regexp.MustCompile(`\{\{([^{}]*)\}\}`)
)

// isVariableName reports whether a text can name a variable.
func isVariableName(name string) bool { return variableName.MatchString(name) }

// listExpressions returns the expressions in double braces of a text.
func listExpressions(text string) (all []string) {
	for _, m := range templatePart.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.TrimSpace(m[1]))
	}
	return all
}

// checkTemplate reports what is wrong with the expressions of a text. The whole answer of a step is no text, so that
// only a source may name it.
func (r *reader) checkTemplate(n *yaml.Node, text, what string, isSource bool) {
	rest := templatePart.ReplaceAllString(text, "")
	if strings.Contains(rest, "{{") {
		r.addFault(n, "%s has {{ without }}, or braces within them; write {{NAME}}", what)
		return
	}
	for _, e := range listExpressions(text) {
		r.checkExpression(n, e, what, isSource)
	}
}

// checkExpression reports what is wrong with one expression.
func (r *reader) checkExpression(n *yaml.Node, e, what string, isSource bool) {
	step, name, dotted := strings.Cut(e, ".")
	switch {
	case e == generatorUUID:
	case strings.HasPrefix(e, "$"):
		r.addFault(n, "%s uses {{%s}}; the only generator is {{%s}}", what, quoteIfOdd(e), generatorUUID)
	case dotted && step == "env":
		if !isVariableName(name) {
			r.addFault(n, "%s uses {{%s}}; write {{env.NAME}} with the name of a variable of the environment", what, quoteIfOdd(e))
		}
	case dotted:
		r.checkStepVariable(n, step, name, what, isSource)
	case !isVariableName(e):
		r.addFault(n, "%s uses {{%s}}, which names no variable; write {{NAME}}, {{STEP.NAME}}, {{env.NAME}} or {{%s}}", what, quoteIfOdd(e), generatorUUID)
	default:
		r.checkVariable(n, e, what)
	}
}

// checkVariable reports a variable that nothing defines.
func (r *reader) checkVariable(n *yaml.Node, name, what string) {
	if _, ours := r.options.Vars[name]; ours || name == baseURLVariable || name == webhookVariable {
		return
	}
	if _, defined := r.variables[name]; defined {
		return
	}
	instead := "define it in variables, or name it as {{env." + name + "}}"
	if near := schema.Nearest(name, slices.Sorted(maps.Keys(r.variables))); near != "" {
		instead = "did you mean {{" + near + "}}?"
	}
	r.noteForm(n, formUndefinedVariable, fmt.Sprintf("%s uses {{%s}}; %s", what, name, instead))
	if r.test != nil && !slices.Contains(r.test.undefined, name) {
		r.test.undefined = append(r.test.undefined, name)
	}
}

// checkStepVariable reports a value of a step that no earlier step has captured.
func (r *reader) checkStepVariable(n *yaml.Node, step, name, what string, isSource bool) {
	captures, known := r.captured[step]
	switch {
	case r.test == nil:
		r.addFault(n, "%s uses {{%s.%s}}, but only the texts of a test can use values of its steps", what, quoteIfOdd(step), quoteIfOdd(name))
	case !known && slices.Contains(r.stepIDs, step):
		r.addFault(n, "%s uses a value of the step %s, which does not come before; move that step up", what, quoteIfOdd(step))
	case !known:
		r.addFault(n, "%s uses a value of the step %s: %s", what, quoteIfOdd(step), schema.Unknown("step", quoteIfOdd(step), r.stepIDs))
	case name == responseWord && !isSource:
		r.addFault(n, "%s uses {{%s.response}}, the whole answer, which only the source of an assertion may be; capture the value that is meant, and use {{%[2]s.NAME}}", what, quoteIfOdd(step))
	case name == responseWord:
	case !slices.Contains(captures, name):
		remedy := "add capture: {" + quoteIfOdd(name) + ": PATH} to that step"
		if near := schema.Nearest(name, captures); near != "" {
			remedy = "did you mean {{" + step + "." + near + "}}?"
		}
		r.addFault(n, "%s uses {{%s.%s}}, which that step does not capture; %s", what, quoteIfOdd(step), quoteIfOdd(name), remedy)
	}
}
