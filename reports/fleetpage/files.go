package fleetpage

import (
	"io"

	"github.com/a2a-conform/a2a-conform/reports/files"
)

// WritePageListAndMarkdown writes the page, the summary and the list of a fleet into dir, which is made if need be.
func WritePageListAndMarkdown(dir string, f Fleet) error {
	if err := files.MakeDir(dir); err != nil {
		return err
	}
	return files.WriteEachJoiningErrors(dir,
		files.File{Name: PageFile, Render: func(w io.Writer) error { return WritePage(w, f) }},
		files.File{Name: ListFile, Render: func(w io.Writer) error { return WriteTargetsJSON(w, f) }},
		files.File{Name: files.MarkdownFile, Render: func(w io.Writer) error { return WriteMarkdown(w, f) }},
	)
}
