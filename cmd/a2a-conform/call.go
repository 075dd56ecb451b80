package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
)

func callCommand() *cobra.Command {
	var f runFlags
	var binding, url string
	cmd := &cobra.Command{
		Use:   "call REPORT EXCHANGE",
		Short: "Send one recorded call again, and print the answer",
		Long: `call sends one recorded call of a run again and prints the answer: status and headers, and the body or the events.
REPORT is the folder of a run's reports, its report.json or its transcript.har. EXCHANGE is the number of the call in
the reports. The call goes to its recorded address, or to the endpoint of --url.

Without --binding, the call is sent byte for byte as recorded. With --binding, the same operation with the same
parameters is sent in another binding, to the address that the card lists for it, unless --url names another.

Recordings do not contain credentials. Those of the flags are sent to the address in the first line of the output:
look at that address before you send credentials for a recording that is not your own.

Exit codes: 0 the server answered, whatever it answered · 2 no answer, or an error in the command line.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("call takes a report and the number of an exchange, such as: call a2a-report 14")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := openRecording(args[0])
			if err != nil {
				return err
			}
			x, err := r.findExchange(args[1])
			if err != nil {
				return err
			}
			call, err := r.rebuildCall(x, binding, url)
			if err != nil {
				return fmt.Errorf("exchange %d: %w", x.ID, err)
			}
			return f.sendCallAndPrintAnswer(cmd, call)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&binding, "binding", "", "binding to send it in, such as JSONRPC (default: the recorded one)")
	fl.StringVar(&url, "url", "", "URL of the endpoint to send it to, instead of the recorded one")
	f.addAuthFlags(fl)
	fl.DurationVar(&f.typed.Timeout, "timeout", 30*time.Second, "wait at most this long for the answer")
	return cmd
}

// sendCallAndPrintAnswer sends a call with the credentials of the flags, and prints what came.
func (f *runFlags) sendCallAndPrintAnswer(cmd *cobra.Command, call *recordedCall) error {
	target := f.typed
	target.URL, target.Version = call.URL, programVersion()
	if err := f.readCredentials(&target); err != nil {
		return err
	}
	if f.typed.Timeout <= 0 {
		return errors.New("--timeout must be more than 0")
	}
	if (f.typed.Cert == "") != (f.typed.Key == "") {
		return errors.New("--client-cert and --client-key belong together; one of them is missing")
	}
	if err := call.fillBodySecrets(target); err != nil {
		return err
	}
	target.URL = call.URL
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s %s (%s)\n", safetext.OneLine(call.Method), safetext.OneLine(redact.StripSecrets(call.URL)), call.name)
	x, err := harness.Send(cmd.Context(), target, call.Call, call.anonymous)
	switch {
	case err != nil:
		return err
	case !x.Answered():
		return fmt.Errorf("no answer came from %s: %s", safetext.OneLine(redact.StripSecrets(call.URL)), safetext.OneLine(describeNoAnswer(x)))
	}
	if err := reports.Answer(out, x); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s, after %s\n", safetext.OneLine(call.describeAnswer(x)), (x.End - x.Start).Round(100*time.Microsecond))
	for _, name := range call.missingSecrets(target) {
		fmt.Fprintf(cmd.ErrOrStderr(), "the recorded call carried the credential %s, and recordings do not contain credentials; send one with --bearer-env, --basic-env, --api-key-env or --header\n", safetext.OneLine(name))
	}
	return err
}

// describeNoAnswer explains why there is no answer.
func describeNoAnswer(x *record.Exchange) string {
	switch {
	case x.Trouble != "":
		return x.Trouble
	case x.Ended == record.Timeout:
		return "no answer within --timeout"
	}
	return "the connection was closed"
}

// openRecording finds and reads the transcript of a run: that of the folder, that next to
// a report.json, or the file itself.
func openRecording(name string) (*recording, error) {
	file := name
	switch info, err := os.Stat(name); {
	case err != nil:
		return nil, err
	case info.IsDir():
		file = filepath.Join(name, files.TranscriptFile)
	case strings.EqualFold(filepath.Ext(name), ".json"):
		file = filepath.Join(filepath.Dir(name), files.TranscriptFile)
	}
	in, err := schema.OpenFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no %[2]s in the folder of %[1]s, and the calls are in that file; name the folder of a run, or the file itself", name, files.TranscriptFile)
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := record.ReadHAR(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	d, err := schema.Load(t.Facts.Dialect)
	if err != nil {
		d = nil // calls can be sent as they are, but not read
	}
	return &recording{t, d}, nil
}

// findExchange finds the call of that number.
func (r *recording) findExchange(number string) (*record.Exchange, error) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("%q is not the number of an exchange; %s", number, r.describeCallNumbers())
	}
	if n < 1 || n > len(r.transcript.Exchanges) {
		return nil, fmt.Errorf("there is no exchange %d; %s", n, r.describeCallNumbers())
	}
	switch x := r.transcript.Exchanges[n-1]; {
	case x.Dir == record.In && r.transcript.Facts.Role == record.ClientRole:
		return nil, fmt.Errorf("exchange %d is a request of the client that was judged, which this program cannot send; the scripts in reproduce/ start the client again", n)
	case x.Dir == record.In:
		return nil, fmt.Errorf("exchange %d is a call that the server made to our webhook, so this program cannot send it; %s", n, r.describeCallNumbers())
	case x.Dir == record.Given:
		return nil, fmt.Errorf("exchange %d is a local file that the run was given, so nothing was sent for it; %s", n, r.describeCallNumbers())
	default:
		return x, nil
	}
}

// describeCallNumbers describes which calls there are.
func (r *recording) describeCallNumbers() string {
	var spans []string
	first, last := 0, 0
	end := func() {
		switch {
		case first == 0:
		case first == last:
			spans = append(spans, fmt.Sprint(first))
		default:
			spans = append(spans, fmt.Sprintf("%d to %d", first, last))
		}
	}
	for _, x := range r.transcript.Exchanges {
		switch {
		case x.Dir != record.Out:
		case x.ID == last+1 && first > 0:
			last = x.ID
		default:
			end()
			first, last = x.ID, x.ID
		}
	}
	end()
	const most = 12
	if len(spans) == 0 {
		return "the recording contains no calls"
	}
	if more := len(spans) - most; more > 0 {
		spans = append(spans[:most], fmt.Sprintf("and %d more", more))
	}
	return "the recorded calls are " + strings.Join(spans, ", ")
}
