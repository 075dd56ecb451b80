package acts

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Failure is why a step did not hold.
type Failure struct {
	Message  string
	Step     string // its id
	Line     int    // of the assertion in its document
	Expected string
	Actual   string
	Path     string // of the value in the answer, in dots
	// Broken is set if nothing was shown about the server: the step could not be made, or its assertion not evaluated.
	Broken bool
}

// resolver returns the value of a text of a document, in which variables are replaced.
type resolver func(text string) (*record.Node, error)

// evaluator compares values with assertions.
type evaluator struct {
	resolve resolver
	left    *int // how many more values may be compared
}

// maxComparisons bounds how many values are compared for a test: a document of somebody else is compared with an answer
// of somebody else.
const maxComparisons = 2_000_000

// newFailure returns a failure of an assertion at a path.
func newFailure(a *Assertion, path, expected string, got *record.Node) *Failure {
	place := path
	if place == "" {
		place = "the answer"
	}
	actual := describeNode(got)
	return &Failure{Line: a.Line, Path: path, Expected: expected, Actual: actual,
		Message: fmt.Sprintf("%s is %s, but must be %s", place, actual, expected)}
}

// newBroken returns a failure that shows nothing about the server.
func newBroken(line int, path string, err error) *Failure {
	return &Failure{Line: line, Path: path, Message: err.Error(), Broken: true}
}

// checkValue returns why a value is not as an assertion has it; nil if it is.
func (e evaluator) checkValue(a *Assertion, n *record.Node, path string) *Failure {
	if *e.left--; *e.left < 0 {
		return newBroken(a.Line, path, fmt.Errorf("the test compares more than %d values; split it", maxComparisons))
	}
	switch a.Kind {
	case Members:
		return e.checkMembers(a, n, path)
	case Elements:
		return e.checkElements(a, a.Elements, n, path)
	case Operators:
		for i := range a.Operators {
			if f := e.checkOperator(a, &a.Operators[i], n, path); f != nil {
				return f
			}
		}
		return nil
	}
	want, err := e.resolveValue(a.Value)
	if err != nil {
		return newBroken(a.Line, path, err)
	}
	if n == nil || !n.Equal(want) {
		return newFailure(a, path, describeNode(want), n)
	}
	return nil
}

// resolveValue returns a value of a document with its variables replaced.
func (e evaluator) resolveValue(value any) (*record.Node, error) { return buildNode(value, e.resolve) }

func (e evaluator) checkMembers(a *Assertion, n *record.Node, path string) *Failure {
	if n == nil && onlyAbsent(a) {
		return nil
	}
	if n == nil || n.Kind != record.Object {
		return newFailure(a, path, "an object", n)
	}
	for _, m := range a.Members {
		if f := e.checkValue(m.Is, n.Member(m.Name), joinPath(path, m.Name)); f != nil {
			return f
		}
	}
	return nil
}

// onlyAbsent reports whether all that an assertion expects of an object is that members are absent.
func onlyAbsent(a *Assertion) bool {
	for _, m := range a.Members {
		if len(m.Is.Operators) != 1 || m.Is.Operators[0].Name != "absent" {
			return false
		}
	}
	return len(a.Members) > 0
}

func (e evaluator) checkElements(a *Assertion, elements []*Assertion, n *record.Node, path string) *Failure {
	if n == nil || n.Kind != record.Array {
		return newFailure(a, path, "an array", n)
	}
	for i, element := range elements {
		at := path + "[" + strconv.Itoa(i) + "]"
		if i >= len(n.Elems) {
			return newFailure(element, path, fmt.Sprintf("an array of at least %d elements", len(elements)), n)
		}
		if f := e.checkValue(element, n.Elems[i], at); f != nil {
			return f
		}
	}
	return nil
}

// checkOperator returns why an operator does not hold.
func (e evaluator) checkOperator(a *Assertion, op *Operator, n *record.Node, path string) *Failure {
	at := &Assertion{Line: op.Line}
	switch op.Name {
	case "absent":
		if n != nil {
			return newFailure(at, path, "absent", n)
		}
		return nil
	case "not":
		f := e.checkValue(op.Of[0], n, path)
		if f != nil && f.Broken {
			return f
		}
		if f == nil {
			return newFailure(at, path, "other than "+e.describeAssertion(op.Of[0]), n)
		}
		return nil
	case "all_of":
		for _, each := range op.Of {
			if f := e.checkValue(each, n, path); f != nil {
				return f
			}
		}
		return nil
	case "any_of":
		return e.checkAnyOf(at, op, n, path)
	}
	if n == nil {
		return newFailure(at, path, e.describeOperator(op), n)
	}
	if op.Name == itemsOperator {
		return e.checkItems(at, op, n, path)
	}
	holds, err := e.holdsFor(op, n)
	if err != nil {
		return newBroken(op.Line, path, err)
	}
	if !holds {
		return newFailure(at, path, e.describeOperator(op), n)
	}
	return nil
}

