package certificate

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// mostMembers bounds an object of JSON, whose names are kept to find one that is there twice.
const mostMembers = 1 << 19

// checkMembers refuses JSON that two readers may understand differently: an object with a
// member twice, or a member that only a reader which ignores case takes for one of those that
// were read from it. The names of the latter are in again: what was read, written once more.
func checkMembers(file string, text, again io.Reader) error {
	known, folded := map[string]bool{}, map[string]string{}
	err := walkNames(again, func(name string) error {
		known[name], folded[foldName(name)] = true, name
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	err = walkNames(text, func(name string) error {
		if like, is := folded[foldName(name)]; is && !known[name] {
			return fmt.Errorf("it has a member %q, which is not %q", shortenText(name), shortenText(like))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s can be read in two ways: %w", file, err)
	}
	return nil
}

// walkNames calls see with the name of every member of a text of JSON. It refuses a name that
// one object has twice.
func walkNames(text io.Reader, see func(name string) error) error {
	dec := jsontext.NewDecoder(text, jsontext.AllowDuplicateNames(false))
	for {
		token, err := dec.ReadToken()
		var syntax *jsontext.SyntacticError
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
			return fmt.Errorf("it has the member %q twice, at %s", shortenText(syntax.JSONPointer.LastToken()), shortenText(string(syntax.JSONPointer)))
		case err != nil:
			return err
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if kind != '{' || n%2 == 0 || token.Kind() != '"' {
			continue // n counts names and values; an odd one was a name
		}
		if n > 2*mostMembers {
			return fmt.Errorf("it has an object with more than %d members", mostMembers)
		}
		if err := see(token.String()); err != nil {
			return err
		}
	}
}

// foldName is a name as a reader sees it that ignores case.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, name)
}
