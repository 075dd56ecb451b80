package a2a10

// The methods of section 9.4, by which the operations are called in every binding of
// this server.
const (
	sendMethod         = "SendMessage"
	streamMethod       = "SendStreamingMessage"
	getMethod          = "GetTask"
	listMethod         = "ListTasks"
	cancelMethod       = "CancelTask"
	subscribeMethod    = "SubscribeToTask"
	createPushMethod   = "CreateTaskPushNotificationConfig"
	getPushMethod      = "GetTaskPushNotificationConfig"
	listPushMethod     = "ListTaskPushNotificationConfigs"
	deletePushMethod   = "DeleteTaskPushNotificationConfig"
	extendedCardMethod = "GetExtendedAgentCard"
)
