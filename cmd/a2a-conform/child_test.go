package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// stepsVariable has the ids of calls name the step, for servers that act on one.
const stepsVariable = "A2A_CONFORM_STEPS"

// waitVariable has a process run the program for fleets as a child and wait for it, as it does where
// no program can take the place of a process.
const waitVariable = "A2A_CONFORM_WAIT"

// stepsAsIDs has the ids of calls name the step.
var stepsAsIDs = operator.Naming{Call: func(step string) string { return step }}

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == hostileClientWord {
		hostileClients[os.Args[2]](os.Args[3])
		os.Exit(0)
	}
	runFleetProgram = runProgram // these tests have to go on
	code := commandtest.Main(m, func() {
		if os.Getenv(waitVariable) == "" {
			runFleetProgram = replaceProcess
		}
		if os.Getenv(stepsVariable) != "" {
			flagNaming = stepsAsIDs
		}
	}, execute)
	os.RemoveAll(fleetFolder)
	os.Exit(code)
}

// packageFolder is the folder of this package, which tests may leave.
var packageFolder, _ = os.Getwd()

// fleetFolder is the folder of builtFleet, if that was built.
var fleetFolder string

// child is a run of the command in a process of its own.
type child = commandtest.Child

// newChild prepares a run in a folder of its own. What is passed on to the program for fleets
// finds its test program, which is that program in the same way.
func newChild(t *testing.T, args ...string) *child {
	t.Helper()
	c := commandtest.NewChild(t, args...)
	if len(args) > 0 && args[0] == fleetName {
		c.Env = append(c.Env, fleetInPath(t))
	}
	return c
}

// fleetInPath is a variable PATH in which the program for fleets is found.
func fleetInPath(t *testing.T) string {
	t.Helper()
	file, err := builtFleet()
	if err != nil {
		t.Fatal(err)
	}
	return "PATH=" + filepath.Dir(file) + string(os.PathListSeparator) + os.Getenv("PATH")
}

// builtFleet is the test program of the program for fleets, built once.
var builtFleet = sync.OnceValues(func() (string, error) {
	var err error
	if fleetFolder, err = os.MkdirTemp("", "a2a-conform-fleet"); err != nil {
		return "", err
	}
	file := filepath.Join(fleetFolder, fleetProgram)
	build := exec.Command("go", "test", "-c", "-o", file, "../a2a-conform-fleet")
	build.Dir = packageFolder
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})
