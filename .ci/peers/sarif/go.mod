module github.com/a2a-conform/a2a-conform/ci/peers/sarif

go 1.26

require github.com/securego/gosec/v2 v2.30.0
