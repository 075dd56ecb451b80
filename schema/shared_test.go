package schema

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"testing"
)

// The text of no probe stands twice: what several blocks have in common is shared, and
// what is shared has more than one block.
func TestCatalogueProbesStandOnce(t *testing.T) {
	text, err := fs.ReadFile(files, sharedFile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := readShared(text)
	if err != nil {
		t.Fatal(err)
	}
	stands, taken := map[string]string{}, map[string]int{}
	once := func(place string, p Probe) {
		p.Name, p.File = "", ""
		key, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if first := stands[string(key)]; first != "" {
			t.Errorf("%s: %s has it already; share it", place, first)
		}
		stands[string(key)] = place
	}
	for _, s := range all {
		var p Probe
		if err := s.node.Decode(&p); err != nil {
			t.Fatal(err)
		}
		once(s.file, p)
	}
	for _, name := range Names() {
		d, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range d.Blocks {
			for _, p := range b.Probes {
				if from := d.shared[p.File]; from != "" {
					taken[from]++
					continue
				}
				once(p.File, p)
			}
		}
	}
	for name, s := range all {
		if taken[s.file] < 2 {
			t.Errorf("%s: %s is taken by %d blocks", s.file, name, taken[s.file])
		}
	}
}

// A shared probe is what stands in its file, under the name and with the members that
// the block gives it.
func TestSharedProbes(t *testing.T) {
	d, err := loadTexts(mistakeFiles())
	if err != nil {
		t.Fatal(err)
	}
	file := path.Join("schema", "zz-9.9", "probes.yaml")
	for i, want := range []Probe{
		{Name: "no-method", On: OnEnvelope, File: file + ":7"},
		{Name: "no-look", On: OnEnvelope, File: file + ":8", Valid: true},
	} {
		want.Patch = []PatchOp{{Op: "remove", Path: "/method"}}
		if got := d.Blocks[0].Probes[2+i]; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}
