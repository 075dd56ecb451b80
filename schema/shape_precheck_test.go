package schema

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// What is answered without the validator is what the validator says, of what the
// definitions describe and of whatever stands in the place of one value of it.
func TestFitsAsTheValidatorSays(t *testing.T) {
	for _, dialect := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "a2x-0.3", "jaf-0.3", "directory-0.1", "core-schema"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			s := shipped(t, dialect)
			count := map[fit]int{}
			for _, definition := range s.Definitions() {
				instances := []any{sample(s.defs[definition], 0)}
				for _, examples := range []map[string][]string{a2aExamples, jafExamples} {
					for _, text := range examples[definition] {
						instances = append(instances, decoded(t, text))
					}
				}
				for _, instance := range instances {
					changed(instance, func() { count[agrees(t, s, definition, instance)]++ })
				}
			}
			if count[fits] < 100 || count[differs] < 100 || 30*count[unsure] > count[fits]+count[differs] {
				t.Errorf("of the values, %d fit, %d differ, and %d are for the validator", count[fits], count[differs], count[unsure])
			}
		})
	}
}

// agrees compares both on one value.
func agrees(t *testing.T, s *Shapes, definition string, instance any) fit {
	t.Helper()
	root := s.defs[definition]
	answer := s.asked(root, instance)
	if valid := root.Validate(plainNumbers(instance, 0)) == nil; answer != unsure && (answer == fits) != valid {
		text, _ := json.Marshal(instance)
		t.Fatalf("%s: it is said that this fits: %v; the validator: %v: %.2000s", definition, answer == fits, valid, text)
	}
	return answer
}

// sample is a value that a schema describes, with all members that it names.
func sample(s *jsonschema.Schema, depth int) any {
	switch {
	case s == nil || depth > 3: // what is deeper has a definition of its own
		return "x"
	case len(s.Constant) > 0:
		return s.Constant[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Ref != nil:
		return sample(s.Ref, depth+1)
	}
	for _, branches := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		if len(branches) > 0 && len(s.Properties) == 0 {
			return sample(branches[0], depth+1)
		}
	}
	kind := "object"
	if len(s.Types) > 0 {
		kind = s.Types[0]
	}
	switch kind {
	case "array":
		if items, ok := s.Items.(*jsonschema.Schema); ok {
			return []any{sample(items, depth+1)}
		}
		return []any{sample(s.Items2020, depth+1)}
	case "string":
		return "text"
	case "integer", "number":
		return json.Number("1")
	case "boolean":
		return true
	case "null":
		return nil
	}
	out := map[string]any{}
	if s.If != nil {
		maps.Copy(out, asObject(sample(s.If, depth+1)))
		maps.Copy(out, asObject(sample(s.Then, depth+1)))
	}
	for name, member := range s.Properties {
		if _, ok := out[name]; !ok {
			out[name] = sample(member, depth+1)
		}
	}
	return out
}

func asObject(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// changed calls do with a value as it is, and with each place of it changed in turn.
func changed(v any, do func()) {
	do()
	var each func(at any)
	each = func(at any) {
		switch at := at.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(at)) {
				was := at[name]
				delete(at, name)
				do()
				for _, other := range others {
					at[name] = other
					do()
				}
				at[name] = was
				each(was)
			}
			at["unheard-of"] = json.Number("1")
			do()
			delete(at, "unheard-of")
		case []any:
			for i, was := range at {
				for _, other := range others {
					at[i] = other
					do()
				}
				at[i] = was
				each(was)
			}
		}
	}
	each(v)
}

// others are values of all types.
var others = []any{nil, true, json.Number("-7"), json.Number("1.5"), "", "text", []any{"x"}, map[string]any{}}

