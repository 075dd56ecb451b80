package broker

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Server is the embedded broker with its settings.
type Server struct {
	Data string // the folder of everything that is kept
	// Listen is the HOST:PORT for workers on this machine, or for others over TLS; a free port of
	// 127.0.0.1 if it is empty.
	Listen    string
	Cert, Key string // PEM files; needed if others than this machine may connect
	MaxBytes  int64  // what it may keep in all; 0 for what the disk holds
	// DisconnectTimeout is how long it waits, once it is to end, for those who still speak with it.
	DisconnectTimeout time.Duration
	Log               func(string)
}

// The files in the data folder of a broker.
const (
	addressFile = "broker.json"
	lockFile    = "broker.lock"
	storeFolder = "jetstream"
)

// address is the URL of a broker, for the commands on the same machine.
type address struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
	CA    string `json:"ca,omitempty"` // its certificate in PEM, if it uses TLS
}

// maxAddressFile bounds the file with the address of a broker, in bytes.
const maxAddressFile = 64 << 10

// readAddress reads the file that a broker wrote into its data folder.
func readAddress(data string) (a address, err error) {
	if err := requirePrivateDataFolder(data); err != nil {
		return a, err
	}
	text, err := schema.ReadFile(filepath.Join(data, addressFile), maxAddressFile)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("%s: %w", filepath.Join(data, addressFile), err)
	}
	return a, nil
}

func writeAddress(data string, a address) error {
	if before, err := readAddress(data); err == nil && before == a { // as when the disk is full
		return nil
	}
	name := filepath.Join(data, addressFile)
	f, err := os.CreateTemp(data, "."+addressFile+".*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(Encode(a), '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// startTimeout is how long the embedded server may take until it listens: it reads what it keeps.
const startTimeout = 5 * time.Minute

// Serve runs the embedded broker until ctx ends. Only one process at a time holds a folder.
func (b Server) Serve(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(b.Data, storeFolder), 0o700); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if err := requirePrivateDataFolder(b.Data); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	lock := flock.New(filepath.Join(b.Data, lockFile))
	if err := lockFolder(b.Data, lock); err != nil {
		return err
	}
	defer lock.Unlock()
	options, token, err := b.serverOptions()
	if err != nil {
		return err
	}
	for {
		s, err := b.startServerAndWriteAddress(options, token)
		if err != nil {
			if b.hasWritableDiskSpace() {
				return err
			}
			if !b.awaitDiskSpace(ctx) {
				return nil
			}
			continue
		}
		// Clients that know the address reconnect if the broker starts again there.
		options.Port = s.Addr().(*net.TCPAddr).Port
		b.Log("the broker is at " + s.ClientURL())
		again := b.awaitFailure(ctx, s) && b.awaitDiskSpace(ctx)
		if !again {
			b.awaitDisconnects(s)
		}
		s.Shutdown()
		s.WaitForShutdown()
		if !again {
			return nil
		}
	}
}

// lockFolder locks a folder, or returns an error that names the process that holds it.
func lockFolder(data string, lock *flock.Flock) error {
	held, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("--data %s: the folder cannot be locked: %w", data, err)
	}
	if held {
		return nil
	}
	at := ""
	if a, err := readAddress(data); err == nil {
		at = fmt.Sprintf(" (process %d, at %s)", a.PID, a.URL)
	}
	return fmt.Errorf("--data %s: another broker holds this folder%s; while it runs, use fleet add and fleet work, or name another folder", data, at)
}

// CheckUnlocked makes sure that no broker holds a folder.
func CheckUnlocked(data string) error {
	name := filepath.Join(data, lockFile)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock := flock.New(name)
	if err := lockFolder(data, lock); err != nil {
		return err
	}
	return lock.Unlock()
}

