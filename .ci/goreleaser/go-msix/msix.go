// Package msix replaces go.digitalxero.dev/go-msix, of which goreleaser makes packages for the
// Windows Store. We make none, and that module is on a host of its own, which not every build
// machine can reach. It has the names that goreleaser needs to be built, and packs nothing.
package msix

import (
	"errors"
	"io"
)

var errNone = errors.New("this build of goreleaser makes no MSIX packages; see .ci/goreleaser")

type (
	Builder struct {
		Manifest    Manifest
		SignOptions *SignOptions
	}
	Manifest struct {
		Identity     Identity
		Properties   Properties
		Dependencies Dependencies
		Resources    []Resource
		Applications []Application
		Capabilities Capabilities
	}
	Identity           struct{ Name, Version, Publisher, ProcessorArchitecture, ResourceID string }
	Properties         struct{ DisplayName, PublisherDisplayName, Logo, Description string }
	Dependencies       struct{ TargetDeviceFamilies []TargetDeviceFamily }
	TargetDeviceFamily struct{ Name, MinVersion, MaxVersionTested string }
	Resource           struct{ Language string }
	Application        struct {
		ID, Executable, EntryPoint string
		VisualElements             VisualElements
	}
	VisualElements struct{ DisplayName, Description, BackgroundColor, Square150x150Logo, Square44x44Logo string }
	Capabilities   struct {
		Capabilities       []Capability
		DeviceCapabilities []DeviceCapability
		Restricted         []RestrictedCapability
	}
	Capability           struct{ Name string }
	DeviceCapability     struct{ Name string }
	RestrictedCapability struct{ Name string }
	SignOptions          struct{ Certificate, PrivateKey, CertChain any }
)

func NewBuilder() *Builder { return &Builder{} }

func (*Builder) AddFile(_, _ string) error { return errNone }

func (*Builder) Build(io.Writer) error { return errNone }

func LoadPFX(_, _ string) (certificate, key, chain any, err error) { return nil, nil, nil, errNone }
