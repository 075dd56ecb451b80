package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// emptyAllowed marks flags that mean something without a value.
const emptyAllowed = "a2a-conform-empty"

// AllowEmpty lets a flag be given without a value, which turns something off.
func AllowEmpty(fl *pflag.FlagSet, name string) {
	Must(fl.SetAnnotation(name, emptyAllowed, []string{"true"}))
}

// findEmptyFlags finds flags that were given without a value, as a variable does that
// expands to nothing: they would be taken for flags that were left out.
func findEmptyFlags(fl *pflag.FlagSet) error {
	var errs []error
	fl.Visit(func(f *pflag.Flag) {
		given := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			given = list.GetSlice()
		}
		if _, allowed := f.Annotations[emptyAllowed]; allowed {
			return
		}
		if len(given) == 0 || slices.Contains(given, "") {
			errs = append(errs, fmt.Errorf("--%s is empty (is a variable empty?); give it a value, or leave it out", f.Name))
		}
	})
	return errors.Join(errs...)
}
