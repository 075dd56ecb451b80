package card

import "testing"

func TestKindsOfHosts(t *testing.T) {
	const none = 0
	const unspecified, loopback, internal = 1, 2, 4
	for host, want := range map[string]int{
		"": unspecified, "*": unspecified, "0.0.0.0": unspecified, "0": unspecified, "0x0": unspecified, "00.000.0.0": unspecified, "0.0": unspecified,
		"0.0.0.0.": unspecified, "::": unspecified, "[::]": unspecified, "0:0:0:0:0:0:0:0": unspecified, "::0": unspecified, "::ffff:0.0.0.0": unspecified, "::%eth0": unspecified,
		"localhost": loopback, "LOCALHOST.": loopback, "agent.localhost": loopback, "127.0.0.1": loopback, "127.1": loopback, "0x7f000001": loopback, "::1": loopback, "::ffff:127.8.9.1": loopback,
		"agent": internal, "echo-agent": internal, "echo.default.svc": internal, "echo.default.svc.cluster.local": internal, "host.docker.internal": internal, "box.local": internal, "printer.lan": internal, "a.home.arpa.": internal,
		"agent.example.com": none, "10.1.2.3": none, "192.0.2.1": none, "2001:db8::1": none, "0.0.0.1": none, "127.0.0.1.example.com": none, "localhost.example": none, "1.2.3.4.5": none, "local.example": none,
	} {
		got := none
		if Unspecified(host) {
			got |= unspecified
		}
		if Loopback(host) {
			got |= loopback
		}
		if Internal(host) {
			got |= internal
		}
		if got != want {
			t.Errorf("%q: got %d, want %d", host, got, want)
		}
	}
}

func TestHostOf(t *testing.T) {
	for address, want := range map[string]string{
		"http://0.0.0.0:80/x": "0.0.0.0", "https://[::]:1": "::", "0.0.0.0:50051": "0.0.0.0", "[::]:50051": "::", ":50051": "", "http://:8080/": "", "//host/x": "host",
		"/rpc": "-", "": "-", "rpc": "-", "http:///x": "-", "http://%zz": "-",
	} {
		host, ok := HostOf(address)
		if !ok {
			host = "-"
		}
		if host != want {
			t.Errorf("%q: got %q, want %q", address, host, want)
		}
	}
}
