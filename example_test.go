package conform_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// start serves an agent for an example: the bundled server, with a defect or
// none.
func start(mutant string) *reference.Server {
	server, err := reference.Start(context.Background(), reference.Options{Dialect: "a2a-0.1", Mutant: mutant})
	if err != nil {
		log.Fatal(err)
	}
	return server
}

// A run tells what the server keeps and what it breaks.
func ExampleRun() {
	agent := start("final-missing") // it forgets to mark the last event
	defer agent.Close()

	outcome, err := conform.Run(context.Background(), conform.Target{
		URL:       agent.URL(),
		Behaviour: conform.Behaviour{DefaultStimuli: true}, // the texts that the bundled server understands
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.Report.Verdict)
	for _, r := range outcome.Report.Results {
		if r.Verdict == report.Fail {
			fmt.Println(r.ID, r.Level, r.Statement)
		}
	}
	// Output:
	// nonconformant
	// A2A01-STR-012 MUST In a stream that ends normally, the last status update must have `final` `true`.
}

// What is known to fail is waived, with a reason and a last day. It is never a
// pass: the run is partial.
func ExampleRun_waivers() {
	agent := start("final-missing")
	defer agent.Close()
	waivers, err := conform.ParseWaivers("waivers.yaml", []byte(`
waivers:
  - id: A2A01-STR-012
    why: ticket 4711
    until: 2999-12-31
`))
	if err != nil {
		log.Fatal(err)
	}
	outcome, err := conform.Run(context.Background(), conform.Target{URL: agent.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true}, Judging: conform.Judging{Waivers: waivers}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.Report.Verdict, outcome.ExitCode(), outcome.Report.Waivers[0].State)
	// Output: partial 3 in-force
}

// A recording is judged again without any network.
func ExampleReplay() {
	agent := start("")
	outcome, err := conform.Run(context.Background(), conform.Target{
		URL: agent.URL(),
		Behaviour: conform.Behaviour{
			DefaultStimuli: true,
			Webhook:        conform.Webhook{Listen: "127.0.0.1:0"}, // it pushes, and we receive
		},
	})
	agent.Close()
	if err != nil {
		log.Fatal(err)
	}
	var har bytes.Buffer
	if err := record.WriteHAR(&har, outcome.Transcript); err != nil {
		log.Fatal(err)
	}
	again, err := conform.Replay(&har)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Report.Verdict)
	// Output: conformant
}

// A plan sends nothing.
func ExamplePlan() {
	plan, err := conform.Plan(context.Background(), conform.Target{
		Dialect: "a2a-0.1",
		Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A01-STR-041"}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range plan {
		if p.Scenario == "resubscribe" {
			fmt.Println(p.Scenario, p.Risk)
		}
	}
	// Output: resubscribe harmless
}

// In the tests of a server, Test makes a subtest of every requirement.
func ExampleTest() {
	myAgent := http.NotFoundHandler()

	_ = func(t *testing.T) { // func TestConformance(t *testing.T)
		server := httptest.NewServer(myAgent)
		defer server.Close()
		// report.html has the bytes behind every failure; go test prints its path if the test fails.
		conform.Test(t, server.URL, conform.Reports("a2a-report"), func(target *conform.Target) {
			target.Never = []string{"ask", "fail"} // what the agent never does
		})
	}
}
