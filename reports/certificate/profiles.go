package certificate

import (
	"embed"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed profiles/*.yaml
var profileFiles embed.FS

// ProfileNames lists the profiles that the program brings along.
func ProfileNames() (names []string) {
	entries, _ := fs.ReadDir(profileFiles, "profiles") // what is embedded is there
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// ProfileText returns the text of a profile that the program brings along; "" if there is none of that name.
func ProfileText(name string) string {
	if !slices.Contains(ProfileNames(), name) {
		return ""
	}
	text, _ := profileFiles.ReadFile(path.Join("profiles", name+".yaml"))
	return string(text)
}

// BuiltInProfileOrNil returns a profile that the program brings along; nil if there is none of that name. It accepts no
// keys: whose signatures count is for the receiver alone to say.
func BuiltInProfileOrNil(name string) (*Profile, error) {
	text := ProfileText(name)
	if text == "" {
		return nil, nil
	}
	p, err := ReadProfile(name, []byte(text), func(string) ([]byte, error) { return nil, errors.New("it names no files") })
	if err != nil {
		return nil, err
	}
	return p, nil
}
