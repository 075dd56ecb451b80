package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers are functions that take bytes from outside without a bound of their own, and the
// places that may call them: the two readers of this project, and what does not come from
// outside.
var readers = map[string][]string{
	"os.Open":             {"cmd/a2a-conform/certificate.go", "history.go"}, // the running program itself; a folder, of whose entries so many are read
	"os.OpenFile":         {"schema/files.go", "cmd/a2a-conform/certificate.go"},
	"os.ReadFile":         {"suites/judge/judgetest/judgetest.go", "reports/reportstest/golden.go", "cmd/internal/commandtest/main.go", "cmd/internal/commandtest/child.go", "cmd/internal/commandtest/schemas.go", "cmd/internal/commandtest/guides.go"}, // files of tests
	"yaml.Unmarshal":      {"schema/strict.go", "schema/check_catalogue.go", "cmd/internal/commandtest/schemas.go", "reference/mutants/table.go"},
	"yaml.NewDecoder":     {"schema/strict.go"},
	"ioutil.ReadFile":     nil,
	"tls.LoadX509KeyPair": nil,
}

// Files of the operator's are opened by schema.OpenFile and YAML is read by schema.Strict
// alone: what is larger, waits, or multiplies is refused there, and nowhere else.
func TestOutsideBytesHaveTwoReaders(t *testing.T) {
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "hostile" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := s.X.(*ast.Ident); ok {
					name := pkg.Name + "." + s.Sel.Name
					if places, known := readers[name]; known && !slices.Contains(places, filepath.ToSlash(path)) {
						t.Errorf("%s: %s reads what comes from outside without a bound; call schema.ReadFile, schema.OpenFile or schema.Strict", files.Position(n.Pos()), name)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
