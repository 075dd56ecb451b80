module github.com/a2a-conform/a2a-conform/examples/a2a-go

go 1.26.0

require (
	github.com/a2a-conform/a2a-conform v0.0.0
	github.com/a2aproject/a2a-go/v2 v2.4.0
)

require (
	github.com/andybalholm/brotli v1.3.0 // indirect
	github.com/bufbuild/protocompile v0.14.1 // indirect
	github.com/dlclark/regexp2 v1.12.0 // indirect
	github.com/evanphx/json-patch/v5 v5.9.11 // indirect
	github.com/go-jose/go-jose/v4 v4.1.8 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/jstemmer/go-junit-report/v2 v2.1.0 // indirect
	github.com/onsi/gomega v1.44.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v5 v5.3.1 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)

replace github.com/a2a-conform/a2a-conform => ../..
