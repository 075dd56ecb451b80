package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Version 0.3 has a list of tasks at a path alone, whose pages are got by their tokens.
func TestListTasksByPath(t *testing.T) {
	t.Parallel()
	seen := ""
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a03), Scenarios: []string{"list-pages"}, Func: func(_ context.Context, task *Task) error {
		if task.Scenario != "list-pages" {
			return runTestClient([]string{task.URL, task.Text}, strings.NewReader(""), task.Stdout)
		}
		for token, more := "", true; more; {
			answer, err := http.Get(task.URL + restPath + listPath + "?pageToken=" + url.QueryEscape(token))
			if err != nil {
				return err
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			var page struct {
				Tasks         []struct{ Kind, ID string }
				NextPageToken string
			}
			if err != nil || json.Unmarshal(text, &page) != nil || len(page.Tasks) != 1 || page.Tasks[0].Kind != "task" {
				return fmt.Errorf("got %s, %w", text, err)
			}
			seen += page.Tasks[0].ID + " "
			token, more = page.NextPageToken, page.NextPageToken != ""
		}
		answer, err := http.Get(task.URL + restPath + listPath + "?pageToken=other")
		if err != nil || answer.StatusCode != http.StatusBadRequest {
			return fmt.Errorf("an unknown token: %v, %w", answer, err)
		}
		return answer.Body.Close()
	}})
	refuteTrouble(t, tr)
	p := tr.Play("list-pages")
	if ids := strings.Fields(seen); len(ids) != 3 || ids[0] == ids[1] || ids[1] == ids[2] || p.Client.Exit != 0 || p.Step("list-4") == nil || p.Step("list").Op != "" {
		t.Errorf("%q: %+v", seen, p)
	}
}
