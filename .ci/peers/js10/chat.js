// Sends one message to an agent of protocol 1.0, or two of one conversation, and prints
// what the agent answers: the simplest program on the SDK. An error makes it exit with 1.
//
// usage: node chat.js URL TEXT [SECOND], with the token of the agent, if it asks for one, in CHAT_TOKEN.
import { randomUUID } from 'node:crypto';
import { SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory, RestTransportFactory, createAuthenticatingFetchWithRetry } from '@a2a-js/sdk/client';

const [url, text, second] = process.argv.slice(2);
const token = process.env.CHAT_TOKEN;

// factoryWithToken returns a factory of clients that send the token with each call, by the handler that the SDK has for that.
function factoryWithToken() {
  const handler = { headers: async () => ({ Authorization: `Bearer ${token}` }), shouldRetryWithHeaders: async () => undefined };
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, handler);
  const transports = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })];
  return new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports }));
}

// chat sends a text, and returns what a message to the same conversation has to name.
async function chat(client, words, more) {
  let context = more;
  const request = SendMessageRequest.fromJSON({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: words }], ...more } });
  for await (const { payload } of client.sendMessageStream(request)) {
    console.log(JSON.stringify(payload));
    const event = payload?.value;
    if (!event?.contextId) continue;
    const waits = event.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
    context = { contextId: event.contextId, ...(waits && { taskId: event.taskId ?? event.id }) };
  }
  return context;
}

try {
  const client = await (token ? factoryWithToken() : new ClientFactory()).createFromUrl(url);
  const context = await chat(client, text);
  if (second) await chat(client, second, context);
} catch (e) {
  console.error(e.message);
  process.exitCode = 1;
}
