package wire

import "maps"

// protocolFrames are hostile servers that are about streams, windows and settings.
var protocolFrames = map[string]came{
	"reset-refused-stream":              {ended: Reset, says: "reset the stream: REFUSED_STREAM"},
	"reset-no-error":                    {ended: Reset, says: "reset the stream: NO_ERROR"},
	"reset-older-http-required":         {ended: Reset, says: "reset the stream: HTTP_1_1_REQUIRED"},
	"reset-unknown-code":                {ended: Reset, says: "reset the stream: 0xdeadbeef"},
	"reset-of-the-connection":           {ended: Reset, says: "a RST_STREAM frame on stream 0 is faulty"},
	"reset-after-the-answer":            {ended: EOF},
	"settings-without-end":              {ended: Limit, says: "more than 131072 frames"},
	"settings-of-5-bytes":               {ended: Reset, says: "a SETTINGS frame on stream 0 is faulty"},
	"settings-on-a-stream":              {ended: Reset, says: "a SETTINGS frame on stream 1 is faulty"},
	"settings-window-of-4-gb":           {ended: Reset, says: "SETTINGS"},
	"settings-frames-of-a-byte":         {ended: EOF},
	"window-update-of-nothing":          {ended: Reset, says: "a WINDOW_UPDATE frame on stream 1 is faulty"},
	"window-updates-without-end":        {ended: Limit, says: "more than 131072 frames"},
	"data-of-padding-without-end":       {ended: Limit, says: "more than 131072 frames"},
	"data-with-too-much-padding":        {ended: Reset, says: "a DATA frame on stream 1 is faulty"},
	"data-on-the-connection":            {ended: Reset, says: "a DATA frame on stream 0 is faulty"},
	"data-on-another-stream":            {ended: Reset, says: "DATA came for stream 3"},
	"headers-on-an-even-stream":         {ended: Reset, says: "HEADERS came for stream 2"},
	"headers-that-depend-on-themselves": {ended: EOF},
	"headers-of-a-switch":               {ended: EOF},
	"headers-with-a-table-of-4-gb":      {ended: Reset, says: "cannot be unpacked"},
	"headers-from-an-empty-table":       {ended: Reset, says: "cannot be unpacked"},
	"headers-as-trailers-without-end":   {ended: Reset, says: "trailers"},
	"priorities-without-end":            {ended: Limit, says: "more than 131072 frames"},
	"unknown-frames-without-end":        {ended: Limit, says: "more than 131072 frames"},
	"goaway-again-and-again":            {ended: Reset, says: "GOAWAY ENHANCE_YOUR_CALM"},
	"goaway-of-1-mb":                    {ended: Reset, says: "after GOAWAY INTERNAL_ERROR"},
	"ping-of-7-bytes":                   {ended: Reset, says: "a PING frame on stream 0 is faulty"},
}

func init() { maps.Copy(hostileFrames, protocolFrames) }