// Each keyword that the validator knows is looked at, or goes beyond what is looked at.
func TestKeywordsThatAreAsked(t *testing.T) {
	plain := func() *jsonschema.Schema {
		return &jsonschema.Schema{MinProperties: -1, MaxProperties: -1, MinItems: -1, MaxItems: -1, MinContains: 1, MaxContains: -1, MinLength: -1, MaxLength: -1}
	}
	if goesBeyond(plain()) {
		t.Fatal("a schema without keywords goes beyond")
	}
	asked := []string{"Always", "Ref", "Types", "Constant", "Enum", "Not", "AllOf", "AnyOf", "OneOf", "If", "Then", "Else", "Required", "Properties",
		"PropertyNames", "AdditionalProperties", "MinItems", "Items", "Items2020", "MinLength", "Pattern", "Minimum"}
	says := []string{"Location", "Draft", "Title", "Description", "Default", "Comment", "ReadOnly", "WriteOnly", "Examples", "Deprecated",
		"ContainsEval", "MinContains", "MaxContains"} // the last three about Contains
	for _, f := range reflect.VisibleFields(reflect.TypeFor[jsonschema.Schema]()) {
		if !f.IsExported() || slices.Contains(asked, f.Name) || slices.Contains(says, f.Name) {
			continue
		}
		s := plain()
		switch v := reflect.ValueOf(s).Elem().FieldByIndex(f.Index); f.Type.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int:
			v.SetInt(1)
		case reflect.String:
			v.SetString("x")
		case reflect.Pointer:
			v.Set(reflect.New(f.Type.Elem()))
		case reflect.Slice:
			v.Set(reflect.MakeSlice(f.Type, 1, 1))
		case reflect.Map:
			v.Set(reflect.MakeMap(f.Type))
			v.SetMapIndex(reflect.Zero(f.Type.Key()), reflect.Zero(f.Type.Elem()))
		case reflect.Interface:
			v.Set(reflect.ValueOf(true))
		default:
			t.Fatalf("%s is a %s", f.Name, f.Type)
		}
		if !goesBeyond(s) {
			t.Errorf("nobody looks at %s", f.Name)
		}
	}
}

// No schema that is shipped needs the validator for what fits.
func TestShippedSchemasAreAsked(t *testing.T) {
	for _, dialect := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "a2x-0.3", "jaf-0.3", "directory-0.1", "core-schema"} {
		for in, f := range shipped(t, dialect).prechecks {
			if f.beyond {
				t.Errorf("%s: %s", dialect, in.Location)
			}
		}
	}
}

func FuzzFits(f *testing.F) {
	f.Add([]byte(operatorSchema), []byte(`{"kind":"message","parts":[{"kind":"text","text":"x"}]}`))
	f.Add([]byte(`{"$defs":{"T":{"patternProperties":{"a":{}},"additionalProperties":false}}}`), []byte(`{"a":1}`))
	f.Add([]byte(`{"$defs":{"T":{"prefixItems":[{}],"items":{"type":"string"}}}}`), []byte(`[1,"x"]`))
	f.Add([]byte(`{"$defs":{"T":{"not":{"type":"integer","minimum":3}}}}`), []byte(`3.0`))
	f.Add([]byte(`{"$defs":{"T":{"enum":[1,"a",null,[]],"allOf":[true,{"anyOf":[false,{"const":1e0}]}]}}}`), []byte(`1`))
	f.Add([]byte(`{"$defs":{"T":{"$ref":"#/$defs/U","type":"object"},"U":{"oneOf":[{"required":["a"]},{"propertyNames":{"pattern":"^a"}}]}}}`), []byte(`{"a":{}}`))
	f.Add([]byte(`{"definitions":{"T":{"additionalProperties":{"$ref":"#/definitions/T"},"minLength":1,"items":{"minItems":1}}}}`), []byte(`{"a":{"b":[[]]}}`))
	f.Fuzz(func(t *testing.T, document, instance []byte) {
		s, err := CompileShapes("f", document)
		if err != nil {
			return
		}
		var value any
		if json.Unmarshal(instance, &value) != nil {
			return
		}
		value = decoded(t, string(instance))
		for _, d := range s.Definitions() {
			agreesOrFails(t, s, d, value)
		}
	})
}

// agreesOrFails is agrees where the validator itself may fail.
func agreesOrFails(t *testing.T, s *Shapes, definition string, instance any) {
	defer func() {
		if fault := recover(); fault != nil && s.asked(s.defs[definition], instance) == fits {
			t.Errorf("%s: it is said that this fits, and the validator fails: %v", definition, fault)
		}
	}()
	agrees(t, s, definition, instance)
}