// serverOptions returns those of the embedded server. A broker that was here before keeps its address
// and its token.
func (b Server) serverOptions() (*server.Options, string, error) {
	before, err := readAddress(b.Data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	token := before.Token
	if token == "" {
		token = rand.Text()
	}
	o := &server.Options{
		ServerName: "a2a-conform-fleet", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, Authorization: token,
		JetStream: true, StoreDir: filepath.Join(b.Data, storeFolder), JetStreamMaxStore: b.MaxBytes, MaxPayload: 1 << 20,
		DisableJetStreamBanner: true,
	}
	if b.Listen != "" {
		host, port, err := net.SplitHostPort(b.Listen)
		n, wrong := strconv.Atoi(port)
		if err != nil || wrong != nil || n < 0 || n > 65535 {
			return nil, "", fmt.Errorf("--listen %q is not HOST:PORT", b.Listen)
		}
		if ip := net.ParseIP(host); (ip == nil || !ip.IsLoopback()) && host != "localhost" && b.Cert == "" {
			return nil, "", fmt.Errorf("--listen %s: others than this machine may connect there, and would show the token in the clear; give --tls-cert and --tls-key as well", b.Listen)
		}
		o.Host, o.Port = host, n
		if n == 0 {
			o.Port = server.RANDOM_PORT
		}
	} else if _, port, err := net.SplitHostPort(trimScheme(before.URL)); err == nil {
		if n, _ := strconv.Atoi(port); n > 0 && isPortFree(n) {
			o.Port = n
		}
	}
	if b.Cert != "" || b.Key != "" {
		pair, err := schema.ReadKeyPair(b.Cert, b.Key)
		if err != nil {
			return nil, "", fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
		o.TLSConfig, o.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}, true
	}
	return o, token, nil
}

func trimScheme(url string) string {
	for i := range len(url) {
		if url[i:min(i+3, len(url))] == "://" {
			return url[i+3:]
		}
	}
	return url
}

// isPortFree reports whether no one listens at a port of this machine.
func isPortFree(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err == nil {
		l.Close()
	}
	return err == nil
}

func (b Server) startServerAndWriteAddress(o *server.Options, token string) (*server.Server, error) {
	s, err := server.NewServer(o.Clone())
	if err != nil {
		return nil, fmt.Errorf("the embedded broker: %w", err)
	}
	if err := server.Run(s); err != nil {
		return nil, fmt.Errorf("the embedded broker: %w", err)
	}
	if !s.ReadyForConnections(startTimeout) || s.Addr() == nil {
		s.Shutdown()
		return nil, fmt.Errorf("the embedded broker does not listen at %s:%d; is something else there?", o.Host, o.Port)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("the embedded broker cannot use %s; is the folder writable, and has its disk room?", o.StoreDir)
	}
	at := address{URL: s.ClientURL(), Token: token, PID: os.Getpid()}
	if o.TLSConfig != nil {
		at.CA = encodeCertificatesPEM(o.TLSConfig.Certificates[0])
	}
	if err := writeAddress(b.Data, at); err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("--data: %w", err)
	}
	return s, nil
}

// encodeCertificatesPEM writes the certificates of a pair as PEM, for those who are to trust it.
func encodeCertificatesPEM(pair tls.Certificate) string {
	var out []byte
	for _, der := range pair.Certificate {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return string(out)
}

// checkInterval is how often the broker looks after itself, and room what its disk has to have again
// after it was full, in bytes.
const (
	checkInterval = 2 * time.Second
	minDiskSpace  = 32 << 20
)

// awaitFailure waits until ctx ends, or until the server has to be started again: a stream stores
// nothing any more once it could not be written.
func (b Server) awaitFailure(ctx context.Context, s *server.Server) (again bool) {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		if !s.JetStreamEnabled() || slices.ContainsFunc(s.Healthz(&server.HealthzOptions{Details: true}).Errors, func(e server.HealthzError) bool { return strings.Contains(e.Error, "write error") }) {
			return true
		}
	}
}

// awaitDiskSpace waits until the disk has room, or until ctx ends.
func (b Server) awaitDiskSpace(ctx context.Context) bool {
	for told := false; !b.hasWritableDiskSpace(); Pause(ctx, checkInterval) {
		if ctx.Err() != nil {
			return false
		}
		if !told {
			told = true
			b.Log(fmt.Sprintf("the disk of %s is full: nothing can be stored, and all processes wait; they continue as soon as there is room", b.Data))
		}
	}
	b.Log("there is room on the disk: the broker is started anew")
	return true
}

// awaitDisconnects waits until no one is connected to the broker any more.
func (b Server) awaitDisconnects(s *server.Server) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(b.DisconnectTimeout); s.NumClients() > 0 && time.Now().Before(until); <-tick.C {
	}
}

// hasWritableDiskSpace tries whether something can be written to the disk.
func (b Server) hasWritableDiskSpace() bool {
	f, err := os.CreateTemp(b.Data, ".room.*")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	piece := make([]byte, 1<<20)
	for range minDiskSpace / len(piece) {
		if _, err = f.Write(piece); err != nil {
			break
		}
	}
	return errors.Join(err, f.Close()) == nil
}
