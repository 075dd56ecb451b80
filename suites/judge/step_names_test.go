package judge

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type onOne struct {
	Step string `json:"step" step:"{}"`
}

func TestStepNames(t *testing.T) {
	type given struct {
		onOne
		_     struct{} `step:"card/well-known quick/send"`
		Plays []string `json:"plays" step:"{}/"`
		Play  string   `json:"play" step:"{}/set {}/after"`
		Then  string   `json:"then" step:"{play}/{}"`
		Maybe string   `json:"maybe" step:"{},optional"`
		Looks []struct {
			One string `json:"one" step:"{}"`
		} `json:"looks"`
		Codes []string `json:"codes"`
	}
	for _, c := range []struct{ with, want string }{
		{`{"step":"a/b","plays":["p","q"],"play":"r","then":"t","maybe":"m/n","looks":[{"one":"x/1"},{"one":"x/2"}],"codes":["no/step"]}`,
			"a/b card/well-known quick/send p/ q/ r/set r/after r/t m/n x/1 x/2"},
		{`{"step":"{play}/b","play":"r","then":"t"}`, "{play}/b card/well-known quick/send r/set r/after r/t"},
	} {
		check := Define("steps", "names steps", func(*T, given) {})
		got, err := check.Needs(object(t, c.with))
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s names %q (%v), want %q", c.with, got, err, c.want)
		}
	}
}

// What has to be given and is not shows as a name that no step bears.
func TestStepNamesOfNothing(t *testing.T) {
	check := Define("steps", "names a step", func(*T, onOne) {})
	if got, err := check.Needs(nil); err != nil || !reflect.DeepEqual(got, []string{""}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestStepTagsThatMakeNoSense(t *testing.T) {
	for _, c := range []struct {
		params any
		want   string
	}{
		{struct {
			N int `json:"n" step:"{}"`
		}{}, "holds no text"},
		{struct {
			S string `json:"s" step:""`
		}{}, "names no step"},
		{struct {
			S string `json:"s" step:"card/well-known"`
		}{}, "the field's own value"},
		{struct {
			_ struct{} `step:"{}/all"`
		}{}, "the field's own value"},
		{struct {
			S string `json:"s" step:"{play}/{}"`
		}{}, "speaks of play"},
		{struct {
			In []struct {
				S []int `json:"s" step:"{}"`
			} `json:"in"`
		}{}, "holds no text"},
	} {
		if _, err := stepNames(reflect.TypeOf(c.params)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v, want %q", c.params, err, c.want)
		}
	}
}

func object(t *testing.T, text string) (out map[string]any) {
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
