package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "report.schema.json"
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	if err := c.AddResource(name, bytes.NewReader(Schema)); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// validate checks a text against the schema of reports and names the first
// places where it departs from it.
func validate(b []byte) error {
	v, err := oneValue(b)
	if err != nil {
		return fmt.Errorf("not a report: %w", err)
	}
	if err := plainNumbers(v, ""); err != nil {
		return err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return errors.New("not a report: it is no JSON object")
	}
	// Said first: a report of another version departs from the schema in many
	// places, and none of them is the point.
	if version, ok := m["schemaVersion"].(string); ok && version != SchemaVersion {
		return fmt.Errorf("schemaVersion is %q, this version reads %q", line(version, maxName), SchemaVersion)
	}
	s, err := compiled()
	if err != nil {
		return err
	}
	err = s.Validate(v)
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return err
	}
	var faults []string
	leaves(ve, &faults)
	slices.Sort(faults)
	faults = slices.Compact(faults)
	const most = 5
	if more := len(faults) - most; more > 0 {
		faults = append(faults[:most], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("not a report as report.schema.json describes it: %s", strings.Join(faults, "; "))
}

func leaves(e *jsonschema.ValidationError, out *[]string) {
	if len(e.Causes) == 0 {
		at := e.InstanceLocation
		if at == "" {
			at = "/"
		}
		*out = append(*out, line(at, maxName)+": "+line(e.Message, maxExcerpt))
	}
	for _, c := range e.Causes {
		leaves(c, out)
	}
}

// plainNumbers refuses numbers that no report holds and that the validator,
// which computes exactly, cannot bear.
func plainNumbers(v any, at string) error {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(v.String(), 64)
		if err != nil || len(v) > 40 || f > 1e18 || f < -1e18 || f != 0 && f < 1e-18 && f > -1e-18 || exponent(v.String()) > 40 {
			return fmt.Errorf("%s: %s is no number of a report", line(at, maxName), line(v.String(), 60))
		}
	case []any:
		for i, e := range v {
			if err := plainNumbers(e, at+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	case map[string]any:
		for k, e := range v {
			if err := plainNumbers(e, at+"/"+k); err != nil {
				return err
			}
		}
	}
	return nil
}

// exponent is the size of a number's exponent; a zero may carry a huge one.
func exponent(s string) int {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
	if err != nil {
		return 1 << 20
	}
	return max(n, -n)
}
