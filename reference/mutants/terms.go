package mutants

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// A pointer is one of RFC 6901 in the form in which package front has paths: without the
// first slash. Names with a slash or a tilde do not occur.
type pointer string

func (p *pointer) setFromText(_ *Vocabulary, text string) error {
	path, ok := strings.CutPrefix(text, "/")
	if !ok && text != "" {
		return errors.New("a pointer begins with a slash")
	}
	*p = pointer(path)
	return nil
}

// A method is the protocol's own name of an operation.
type method string

func (m *method) setFromText(v *Vocabulary, text string) error {
	*m = method(v.methodsByTableName()[text])
	if *m == "" {
		return errors.New("the protocol has no such operation")
	}
	return nil
}

// A missingRoute keeps requests of HTTP+JSON from the route to an operation.
type missingRoute func(*http.Request)

func (m *missingRoute) setFromText(v *Vocabulary, text string) error {
	var operation method
	if err := operation.setFromText(v, text); err != nil {
		return err
	}
	if v.REST == nil {
		return errors.New("the protocol has no HTTP+JSON")
	}
	*m = func(r *http.Request) {
		if v.REST.Method(r) == string(operation) {
			Repath(r, v.REST.Base, Nowhere)
		}
	}
	return nil
}

// An errorCode is the protocol's code of an error.
type errorCode int

func (c *errorCode) setFromText(v *Vocabulary, name string) error {
	code, ok := v.codesByName()[name]
	if !ok || code == 0 {
		return errors.New("the protocol has no such error")
	}
	*c = errorCode(code)
	return nil
}

// An operator is the name of an operation of RFC 6902.
type operator string

func (o *operator) setFromText(_ *Vocabulary, text string) error {
	*o = operator(text)
	if !slices.Contains([]string{"add", "remove", "replace", "copy", "move", "test"}, text) {
		return errors.New("this is no operation of RFC 6902")
	}
	return nil
}

// A duration is a time such as 500ms.
type duration time.Duration

func (d *duration) setFromText(_ *Vocabulary, text string) error {
	t, err := time.ParseDuration(text)
	*d = duration(t)
	return err
}

// A document is a source of values besides the body that is edited.
type document string

func (d *document) setFromText(_ *Vocabulary, text string) error {
	*d = document(text)
	if text != "call" && text != "before" {
		return errors.New("this must be call or before")
	}
	return nil
}

// The flags are names of boolean fields.
type (
	engineFlag   string
	registryFlag string
	serverFlag   string
)

func (f *engineFlag) setFromText(_ *Vocabulary, text string) error {
	*f = engineFlag(text)
	return requireBoolField(engine.Defects{}, text)
}

func (f *registryFlag) setFromText(_ *Vocabulary, text string) error {
	*f = registryFlag(text)
	return requireBoolField(front.RegistryFaults{}, text)
}

func (f *serverFlag) setFromText(_ *Vocabulary, text string) error {
	*f = serverFlag(text)
	return requireBoolField(front.Mutant{}, text)
}

func requireBoolField(structValue any, name string) error {
	field, ok := reflect.TypeOf(structValue).FieldByName(name)
	if !ok || !field.IsExported() || field.Type.Kind() != reflect.Bool {
		return fmt.Errorf("%T has no flag of this name", structValue)
	}
	return nil
}

// setBoolFieldsTrue sets the named fields of a struct.
func setBoolFieldsTrue[F ~string](structPointer any, names []F) {
	for _, name := range names {
		reflect.ValueOf(structPointer).Elem().FieldByName(string(name)).SetBool(true)
	}
}