func (e evaluator) checkAnyOf(at *Assertion, op *Operator, n *record.Node, path string) *Failure {
	var expected []string
	for _, each := range op.Of {
		f := e.checkValue(each, n, path)
		if f == nil || f.Broken {
			return f
		}
		expected = append(expected, e.describeAssertion(each))
	}
	return newFailure(at, path, "one of: "+shortenShown(strings.Join(expected, " | ")), n)
}

func (e evaluator) checkItems(at *Assertion, op *Operator, n *record.Node, path string) *Failure {
	if n.Kind != record.Array {
		return newFailure(at, path, "an array", n)
	}
	if !op.Each {
		return e.checkElements(at, op.Of, n, path)
	}
	for i, element := range n.Elems {
		if f := e.checkValue(op.Of[0], element, path+"["+strconv.Itoa(i)+"]"); f != nil {
			return f
		}
	}
	return nil
}

// holdsFor reports whether an operator that compares with an operand holds for a value that is there.
func (e evaluator) holdsFor(op *Operator, n *record.Node) (bool, error) {
	switch op.Name {
	case "exists":
		return true, nil
	case "type":
		return nameType(n) == op.Operand, nil
	case "count", "count_gte", "count_lte":
		want, err := strconv.Atoi(op.Operand.(json.Number).String())
		if err != nil || n.Kind != record.Array {
			return false, err
		}
		got := len(n.Elems)
		return op.Name == "count" && got == want || op.Name == "count_gte" && got >= want || op.Name == "count_lte" && got <= want, nil
	case "gt", "gte", "lt", "lte":
		return compareNumbers(op, n), nil
	case "one_of":
		values, _ := op.Operand.([]any)
		for _, v := range values {
			want, err := e.resolveValue(v)
			if err != nil {
				return false, err
			}
			if n.Equal(want) {
				return true, nil
			}
		}
		return false, nil
	case "contains", "starts_with", "ends_with", "matches":
		return e.holdsForText(op, n)
	}
	return false, nil
}

// compareNumbers compares two numbers as they are written, unless one is huge.
func compareNumbers(op *Operator, n *record.Node) bool {
	want, ok := op.Operand.(json.Number)
	if n.Kind != record.Number || !ok {
		return false
	}
	order := 0
	a, isA := new(big.Rat).SetString(boundedNumber(n.Number))
	b, isB := new(big.Rat).SetString(boundedNumber(want.String()))
	if isA && isB {
		order = a.Cmp(b)
	} else {
		x, errX := strconv.ParseFloat(n.Number, 64)
		y, errY := strconv.ParseFloat(want.String(), 64)
		if errors.Is(errX, strconv.ErrSyntax) || errors.Is(errY, strconv.ErrSyntax) {
			return false
		}
		order = cmp.Compare(x, y)
	}
	switch op.Name {
	case "gt":
		return order > 0
	case "gte":
		return order >= 0
	case "lt":
		return order < 0
	}
	return order <= 0
}

// boundedNumber returns a number as it is written, and nothing if to compute with it exactly takes long.
func boundedNumber(text string) string {
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok || len(text) > 60 {
		if n, err := strconv.Atoi(exponent); err != nil || n > 60 || n < -60 || len(text) > 60 {
			return ""
		}
	}
	return text
}

// holdsForText reports whether an operator on texts holds.
func (e evaluator) holdsForText(op *Operator, n *record.Node) (bool, error) {
	if n.Kind != record.String {
		return false, nil
	}
	operand, err := e.resolveText(op.Operand.(string))
	if err != nil {
		return false, err
	}
	switch op.Name {
	case "contains":
		return strings.Contains(n.String, operand), nil
	case "starts_with":
		return strings.HasPrefix(n.String, operand), nil
	case "ends_with":
		return strings.HasSuffix(n.String, operand), nil
	}
	p := op.compiled
	if p == nil {
		if p, err = compilePattern(operand); err != nil {
			return false, err
		}
	}
	matched, err := p.MatchString(n.String)
	if err != nil {
		return false, fmt.Errorf("the pattern %s takes too long with this answer; simplify it", quoteShort(operand))
	}
	return matched, nil
}

// resolveText returns a text of a document with its variables replaced.
func (e evaluator) resolveText(text string) (string, error) {
	n, err := e.resolve(text)
	if err != nil {
		return "", err
	}
	plain, ok := formatPlain(n)
	if !ok {
		return "", fmt.Errorf("%s is %s, which cannot be part of a text", quoteShort(text), nameType(n))
	}
	return plain, nil
}

