package view

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Step is what a reader can do after a run: why, and the command or the setting that does it.
type Step struct{ Why, Command string }

// NextStep returns the one thing that helps the reader of a report most. It is the same in every format.
// The zero Step means that there is none, as for a transcript that was judged again.
func NextStep(r *report.Report) Step {
	server := safetext.ShellWord(safetext.Line(r.Target.URL, safetext.MaxName))
	run := RunCommand(r.Target)
	switch {
	case len(r.Target.Documents) > 0:
		return Step{"to run the tests again", run}
	case len(ResultsOfKind(r, SuiteError)) > 0:
		return Step{Why: "report this fault of a2a-conform (see CONTRIBUTING.md)"}
	case r.Verdict == report.Nonconformant:
		return nextStepForFailures(r, run)
	case r.Target.Kind == Replayed:
		return Step{}
	case r.Target.IsClient():
		return nextStepForClient(r, run)
	case r.Target.IsGateway():
		return nextStepForGateway(r, run)
	case r.Verdict == report.Unreachable:
		return Step{"when the server runs, to see whether it answers and what it can do", "a2a-conform probe " + server + " --wait 30s"}
	case r.NeedsCredentials:
		flag := cmp.Or(credentialFlag.FindString(strings.Join(append([]string{r.Reason}, r.Notices...), " ")), "--bearer-env")
		return Step{"with the credential in the variable A2A_TOKEN", run + " " + flag + " A2A_TOKEN"}
	case r.Run.Cut != "":
		return Step{"to let it go on to the end", run + " --deadline 10m"}
	case r.Verdict == report.Void:
		return Step{} // the reason names the flag
	case r.Verdict == report.Partial && r.Run.Selection != FullSelection:
		return Step{"to judge the whole catalogue", run}
	case r.Verdict == report.Partial:
		return nextStepForUndecided(r, run, server)
	case r.Target.Kind == Bundled:
		return Step{"to judge your own server", "a2a-conform run http://localhost:9999"}
	}
	return Step{"to show others a signed result", "a2a-conform keygen acme && " + run + " --sign acme.key"}
}

// nextStepForGateway returns the next step after a gateway was judged of which no failure is known.
func nextStepForGateway(r *report.Report, run string) Step {
	if r.Verdict == report.Partial && r.Target.Kind != Bundled && r.Target.Server == "" {
		return Step{"to see what reaches the server, with the gateway set up to pass calls on to that address", run + " --upstream-listen 127.0.0.1:9999"}
	}
	return Step{}
}

// RunCommand returns the command that judges a target again, for a shell. A server's card states its
// dialect; the bundled server has several.
func RunCommand(t report.Target) string {
	if len(t.Documents) > 0 {
		command := "a2a-conform acts"
		for _, file := range t.Documents {
			command += " " + safetext.ShellWord(safetext.Line(file, safetext.MaxName))
		}
		switch {
		case t.IsClient():
			return command + " -- " + FormatCommand(t.Command)
		case t.Kind == Bundled:
			return command + " --self"
		}
		return command + " " + safetext.ShellWord(safetext.Line(t.URL, safetext.MaxName))
	}
	if t.IsClient() {
		command := "a2a-conform client"
		if t.Kind == Bundled {
			command += " --self" + formatVariantFlag(t.Command)
		}
		if t.Kept {
			command += " --keep"
		}
		if len(t.With) > 0 {
			command += " --with " + safetext.ShellWord(safetext.Line(strings.Join(t.With, ","), safetext.MaxName))
		}
		if words := t.Declares["words"]; len(words) > 0 {
			command += " --declare " + safetext.ShellWord(safetext.Line(strings.Join(words, ","), safetext.MaxName))
		}
		return command + formatDialectFlag(t)
	}
	if t.IsGateway() {
		return gatewayCommand(t)
	}
	if t.Kind == Bundled {
		return "a2a-conform run --self" + formatDialectFlag(t)
	}
	return "a2a-conform run " + safetext.ShellWord(safetext.Line(t.URL, safetext.MaxName))
}

