package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// bytesFlag is a number of bytes, such as 20GB.
type bytesFlag int64

func (f *bytesFlag) Type() string { return "BYTES" }

func (f *bytesFlag) String() string {
	for _, u := range byteUnits {
		if n := int64(*f); n >= u.size && n%u.size == 0 && u.size > 1 {
			return fmt.Sprintf("%d%s", n/u.size, u.name)
		}
	}
	if *f == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*f), 10)
}

func (f *bytesFlag) Set(text string) error {
	for _, u := range byteUnits {
		number, has := strings.CutSuffix(strings.ToUpper(text), u.name)
		if !has {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || n <= 0 || n*float64(u.size) > 1<<60 {
			break
		}
		*f = bytesFlag(n * float64(u.size))
		return nil
	}
	return errors.New("write it as a number of bytes, like 20GB or 500MB")
}

var byteUnits = []struct {
	name string
	size int64
}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1}}
