package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/certificate"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// certificateTool is this program, as certificates name it.
var certificateTool = sync.OnceValue(func() certificate.Tool {
	t := certificate.Tool{Version: programVersion(), Commit: programCommit()}
	if b, ok := debug.ReadBuildInfo(); ok {
		t.Module = b.Main.Sum
	}
	if name, err := os.Executable(); err == nil {
		if f, err := os.Open(name); err == nil {
			defer f.Close()
			sum := sha256.New()
			if _, err := io.Copy(sum, f); err == nil {
				t.Program = hex.EncodeToString(sum.Sum(nil))
			}
		}
	}
	return t
})

// judgeAgain judges the transcript of a certificate.
func judgeAgain(har io.Reader) (*report.Report, *record.Transcript, error) {
	o, err := conform.Replay(har)
	if err != nil {
		return nil, nil, err
	}
	o.Report.Target.Kind = o.Transcript.Facts.Kind // the signature names who vouches for it
	return o.Report, o.Transcript, nil
}

func keygenCommand() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "keygen NAME",
		Short: "Make a pair of keys to sign certificates with: NAME.key and NAME.pub",
		Long: `keygen writes a private key to NAME.key, which only you can read, and its public key to NAME.pub. Sign with the first;
give the second to whoever checks your certificates. Keys of ssh-keygen and openssl (Ed25519, ECDSA P-256) serve as well.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return errors.New("keygen takes the name of the key, such as: keygen acme, which writes acme.key and acme.pub")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			private, public, err := certificate.Generate(kind)
			if err != nil {
				return fmt.Errorf("--kind: %w", err)
			}
			name := args[0]
			if err := writeNew(name+".key", private, 0o600); err != nil {
				return err
			}
			if err := writeNew(name+".pub", public, 0o644); err != nil {
				return errors.Join(err, os.Remove(name+".key"))
			}
			key, err := certificate.ReadPublic(public)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s.key: the private key; keep it to yourself\n%[1]s.pub: the public key, %s\n", name, key.ID)
			return nil
		},
	}
	cmd.Flags().StringVar(&kind, "kind", certificate.Ed25519, strings.Join(certificate.Kinds(), " or "))
	return cmd
}

// writeNew writes a file that must not be there yet.
func writeNew(name string, text []byte, mode os.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is already there; give another name, so that no key is lost", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// readSigner reads the private key that a flag names.
func readSigner(flag, file string) (*certificate.PrivateKey, error) {
	text, err := schema.ReadFile(file, schema.MaxCredential)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	key, err := certificate.ReadPrivate(text)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, file, err)
	}
	return key, nil
}

func attestCommand() *cobra.Command {
	var key, out string
	cmd := &cobra.Command{
		Use:   "attest DIR --key KEY",
		Short: "Sign the reports of a run: write a certificate that others can verify",
		Long: `attest judges the transcript in the folder of a run again, makes sure that report.json and report.html follow from it, and
writes certificate.zip: a signed statement of what the run found, with the report and the transcript that it rests on.
Whoever signs vouches for the transcript.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("attest takes the folder of a run's reports, such as: attest a2a-report --key acme.key")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			signer, err := readSigner("--key", key)
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(args[0], certificate.File)
			}
			return writeCertificate(cmd.OutOrStdout(), args[0], out, signer)
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "file with the private key to sign with")
	cmd.Flags().StringVar(&out, "out", "", "file to write (default: "+certificate.File+" in DIR)")
	cli.Must(cmd.MarkFlagRequired("key"))
	return cmd
}

// The most that is read of the files of a run, in bytes.
const (
	maxReportFile     = 24 << 20
	maxTranscriptFile = 256 << 20
	maxPageFile       = 48 << 20
)

// writeCertificate writes the certificate of the run in a folder.
func writeCertificate(out io.Writer, dir, file string, by *certificate.PrivateKey) error {
	var run certificate.Run
	for _, f := range []struct {
		name string
		most int
		to   *[]byte
	}{{files.JSONFile, maxReportFile, &run.Report}, {files.TranscriptFile, maxTranscriptFile, &run.Transcript}, {files.HTMLFile, maxPageFile, &run.Page}} {
		var err error
		if *f.to, err = schema.ReadFile(filepath.Join(dir, f.name), f.most); err != nil {
			return fmt.Errorf("%w; name the folder of a run's reports", err)
		}
	}
	text, err := certificate.Attest(run, by, certificateTool(), judgeAgain, time.Now())
	if err != nil {
		return fmt.Errorf("%s cannot be attested: %w", dir, err)
	}
	if err := replaceFile(file, text); err != nil {
		return err
	}
	fmt.Fprintf(out, "certificate: %s, signed by %s\n", file, by.ID)
	return nil
}

// attestOrWarnOfStale signs what was judged, if somebody vouches for it. A certificate of an earlier
// run in the same folder is not of this one, and the operator is informed.
func (p *outputFlags) attestOrWarnOfStale(out io.Writer, dir string, o *conform.Outcome) error {
	file := filepath.Join(dir, certificate.File)
	if p.signer != nil && hasJudgedServer(o) {
		return writeCertificate(out, dir, file, p.signer)
	}
	if _, err := os.Stat(file); err == nil {
		fmt.Fprintf(out, "%s is of an earlier run, not of this one\n", file)
	}
	return nil
}

// hasJudgedServer reports whether an outcome states something of a server that can be vouched for.
func hasJudgedServer(o *conform.Outcome) bool {
	return o.Report.Verdict != report.Void && o.Report.Verdict != report.Unreachable
}