// gatewayCommand returns the command that judges a gateway again: before the bundled server or that of others, with this program behind
// the gateway if it was there.
func gatewayCommand(t report.Target) string {
	word := func(text string) string { return " " + safetext.ShellWord(safetext.Line(text, safetext.MaxName)) }
	command := "a2a-conform run"
	recorded := t.Kind == Bundled || t.Server != "" // what arrives
	if t.Kind != Bundled {
		command += word(cmp.Or(t.Server, t.URL))
	}
	command += " --through" + word(t.Through)
	if t.ThroughGRPC != "" {
		command += " --through" + word("GRPC="+t.ThroughGRPC)
	}
	if recorded {
		command += " --upstream-listen" + word(strings.TrimPrefix(t.URL, "http://"))
	}
	if t.Variant != "" {
		command += " --upstream-variant" + word(t.Variant)
	}
	flags, _ := FormatGatewayFlags(t)
	command += flags
	if t.Kind == Bundled {
		command += formatDialectFlag(t)
	}
	return command
}

// gatewayFlags are the flags that say how a gateway is called. A report may be of others, and so has no flag here that reads or writes
// a file.
var gatewayFlags = []string{"--header", "--api-key-header", "--timeout", "--deadline"}

// FormatGatewayFlags returns the flags that say how the gateway was called, each behind a blank, and the names of the secrets that
// they take from variables of the environment.
func FormatGatewayFlags(t report.Target) (flags string, secrets []string) {
	for _, flag := range t.Flags {
		name, value, _ := strings.Cut(flag, " ")
		if name != "" && credentialFlag.FindString(name) == name {
			secret := strings.TrimSuffix(strings.TrimPrefix(name, "--"), "-env")
			flags, secrets = flags+" "+name+" "+safetext.Variable(secret), append(secrets, secret)
		} else if slices.Contains(gatewayFlags, name) {
			value = safetext.Line(value, safetext.MaxReason)
			flags += " " + name + " " + safetext.ReplaceSecretMarks(value, safetext.ShellWord)
			for _, mark := range safetext.SecretMark.FindAllStringSubmatch(value, -1) {
				secrets = append(secrets, mark[1])
			}
		}
	}
	return flags, secrets
}

// CheckCommand returns the command that judges one requirement of a target again, or all if the id is "". It is
// "" for a transcript, whose server may not be there.
func CheckCommand(t report.Target, id string) string {
	if t.Kind == Replayed {
		return ""
	}
	command := RunCommand(t)
	if len(t.Documents) > 0 {
		return command
	}
	if t.Kind != Bundled && !t.IsClient() { // their commands have the flag
		command += formatDialectFlag(t)
	}
	usedByHand := t.IsClient() && t.Kind != Bundled && len(t.Command) == 0
	if usedByHand {
		command += " --listen 127.0.0.1:0"
	}
	if t.IsGateway() {
		return command
	}
	if id != "" {
		command += " --run " + safetext.ShellWord(safetext.Line(id, safetext.MaxName))
	}
	if t.IsClient() && t.Kind != Bundled && !usedByHand {
		command += " -- " + FormatCommand(t.Command)
	}
	return command
}

// formatVariantFlag returns the flag that names the variant of the bundled client, behind a blank; "" for the usual one.
func formatVariantFlag(command []string) string {
	const usual = "streaming"
	if i := slices.Index(command, "--variant"); i >= 0 && i+1 < len(command) && command[i+1] != usual {
		return " --variant " + safetext.ShellWord(safetext.Line(command[i+1], safetext.MaxName))
	}
	return ""
}

// formatDialectFlag returns the flag that names the dialect of a target, behind a blank.
func formatDialectFlag(t report.Target) string {
	return " --dialect " + safetext.ShellWord(safetext.Line(t.Dialect, safetext.MaxName))
}

// credentialFlag is a flag that gives the suite a credential.
var credentialFlag = regexp.MustCompile(`--(bearer|basic|api-key)-env`)

