package client

import (
	"maps"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// protocolFrames are hostile servers that are about streams, windows and settings.
var protocolFrames = map[string]came{
	"reset-refused-stream":              {ended: record.Reset, says: "reset the stream: REFUSED_STREAM"},
	"reset-no-error":                    {ended: record.Reset, says: "reset the stream: NO_ERROR"},
	"reset-older-http-required":         {ended: record.Reset, says: "reset the stream: HTTP_1_1_REQUIRED"},
	"reset-unknown-code":                {ended: record.Reset, says: "reset the stream: 0xdeadbeef"},
	"reset-of-the-connection":           {ended: record.Reset, says: "a RST_STREAM frame on stream 0 is faulty"},
	"reset-after-the-answer":            {ended: record.EOF},
	"settings-without-end":              {ended: record.Limit, says: "more than 131072 frames"},
	"settings-of-5-bytes":               {ended: record.Reset, says: "a SETTINGS frame on stream 0 is faulty"},
	"settings-on-a-stream":              {ended: record.Reset, says: "a SETTINGS frame on stream 1 is faulty"},
	"settings-window-of-4-gb":           {ended: record.Reset, says: "SETTINGS"},
	"settings-frames-of-a-byte":         {ended: record.EOF},
	"window-update-of-nothing":          {ended: record.Reset, says: "a WINDOW_UPDATE frame on stream 1 is faulty"},
	"window-updates-without-end":        {ended: record.Limit, says: "more than 131072 frames"},
	"data-of-padding-without-end":       {ended: record.Limit, says: "more than 131072 frames"},
	"data-with-too-much-padding":        {ended: record.Reset, says: "a DATA frame on stream 1 is faulty"},
	"data-on-the-connection":            {ended: record.Reset, says: "a DATA frame on stream 0 is faulty"},
	"data-on-another-stream":            {ended: record.Reset, says: "DATA came for stream 3"},
	"headers-on-an-even-stream":         {ended: record.Reset, says: "HEADERS came for stream 2"},
	"headers-that-depend-on-themselves": {ended: record.EOF},
	"headers-of-a-switch":               {ended: record.EOF},
	"headers-with-a-table-of-4-gb":      {ended: record.Reset, says: "cannot be unpacked"},
	"headers-from-an-empty-table":       {ended: record.Reset, says: "cannot be unpacked"},
	"headers-as-trailers-without-end":   {ended: record.Reset, says: "trailers"},
	"priorities-without-end":            {ended: record.Limit, says: "more than 131072 frames"},
	"unknown-frames-without-end":        {ended: record.Limit, says: "more than 131072 frames"},
	"goaway-again-and-again":            {ended: record.Reset, says: "GOAWAY ENHANCE_YOUR_CALM"},
	"goaway-of-1-mb":                    {ended: record.Reset, says: "after GOAWAY INTERNAL_ERROR"},
	"ping-of-7-bytes":                   {ended: record.Reset, says: "a PING frame on stream 0 is faulty"},
}

func init() { maps.Copy(hostileFrames, protocolFrames) }
