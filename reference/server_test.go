package reference

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestStartNamesTheValidChoices(t *testing.T) {
	for _, test := range []struct {
		name string
		o    Options
		want string
	}{
		{"dialect", Options{Dialect: "x"}, "a2a-0.1, a2a-0.3, a2a-1.0, a2x-0.3, jaf-0.3"},
		{"variant", Options{Dialect: "a2a-0.1", Variant: "x"}, "full, lavish, minimal"},
		{"mutant", Options{Dialect: "a2a-0.1", Mutant: "x"}, "final-missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := Start(context.Background(), test.o)
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v does not list %s", err, test.want)
			}
		})
	}
}

func TestMutantsAreWellFormed(t *testing.T) {
	for _, d := range protocols {
		seen := make(map[string]bool)
		for _, m := range d.Mutants() {
			if !m.Sound() || seen[m.Name] {
				t.Errorf("%s: mutant %+v is incomplete or named twice", d.Name, m)
			}
			if !slices.Contains(Variants(d.Name), cmp.Or(m.Variant, "full")) {
				t.Errorf("%s: mutant %s names no variant: %s", d.Name, m.Name, m.Variant)
			}
			seen[m.Name] = true
		}
		if !slices.IsSortedFunc(Mutants(d.Name), func(a, b MutantInfo) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("%s: mutants are not sorted", d.Name)
		}
	}
}

func TestCloseLeavesNothingRunning(t *testing.T) {
	for _, dialect := range Dialects() {
		s, err := Start(context.Background(), Options{Dialect: dialect})
		if err != nil {
			t.Fatal(err)
		}
		opened := make(chan bool)
		done := make(chan bool)
		client := &http.Client{Transport: &http.Transport{}}
		go func() {
			defer close(done)
			method, params, url := "tasks/sendSubscribe", a2aText("t", "slow 60"), s.URL()
			switch dialect {
			case "a2a-0.3":
				method, params = "message/stream", v03Text("slow 60", "")
			case "a2x-0.3":
				method, params, url = "message/stream", v03Text("slow 60", ""), s.URL()+"/api/a2a"
			case "jaf-0.3":
				method, params, url = "message/stream", jafText("c", "slow 60"), s.URL()+"/a2a"
			}
			body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
			reply, err := client.Post(url, "application/json", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				close(opened)
				return
			}
			defer reply.Body.Close()
			reply.Body.Read(make([]byte, 1))
			close(opened)
			for err == nil {
				_, err = reply.Body.Read(make([]byte, 1024))
			}
		}()
		<-opened
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
		<-done
		client.CloseIdleConnections()
	}
	deadline := time.Now().Add(5 * time.Second)
	for {
		var b bytes.Buffer
		pprof.Lookup("goroutine").WriteTo(&b, 1)
		if !strings.Contains(b.String(), "a2a-conform/reference.(") && !strings.Contains(b.String(), "reference/engine") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("goroutines are left:\n%s", b.String())
		}
		runtime.Gosched()
	}
}

func TestContextEndsServer(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Start(ctx, Options{Dialect: "a2a-0.1"})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	s.Exchanges.Wait()
	if _, err := http.Get(s.URL() + "/"); err == nil {
		t.Error("the server still answers")
	}
	s.Close()
}

func TestImportsNothingOfTheProject(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-test", "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const module = "github.com/a2a-conform/a2a-conform"
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, module) && !strings.HasPrefix(line, module+"/reference") {
			t.Errorf("imports %s", line)
		}
	}
}
