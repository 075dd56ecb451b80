package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// insertRunBeforeLeadingURL puts in the command that a URL represents as the first argument, and passes on who
// asks for help about fleets.
func insertRunBeforeLeadingURL(args []string) []string {
	at := 0
	if len(args) > 2 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // it may be asked what could follow
		at = 1
	}
	if len(args) == 0 {
		return args
	}
	if args[0] == "help" && len(args) > 1 && args[1] == fleetName { // the program for fleets knows it
		return append([]string{fleetName, "help"}, args[2:]...)
	}
	first := strings.ToLower(addLoopbackScheme(args[at]))
	if !strings.HasPrefix(first, "http://") && !strings.HasPrefix(first, "https://") {
		return args
	}
	return slices.Insert(slices.Clone(args), at, "run")
}

// flagSwitch is a flag that takes no value, and reports it to who gives it one.
type flagSwitch struct {
	on   *bool
	says string
}

// Set, String, Type and IsBoolFlag make it a flag of pflag's.
func (s flagSwitch) Set(v string) error {
	if v != "true" && v != "false" {
		return errors.New(s.says)
	}
	*s.on = v == "true"
	return nil
}

func (s flagSwitch) String() string { return fmt.Sprint(s.on != nil && *s.on) }

func (flagSwitch) Type() string { return "bool" }

// IsBoolFlag lets it stand without a value.
func (flagSwitch) IsBoolFlag() bool { return true }