// replaceFile writes a file whole or not at all.
func replaceFile(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify FILE (--key PUB | --profile FILE) [--target URL]",
		Short: "Check a certificate: its signature, its files, and its verdicts, by judging its transcript again",
		Long: `verify checks a certificate without any network. It prints what was checked, what that proves and what it does not. The
signature is checked with your copy of the signer's public key, never with one from the file. The first line begins with the
verdict, and says whether the signature is valid. If this is the version that
made the certificate, every file is made anew and compared; if it is a later one, the pages are not to be opened.

Exit codes: 0 genuine, and the server is conformant with a full selection · 3 genuine, with another verdict (0 with
--any-verdict), or judged otherwise by this version (unless a profile names the version that made it) · 1 not genuine, or not what you asked for · 2 an error in the command line.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("verify takes the file of a certificate, such as: verify certificate.zip --key acme.pub")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.runVerify(cmd, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.keys, "key", nil, "file with the public key of a signer whom you trust; may be given several times")
	fl.StringVar(&f.target, "target", "", "URL of the server that the certificate has to be about")
	fl.StringVar(&f.nonce, "nonce", "", "the nonce that you gave to the signer before the run")
	fl.StringVar(&f.age, "max-age", "", "how old the run may be, like 30d or 12h")
	fl.StringVar(&f.profile, "profile", "", "YAML file of what you ask of every certificate, or one that the program brings along: "+strings.Join(certificate.ProfileNames(), ", "))
	fl.BoolVar(&f.anyVerdict, "any-verdict", false, "exit code 0 for every genuine certificate, whatever its verdict, unless this version judges otherwise")
	fl.BoolVar(&f.allowBundled, "allow-bundled", false, "accept a certificate of the bundled server, to try the command out")
	return cmd
}

// verifyFlags are the flags of verify as they were typed.
type verifyFlags struct {
	keys                        []string
	target, nonce, age, profile string
	anyVerdict, allowBundled    bool
}

func (f *verifyFlags) runVerify(cmd *cobra.Command, file string) error {
	expect, err := f.readExpectations()
	if err != nil {
		return err
	}
	text, err := readCertificate(file)
	if err != nil {
		return err
	}
	v := certificate.Verify(text, *expect, judgeAgain)
	if err := v.Text(cmd.OutOrStdout()); err != nil {
		return err
	}
	switch {
	case v.Refused != nil:
		return cli.ExitCode(1)
	case v.Holds() || f.anyVerdict && v.Agreed():
		return nil
	}
	return cli.ExitCode(3)
}

// readExpectations returns what the flags ask of a certificate.
func (f *verifyFlags) readExpectations() (*certificate.Expect, error) {
	e := &certificate.Expect{Target: f.target, Nonce: f.nonce, AllowBundled: f.allowBundled, Tool: certificateTool(), Now: time.Now()}
	if f.profile != "" {
		var err error
		if e.Profile, err = readProfile(f.profile); err != nil {
			return nil, err
		}
		e.Keys = e.Profile.AcceptedKeys()
	}
	if f.keys != nil {
		e.Keys = nil
	}
	for _, name := range f.keys {
		text, err := schema.ReadFile(name, schema.MaxCredential)
		if err != nil {
			return nil, fmt.Errorf("--key: %w", err)
		}
		key, err := certificate.ReadPublic(text)
		if err != nil {
			return nil, fmt.Errorf("--key %s: %w", name, err)
		}
		e.Keys = append(e.Keys, certificate.Holder{Name: filepath.Base(name), Key: key})
	}
	if len(e.Keys) == 0 {
		return nil, errors.New("whose signature do you accept? give --key with the signer's public key, or a profile with keys; the key is never taken from the certificate")
	}
	if f.nonce != "" {
		if err := operator.CheckNonceForm(f.nonce); err != nil {
			return nil, fmt.Errorf("--nonce: %w", err)
		}
	}
	if f.age != "" {
		var err error
		if e.MaxAge, err = certificate.ParseAge(f.age); err != nil {
			return nil, fmt.Errorf("--max-age: %w", err)
		}
	}
	return e, nil
}

// readProfile reads a profile from a file, or one that the program brings along, by its name.
func readProfile(name string) (*certificate.Profile, error) {
	named, err := certificate.BuiltInProfileOrNil(name)
	if err != nil {
		return nil, err
	}
	if named != nil {
		if _, err := os.Stat(name); err == nil {
			return nil, fmt.Errorf("--profile %s: there is a file of that name, and a profile that the program brings along; write .%c%[1]s for the file, or run the command in another folder", name, filepath.Separator)
		}
		return named, nil
	}
	text, err := schema.ReadFile(name, schema.MaxFile)
	if errors.Is(err, fs.ErrNotExist) && filepath.Base(name) == name {
		return nil, fmt.Errorf("--profile: %w; the profiles that the program brings along are %s", err, strings.Join(certificate.ProfileNames(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	beside := func(file string) ([]byte, error) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(name), file)
		}
		return schema.ReadFile(file, schema.MaxCredential)
	}
	return certificate.ReadProfile(name, text, beside)
}

// readCertificate reads a file as far as it takes to see that it is too large.
func readCertificate(name string) ([]byte, error) {
	f, err := schema.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name the file in it, such as %s", name, filepath.Join(name, certificate.File))
	}
	return io.ReadAll(io.LimitReader(f, certificate.MaxFile+1))
}
