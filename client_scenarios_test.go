package conform

import (
	"slices"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// What only a program that reports what its client saw can show is played for no other client.
func TestScenariosOfReportingClients(t *testing.T) {
	t.Parallel()
	d, err := schema.LoadClient("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	before, _, err := chooseClientScenarios(d, &ClientTarget{})
	if err != nil {
		t.Fatal(err)
	}
	cancel := d.Requirement("A2A10-CL-CANCEL-001")
	if !cancel.NeedsAdapter() || d.Requirement("A2A10-CL-STREAM-002").NeedsAdapter() {
		t.Error("it is not known what needs an adapter")
	}
	names, reported, err := chooseClientScenarios(d, &ClientTarget{})
	if err != nil || !slices.Equal(names, before) || !slices.Contains(reported, "cancel") || slices.Contains(names, "cancel") {
		t.Errorf("any client is played %v, and one that reports also %v (%v)", names, reported, err)
	}
	if names, reported, _ := chooseClientScenarios(d, &ClientTarget{Scenarios: []string{"cancel"}}); !slices.Equal(names, []string{"cancel"}) || reported != nil {
		t.Errorf("got %v and %v, though one is named", names, reported)
	}
}
