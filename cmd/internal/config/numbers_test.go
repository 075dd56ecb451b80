package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
)

// numbersOf lists the keys of a configuration that are numbers with a fraction, each with what has to be
// written around it.
func numbersOf(t reflect.Type, path string, out map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		numbersOf(t.Elem(), path, out)
	case reflect.Map:
		numbersOf(t.Elem(), path+".quick", out)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous {
				numbersOf(f.Type, path, out)
			} else if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" && name != "-" {
				numbersOf(f.Type, path+"."+name, out)
			}
		}
	case reflect.Float32, reflect.Float64:
		out[strings.TrimPrefix(path, ".")] = true
	}
}

// Every number of a configuration that JSON cannot write is refused before a run begins, because its
// record could not be written.
func TestNumbersThatNoRecordHolds(t *testing.T) {
	found := map[string]bool{}
	numbersOf(reflect.TypeFor[Keys](), "", found)
	if !found["declares.rateLimit.seconds"] || !found["declares.timeouts.call"] || !found["stimuli.quick.seconds"] {
		t.Fatal("the test does not find the numbers:", found)
	}
	besides := map[string]string{"declares.rateLimit.seconds": ", requests: 5", "stimuli.quick.seconds": ", text: hello"}
	for path := range found {
		for value, good := range map[string]bool{".nan": false, ".inf": false, "-.inf": false, "1e300": false, "-1": false, "5": true} {
			keys := strings.Split(path, ".")
			text := fmt.Sprintf("%s: %s%s", keys[len(keys)-1], value, besides[path])
			for i := len(keys) - 2; i >= 0; i-- {
				text = fmt.Sprintf("%s: {%s}", keys[i], text)
			}
			err := Parse("c.yaml", []byte(text), &conform.Target{}, FromOutside)
			if good && err != nil || !good && (err == nil || !strings.HasPrefix(err.Error(), "c.yaml:1: ")) {
				t.Errorf("%s: got %v, good is %v", text, err, good)
			}
		}
	}
	for _, value := range []string{".nan", "[.inf]", "{a: -.inf}"} {
		text := "stimuli: {pay: {text: pay, payment: {amount: " + value + "}}}"
		if err := Parse("c.yaml", []byte(text), &conform.Target{}, FromOutside); err == nil || !strings.Contains(err.Error(), "cannot be sent as JSON") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
