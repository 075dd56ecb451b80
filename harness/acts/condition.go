package acts

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Condition is what a step is repeated for: PATH == VALUE, PATH != VALUE or PATH in [VALUE, …].
type Condition struct {
	Text   string
	Path   Path
	Not    bool  // of !=
	Values []any // texts, json.Numbers, bools or nil
}

// maxConditionValues bounds the list of a condition.
const maxConditionValues = 100

// parseCondition reads the text of until.
func parseCondition(text string) (c Condition, err error) {
	c.Text = text
	left, right, list := text, "", false
	switch {
	case strings.Contains(text, "=="):
		left, right, _ = strings.Cut(text, "==")
	case strings.Contains(text, "!="):
		left, right, _ = strings.Cut(text, "!=")
		c.Not = true
	case strings.Contains(text, " in "):
		left, right, _ = strings.Cut(text, " in ")
		list = true
	default:
		return c, fmt.Errorf("%q is no condition; write PATH == VALUE, PATH != VALUE or PATH in [VALUE, VALUE]", text)
	}
	if c.Path, err = parsePath(strings.TrimSpace(left), false); err != nil {
		return c, err
	}
	if len(c.Path.Steps) == 0 {
		return c, fmt.Errorf("the condition %q names no path; write PATH == VALUE, such as status.state == TASK_STATE_COMPLETED", text)
	}
	right = strings.TrimSpace(right)
	if !list {
		value, err := parseConditionValue(right)
		c.Values = []any{value}
		return c, err
	}
	inside, ends := strings.CutSuffix(right, "]")
	inside, begins := strings.CutPrefix(inside, "[")
	if !begins || !ends {
		return c, fmt.Errorf("the condition %q has no list after in; write PATH in [VALUE, VALUE]", text)
	}
	parts := strings.Split(inside, ",")
	if len(parts) > maxConditionValues {
		return c, fmt.Errorf("the condition lists more than %d values; shorten it", maxConditionValues)
	}
	for _, part := range parts {
		value, err := parseConditionValue(strings.TrimSpace(part))
		if err != nil {
			return c, err
		}
		c.Values = append(c.Values, value)
	}
	return c, nil
}

// parseConditionValue reads a literal: a JSON value that is no list and no object, a text in single quotes, or a
// word.
func parseConditionValue(text string) (any, error) {
	if text == "" {
		return nil, errors.New("the condition names no value; write PATH == VALUE or PATH in [VALUE, VALUE]")
	}
	if quoted := strings.TrimSuffix(strings.TrimPrefix(text, "'"), "'"); len(text) >= 2 && len(quoted) == len(text)-2 {
		return quoted, nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err == nil && !dec.More() {
		switch value.(type) {
		case string, json.Number, bool, nil:
			return value, nil
		}
	}
	if strings.ContainsAny(text, "\"'[]=!<> ") && !strings.Contains(text, "{{") {
		return nil, fmt.Errorf("the condition compares with %q, which is no value; write a word, a number, or a text in quotes", text)
	}
	return text, nil
}
