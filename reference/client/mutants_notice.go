package client

// noticeMutants do the wrong thing about push notifications.
var noticeMutants = []mutant{
	{name: "notice-plain-json-alone", dialect: "a2a-1.0", variant: "reporting", summary: "refuses notifications of the media type application/a2a+json",
		habit: func(h *habits) { h.plainJSONAlone = true }},
	{name: "notices-lost", variant: "reporting", summary: "answers notifications by 404",
		habit: func(h *habits) { h.noticesLost = true }},
	{name: "notices-believed", variant: "reporting", summary: "takes every notification for genuine",
		habit: func(h *habits) { h.noticesBelieved = true }},
	{name: "notice-token-unread", variant: "reporting", summary: "registers a token alone, and does not look at that of notifications",
		habit: func(h *habits) { h.tokenAlone, h.tokenUnread = true, true }},
	{name: "notice-jwt-decoded-alone", variant: "reporting", summary: "decodes the tokens of notifications, and verifies neither their signatures nor for whom they are and until when",
		habit: func(h *habits) { h.jwtUnverified = true }},
	{name: "notice-jwt-of-any-age", variant: "reporting", summary: "takes a token of a notification whenever it was issued",
		habit: func(h *habits) { h.jwtOfAnyAge = true }},
	{name: "notice-of-any-task", variant: "reporting", summary: "passes on notifications about tasks that it does not know",
		habit: func(h *habits) { h.anyTaskNoticed = true }},
	{name: "notices-repeat", variant: "reporting", summary: "passes a notification on as often as it comes",
		habit: func(h *habits) { h.noticesRepeat = true }},
	{name: "notice-of-task-alone", dialect: "a2a-1.0", variant: "reporting", summary: "refuses notifications that are no whole task",
		habit: func(h *habits) { h.refuseNotice = func(content object) bool { return content["task"] == nil } }},
	{name: "notice-with-kind-alone", dialect: "a2a-0.3", variant: "reporting", summary: "refuses notifications without a kind",
		habit: func(h *habits) { h.refuseNotice = func(content object) bool { return content["kind"] == nil } }},
	{name: "notice-answered-late", variant: "reporting", summary: "does its work before it answers a notification",
		habit: func(h *habits) { h.noticeDelay = 70 * h.pause }},
}
