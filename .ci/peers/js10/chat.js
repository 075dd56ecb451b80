// Sends one message to an agent of protocol 1.0, or two of one conversation, and prints
// what the agent answers: the simplest program on the SDK. An error makes it exit with 1.
//
// usage: node chat.js URL TEXT [SECOND]
import { randomUUID } from 'node:crypto';
import { SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';

const [url, text, second] = process.argv.slice(2);

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
  const client = await new ClientFactory().createFromUrl(url);
  const context = await chat(client, text);
  if (second) await chat(client, second, context);
} catch (e) {
  console.error(e.message);
  process.exitCode = 1;
}