// describeAssertion returns what an assertion expects.
func (e evaluator) describeAssertion(a *Assertion) string {
	switch a.Kind {
	case Members:
		var all []string
		for _, m := range a.Members {
			all = append(all, m.Name+": "+e.describeAssertion(m.Is))
		}
		return "{" + strings.Join(all, ", ") + "}"
	case Elements:
		return fmt.Sprintf("a list of %d elements", len(a.Elements))
	case Operators:
		var all []string
		for i := range a.Operators {
			all = append(all, e.describeOperator(&a.Operators[i]))
		}
		return strings.Join(all, " and ")
	}
	want, err := e.resolveValue(a.Value)
	if err != nil {
		return fmt.Sprint(a.Value)
	}
	return describeNode(want)
}

// describeOperator returns what an operator expects.
func (e evaluator) describeOperator(op *Operator) string {
	switch op.Name {
	case "exists":
		return "present"
	case "absent":
		return "absent"
	case "type":
		return fmt.Sprintf("of type %s", op.Operand)
	case "count":
		return fmt.Sprintf("an array of %s elements", op.Operand)
	case "count_gte":
		return fmt.Sprintf("an array of at least %s elements", op.Operand)
	case "count_lte":
		return fmt.Sprintf("an array of at most %s elements", op.Operand)
	case "one_of":
		return "one of " + describeNode(newNode(op.Operand))
	case "not":
		return "not " + e.describeAssertion(op.Of[0])
	case "any_of", "all_of", itemsOperator:
		var all []string
		for _, each := range op.Of {
			all = append(all, e.describeAssertion(each))
		}
		return op.Name + "(" + strings.Join(all, ", ") + ")"
	}
	return strings.ReplaceAll(op.Name, "_", " ") + " " + describeNode(newNode(op.Operand))
}

// checkCollections returns why elements of lists are not as an assertion has them.
func (e evaluator) checkCollections(a *NamedAssertion, n *record.Node) *Failure {
	prefix := formatSteps(a.Path.Steps)
	n = followOne(n, a.Path.Steps)
	if a.Match != nil {
		if f := e.checkValue(a.Match, n, prefix); f != nil {
			return f
		}
	}
	for _, c := range []struct {
		name string
		of   *CollectionMatch
	}{{"any", a.Any}, {"all", a.All}, {"none", a.None}} {
		if c.of == nil {
			continue
		}
		if f := e.checkCollection(c.name, c.of, n, prefix); f != nil {
			return f
		}
	}
	return nil
}

// checkCollection returns why it does not hold that any, all or none of the elements match. all needs at least one:
// an answer without elements shows nothing.
func (e evaluator) checkCollection(name string, c *CollectionMatch, n *record.Node, prefix string) *Failure {
	var found []*record.Node
	var paths []string
	if n != nil {
		found, paths = followPath(n, c.Path.Steps)
	}
	at := &Assertion{Line: c.Line}
	path := strings.Trim(prefix+"."+c.Path.Text, ".")
	matches := 0
	for i, element := range found {
		f := e.checkValue(c.Match, element, strings.Trim(prefix+"."+paths[i], "."))
		switch {
		case f != nil && f.Broken:
			return f
		case f == nil && name == "none":
			return newFailure(at, strings.Trim(prefix+"."+paths[i], "."), "other than "+e.describeAssertion(c.Match), element)
		case f != nil && name == "all":
			return f
		case f == nil:
			matches++
		}
	}
	if name == "any" && matches == 0 || name == "all" && len(found) == 0 {
		like := shortenShown(e.describeAssertion(c.Match))
		f := newFailure(at, path, "with an element like "+like, nil)
		switch len(found) {
		case 0:
			f.Actual = "no element"
			f.Message = fmt.Sprintf("%s leads to no element, but one must be like %s; look at the spelling of the path, and at what came", path, like)
		case 1:
			f.Actual = describeNode(found[0])
			f.Message = fmt.Sprintf("the one element of %s is not like %s, but is %s", path, like, f.Actual)
		default:
			f.Actual = describeNode(found[0])
			f.Message = fmt.Sprintf("none of the %d elements of %s is like %s; the first is %s", len(found), path, like, f.Actual)
		}
		return f
	}
	return nil
}

// checkCondition reports whether the condition of a repetition holds.
func (e evaluator) checkCondition(c Condition, root *record.Node) (bool, error) {
	got := followOne(root, c.Path.Steps)
	for _, v := range c.Values {
		want, err := e.resolveValue(v)
		if err != nil {
			return false, err
		}
		if got != nil && got.Equal(want) {
			return !c.Not, nil
		}
	}
	return c.Not, nil
}
