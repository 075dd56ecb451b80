package acts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/schema"
)

// operandKind is what an operator takes.
type operandKind int

const (
	typeOperand    operandKind = iota // the name of a type
	trueOperand                       // true
	textOperand                       // a text
	numberOperand                     // a number
	countOperand                      // a whole number
	valuesOperand                     // a list of values
	listOperand                       // a list of assertions
	assertOperand                     // an assertion
	patternOperand                    // a regular expression
)

// operators are the operators of the grammar.
var operators = map[string]operandKind{
	"type": typeOperand, "exists": trueOperand, "absent": trueOperand,
	"contains": textOperand, "matches": patternOperand, "starts_with": textOperand, "ends_with": textOperand,
	"gte": numberOperand, "lte": numberOperand, "gt": numberOperand, "lt": numberOperand,
	"count": countOperand, "count_gte": countOperand, "count_lte": countOperand,
	"one_of": valuesOperand, "all_of": listOperand, "any_of": listOperand, "not": assertOperand,
}

// itemsOperator describes elements of a list. The grammar does not have it, but documents do next to type: array.
const itemsOperator = "items"

var jsonTypes = []string{"string", "number", "boolean", "array", "object", "null"}

// namesLikeOperators are members of A2A and its bindings that differ from an operator by one or two letters. They
// are no misspelt operators.
var namesLikeOperators = []string{"@type"}

// likeOperator returns the operator that a key may be a misspelling of; "" if it is none. Two edits make two short
// words alike that have nothing in common, so that shorter operators allow fewer.
func likeOperator(key string) string {
	if slices.Contains(namesLikeOperators, key) {
		return ""
	}
	best, least := "", 3
	for _, op := range append(slices.Sorted(maps.Keys(operators)), itemsOperator) {
		most := min(len(op)-2, 2)
		if n := schema.EditDistance(strings.ToLower(key), op); n <= most && n < least {
			best, least = op, n
		}
	}
	return best
}

// readAssertion reads what a value is to be.
func (r *reader) readAssertion(n *yaml.Node, what string, depth int) *Assertion {
	a := &Assertion{Line: max(n.Line, 1)}
	if !r.countValue(n, what, depth) {
		return a
	}
	at := n
	switch n = followAlias(n); n.Kind {
	case yaml.MappingNode:
		members, ok := r.readMembers(at, what)
		if ok {
			r.readAssertionMap(a, at, members, what, depth, false)
		}
	case yaml.SequenceNode:
		a.Kind = Elements
		for i, item := range n.Content {
			a.Elements = append(a.Elements, r.readAssertion(item, fmt.Sprintf("%s[%d]", what, i), depth+1))
		}
	default:
		if n.Value == "" && n.ShortTag() == "!!null" {
			r.noteForm(at, formEmptyValue, "write null, or the value")
		}
		a.Value = r.readScalar(n, what)
		if text, ok := a.Value.(string); ok {
			r.checkTemplate(at, text, what, false)
		}
	}
	return a
}

// readMemberMap reads the members of an object, in a place in which the grammar has no operators.
func (r *reader) readMemberMap(n *yaml.Node, what string) *Assertion {
	a := &Assertion{Line: max(n.Line, 1), Kind: Members}
	if members, ok := r.readMembers(n, what); ok {
		r.readAssertionMap(a, n, members, what, 0, true)
	}
	return a
}

// readAssertionMap reads a map of members or of operators, but not of both. If only members is set, the grammar has
// no operators in this place, so that what cannot be an operator is a member.
func (r *reader) readAssertionMap(a *Assertion, n *yaml.Node, all []member, what string, depth int, onlyMembers bool) {
	var asOperator, asMember []member
	for _, m := range all {
		key := m.key.Value
		_, isOperator := operators[key]
		switch {
		case slices.Contains(r.options.Literal, key):
			asMember = append(asMember, m)
		case isOperator && (!onlyMembers || isOperandOf(key, m.value)):
			asOperator = append(asOperator, m)
		case isOperator || key == itemsOperator:
			asMember = append(asMember, m)
		default:
			if op := likeOperator(key); op != "" {
				r.addFault(m.key, "%s has the key %s, which is like the operator %s; write %[3]s or, if the answer has a member of that name, give --literal %[4]s", what, quoteShort(key), op, quoteIfOdd(key))
				continue
			}
			asMember = append(asMember, m)
		}
	}
	if i := slices.IndexFunc(asMember, func(m member) bool { return m.key.Value == itemsOperator }); i >= 0 && len(asOperator) > 0 && !onlyMembers && !slices.Contains(r.options.Literal, itemsOperator) {
		r.noteForm(asMember[i].key, formItems, "list the first elements in the place of the map, or use an assertion with all")
		asOperator, asMember = append(asOperator, asMember[i]), slices.Delete(asMember, i, i+1)
	}
	if len(asOperator) > 0 && len(asMember) > 0 {
		r.addFault(asMember[0].key, "%s has the operator %s and the member %s, but a map has operators or members, not both; if %[2]s is a member, give --literal %[2]s", what, asOperator[0].key.Value, quoteIfOdd(asMember[0].key.Value))
		return
	}
	if len(asOperator) > 0 || len(all) == 0 && !onlyMembers {
		if onlyMembers {
			key := asOperator[0].key
			r.noteForm(key, formBodyOperators, "the operator "+key.Value+" belongs to a member; if it is the name of a member, give --literal "+key.Value)
		}
		a.Kind = Operators
		for _, m := range asOperator {
			a.Operators = append(a.Operators, r.readOperator(m, what+"."+m.key.Value, depth))
		}
		return
	}
	a.Kind = Members
	for _, m := range asMember {
		a.Members = append(a.Members, MemberAssertion{m.key.Value, r.readAssertion(m.value, what+"."+m.key.Value, depth+1)})
	}
}