// nextStepForFailures returns the failure to begin with: the first that is no known fault of
// the SDK that the operator named. If all are, their waivers leave only the agent's own failures red.
func nextStepForFailures(r *report.Report, run string) Step {
	roots := RootFailures(r, Fail)
	if len(roots) == 0 {
		return Step{}
	}
	first := slices.IndexFunc(roots, func(res *report.Result) bool { return res.Known == nil || res.Known.Supposed })
	if first < 0 && r.SDK != nil && r.SDK.Waive != "" && r.Target.Kind != Replayed {
		return Step{"to waive the known faults of " + safetext.Line(r.SDK.Title(), safetext.MaxName) + " until they are mended, so that the gate fails on faults of your own",
			run + " --waivers " + safetext.ShellWord(safetext.Line(r.SDK.Waive, safetext.MaxName))}
	}
	id := roots[max(first, 0)].ID
	return Step{"to see what " + id + " requires and how it is tested", "a2a-conform explain " + safetext.ShellWord(safetext.Line(id, safetext.MaxName))}
}

// nextStepForUndecided returns what would decide most of the undecided requirements. The messages that make an agent
// show its behaviours come together: init finds them at once.
func nextStepForUndecided(r *report.Report, run, server string) Step {
	shows, most := 0, (*UndecidedGroup)(nil)
	for _, o := range GroupUndecidedByRemedy(r) {
		switch {
		case o.Remedy == "":
		case strings.HasPrefix(o.Remedy, "stimuli:"):
			shows += len(o.Results)
		case most == nil || len(o.Results) > len(most.Results):
			most = o
		}
	}
	decides := func(n int) string { return "to decide " + safetext.CountWithNoun(n, "more requirement") }
	switch {
	case shows > 0 && len(r.Target.Declares) == 0 && r.Target.Kind != Bundled && (most == nil || shows >= len(most.Results)):
		return Step{"to find the messages that decide up to " + safetext.CountWithNoun(shows, "more requirement"), "a2a-conform init " + server}
	case most != nil:
		add, _, _ := strings.Cut(safetext.Line(most.Remedy, safetext.MaxExcerpt), "  or  ")
		if add = strings.TrimSpace(add); strings.HasPrefix(add, "--") {
			return Step{decides(len(most.Results)), run + " " + add}
		}
		return Step{decides(len(most.Results)) + ", add to a2a-conform.yaml", add}
	case shows > 0:
		for _, o := range GroupUndecidedByRemedy(r) {
			if strings.HasPrefix(o.Remedy, "stimuli:") {
				return Step{decides(len(o.Results)) + ", add to a2a-conform.yaml", safetext.Line(o.Remedy, safetext.MaxExcerpt)}
			}
		}
	}
	if waived := ResultsOfKind(r, Waived); len(waived) > 0 {
		return Step{"to see what the waived " + waived[0].ID + " requires", "a2a-conform explain " + safetext.ShellWord(safetext.Line(waived[0].ID, safetext.MaxName))}
	}
	if open := ResultsOfKind(r, Inconclusive); len(open) > 0 {
		return Step{"to see how " + open[0].ID + " is tested", "a2a-conform explain " + safetext.ShellWord(safetext.Line(open[0].ID, safetext.MaxName))}
	}
	return Step{}
}

// String returns the step as a line.
func (s Step) String() string {
	if s.Command == "" {
		return s.Why
	}
	return s.Why + ": " + s.Command
}

var clientPlaceholder = regexp.MustCompile(`\{[a-z]+\}`)

// FormatCommand returns the command of a client as it is written in a shell. The placeholders stay as they are.
func FormatCommand(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = safetext.Line(w, safetext.MaxName)
		if rest := "-" + clientPlaceholder.ReplaceAllString(words[i], ""); safetext.ShellWord(rest) != rest {
			words[i] = safetext.ShellWord(words[i])
		}
	}
	return strings.Join(words, " ")
}

// nextStepForClient returns what helps the maker of a client whose run shows no fault.
func nextStepForClient(r *report.Report, run string) Step {
	again := CheckCommand(r.Target, "")
	switch {
	case r.Target.Kind == Bundled:
		return Step{"to judge your own client", "a2a-conform client -- COMMAND {url} {text}"}
	case len(r.Target.Command) == 0:
		return Step{"to have the suite start the client", run + " -- COMMAND {url} {text}"}
	case r.Verdict == report.Unreachable, r.Verdict == report.Void:
		return Step{"once the command sends a message by itself", again}
	case r.Run.Selection != FullSelection, r.Run.Cut != "":
		return Step{"to judge the whole catalogue", again}
	}
	return Step{}
}
