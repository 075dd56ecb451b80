package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// requirePrivateDataFolder refuses a data folder that other users may write to: whoever can, chooses
// the broker that this process connects to, and what it keeps. A folder that does not
// exist is created for us alone.
func requirePrivateDataFolder(data string) error {
	info, err := os.Stat(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", data)
	}
	return checkOwner(data, info)
}