// isOperandOf reports whether a value can be the operand of an operator.
func isOperandOf(operator string, n *yaml.Node) bool {
	n = followAlias(n)
	scalar := n.Kind == yaml.ScalarNode
	switch operators[operator] {
	case typeOperand:
		return scalar && slices.Contains(jsonTypes, n.Value)
	case trueOperand:
		return scalar && n.ShortTag() == "!!bool"
	case textOperand, patternOperand:
		return scalar && isTextTag(n.ShortTag())
	case numberOperand, countOperand:
		return scalar && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float")
	case valuesOperand, listOperand:
		return n.Kind == yaml.SequenceNode
	}
	return true
}

// readOperator reads one operator with its operand.
func (r *reader) readOperator(m member, what string, depth int) Operator {
	op := Operator{Line: max(m.key.Line, 1), Name: m.key.Value}
	n := followAlias(m.value)
	if op.Name == itemsOperator {
		r.readItemsOperand(&op, m.value, what, depth)
		return op
	}
	switch operators[op.Name] {
	case typeOperand:
		if n.ShortTag() == "!!null" && n.Kind == yaml.ScalarNode {
			r.addFault(m.value, `%s is empty; write "null" in quotes for the type null`, what)
			return op
		}
		op.Operand = r.readWord(m.value, what, jsonTypes...)
	case trueOperand:
		if op.Operand = r.readBool(m.value, what); op.Operand == false && n.ShortTag() == "!!bool" {
			other := map[string]string{"exists": "absent", "absent": "exists"}[op.Name]
			r.addFault(m.value, "%s is false, but can only be true; write %s: true", what, other)
		}
	case textOperand, patternOperand:
		text := r.readText(m.value, what)
		r.checkTemplate(m.value, text, what, false)
		op.Operand = text
		if operators[op.Name] == patternOperand && len(listExpressions(text)) == 0 {
			var err error
			if op.compiled, err = compilePattern(text); err != nil {
				r.addFault(m.value, "%s: %v", what, err)
			}
		}
	case numberOperand:
		value := r.readScalarOrNil(n, what)
		if _, ok := value.(json.Number); !ok {
			r.addFault(m.value, "%s is %s, but must be a number", what, describeKind(n))
		}
		op.Operand = value
	case countOperand:
		op.Operand = json.Number(strconv.Itoa(r.readCount(m.value, what, 1<<30)))
	case valuesOperand:
		r.readOneOf(&op, m.value, what, depth)
	case listOperand:
		for i, item := range r.readItems(m.value, what) {
			op.Of = append(op.Of, r.readAssertion(item, fmt.Sprintf("%s[%d]", what, i), depth+1))
		}
	case assertOperand:
		op.Of = []*Assertion{r.readAssertion(m.value, what, depth+1)}
	}
	return op
}

// readScalarOrNil returns a plain value, nil for a list and a map.
func (r *reader) readScalarOrNil(n *yaml.Node, what string) any {
	if n.Kind != yaml.ScalarNode {
		return nil
	}
	return r.readScalar(n, what)
}

// readOneOf reads the alternatives of one_of. Maps among them are assertions.
func (r *reader) readOneOf(op *Operator, n *yaml.Node, what string, depth int) {
	items := r.readItems(n, what)
	isMap := func(item *yaml.Node) bool { return followAlias(item).Kind == yaml.MappingNode }
	if i := slices.IndexFunc(items, isMap); i >= 0 {
		r.noteForm(items[i], formOneOfAssertions, "one_of lists values; write any_of")
		op.Name = "any_of"
		for i, item := range items {
			op.Of = append(op.Of, r.readAssertion(item, fmt.Sprintf("%s[%d]", what, i), depth+1))
		}
		return
	}
	values := make([]any, 0, len(items))
	for i, item := range items {
		values = append(values, r.readValue(item, fmt.Sprintf("%s[%d]", what, i), depth+1))
	}
	op.Operand = values
}

// readItemsOperand reads what elements of a list are to be.
func (r *reader) readItemsOperand(op *Operator, n *yaml.Node, what string, depth int) {
	if followAlias(n).Kind == yaml.SequenceNode {
		for i, item := range r.readItems(n, what) {
			op.Of = append(op.Of, r.readAssertion(item, fmt.Sprintf("%s[%d]", what, i), depth+1))
		}
		return
	}
	op.Each, op.Of = true, []*Assertion{r.readAssertion(n, what, depth+1)}
}
