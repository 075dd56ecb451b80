package prove

import (
	"bytes"
	"fmt"
	"reflect"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// difference names the first exported place at which two values differ, "" if
// there is none. What is empty is the same as what is not there.
func difference(a, b reflect.Value) string {
	switch x := a.Interface().(type) {
	case []byte:
		if !bytes.Equal(x, b.Bytes()) {
			return fmt.Sprintf(": %.200q, %.200q", x, b.Bytes())
		}
		return ""
	case time.Time:
		if y := b.Interface().(time.Time); !x.Equal(y) {
			return fmt.Sprintf(": %v, %v", x, y)
		}
		return ""
	case record.Step: // its exchange is compared among the exchanges
		y := b.Interface().(record.Step)
		if x.Exchange != nil && y.Exchange != nil && x.Exchange.ID == y.Exchange.ID {
			x.Exchange, y.Exchange = nil, nil
		}
		a, b = reflect.ValueOf(x), reflect.ValueOf(y)
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return fmt.Sprintf(": %v, %v", a, b)
			}
			return ""
		}
		return difference(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() {
				if d := difference(a.Field(i), b.Field(i)); d != "" {
					return "." + f.Name + d
				}
			}
		}
	case reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if d := difference(a.Index(i), b.Index(i)); d != "" {
				return fmt.Sprintf("[%d]%s", i, d)
			}
		}
		if a.Len() != b.Len() {
			return fmt.Sprintf(": %d elements, %d elements", a.Len(), b.Len())
		}
	default:
		if (a.Kind() != reflect.Map || a.Len()+b.Len() > 0) && !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return fmt.Sprintf(": %v, %v", a, b)
		}
	}
	return ""
}
