package harness

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// ReadGateway returns the header of each call to a gateway at the URL through, and to the server at the URL of a target, and the
// values in it and in those URLs that must never be written to a file. grpc is the HOST:PORT, or the URL, at which the gateway takes
// gRPC; "" if there is none. The error is a mistake of the operator (*UsageError).
func ReadGateway(given operator.Target, through, grpc string) (http.Header, []redact.Secret, error) {
	t := target{operator.Target{URL: given.URL, Credentials: given.Credentials}}
	if err := t.check(); err != nil {
		return nil, nil, err
	}
	if err := checkURL("--through", through); err != nil {
		return nil, nil, err
	}
	if strings.Contains(through, "#") {
		return nil, nil, usageErrorf("--through has a fragment, which is not sent; leave out what follows #")
	}
	if grpc != "" {
		if err := checkAddress("--through GRPC", grpc, true); err != nil {
			return nil, nil, err
		}
	}
	secrets := t.secrets()
	for _, address := range []string{through, grpc} {
		secrets = append(secrets, querySecrets(address)...)
	}
	return t.header(), secrets, nil
}
