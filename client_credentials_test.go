package conform_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference/client"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The bundled client shows its credentials rightly, and a faulty one carries them into messages: a replay of the record comes to the
// same, and no file has a credential.
func TestClientsWithCredentials(t *testing.T) {
	for mutant, want := range map[string]report.Verdict{"": report.Pass, "credentials-in-metadata": report.Fail} {
		t.Run("mutant "+mutant, func(t *testing.T) {
			t.Parallel()
			var given []string
			target := conform.ClientTarget{Name: "bundled", With: []string{"credentials"}, Scenarios: []string{"auth-bearer", "auth-basic"}, Jobs: 1,
				Func: func(ctx context.Context, c *conform.ClientRun) error {
					for _, value := range c.Credentials {
						given = append(given, value)
					}
					code := client.Run(ctx, client.Options{URL: c.URL, Text: c.Text, Second: c.Second, Mutant: mutant, Credentials: client.ReadCredentials(c.Credentials), Stdin: strings.NewReader(""), Stdout: c.Out, Stderr: c.Out})
					if code != 0 {
						return fmt.Errorf("exit code %d", code)
					}
					return nil
				}}
			o, err := conform.RunClient(t.Context(), target)
			if err != nil {
				t.Fatal(err)
			}
			var har bytes.Buffer
			if err := record.WriteHAR(&har, o.Transcript); err != nil {
				t.Fatal(err)
			}
			again, err := conform.Replay(bytes.NewReader(har.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			for _, of := range []*conform.Outcome{o, again} {
				for _, r := range of.Report.Results {
					if r.ID == "A2A10-CL-AUTH-007" && r.Verdict != want || r.Verdict == report.Fail && want == report.Pass {
						t.Errorf("%s: %s (%s)", r.ID, r.Verdict, r.Reason)
					}
				}
			}
			dir := t.TempDir()
			if err := reports.Write(dir, o.Report, o.Transcript, nil); err != nil {
				t.Fatal(err)
			}
			files, err := os.ReadDir(dir)
			if err != nil || len(given) < 2 {
				t.Fatalf("the client was given %d credentials; %v", len(given), err)
			}
			texts := map[string]string{"the transcript": har.String()}
			for _, f := range files {
				if text, err := os.ReadFile(filepath.Join(dir, f.Name())); err == nil { // or it is a folder
					texts[f.Name()] = string(text)
				}
			}
			for name, text := range texts {
				for _, value := range given {
					if strings.Contains(text, value) {
						t.Errorf("%s has a credential", name)
					}
				}
			}
		})
	}
}

// A scenario that needs what was not granted is not played in silence.
func TestClientScenariosNeedExtras(t *testing.T) {
	target := conform.ClientTarget{Command: []string{"mine"}, Scenarios: []string{"auth-bearer"}}
	_, err := conform.PlanClient(target)
	var usage *conform.UsageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "add --with credentials") {
		t.Errorf("got %v", err)
	}
	target.With = []string{"credentials"}
	scripts, err := conform.PlanClient(target)
	if err != nil || len(scripts) != 4 {
		t.Errorf("got %d scenarios, %v", len(scripts), err)
	}
	target.Scenarios, target.With = nil, nil
	if scripts, err = conform.PlanClient(target); err != nil {
		t.Fatal(err)
	}
	for _, s := range scripts {
		if len(s.Needs) > 0 {
			t.Errorf("%s is played without %s", s.Name, s.Needs)
		}
	}
}
