package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// findEmptyFlags finds flags that were given without a value, as a variable does that
// expands to nothing: they would be taken for flags that were left out.
func findEmptyFlags(fl *pflag.FlagSet) error {
	var errs []error
	fl.Visit(func(f *pflag.Flag) {
		given := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			given = list.GetSlice()
		}
		if len(given) == 0 || slices.Contains(given, "") {
			errs = append(errs, fmt.Errorf("--%s is empty (is a variable empty?); give it a value, or leave it out", f.Name))
		}
	})
	return errors.Join(errs...)
}
