// Sends one message to an agent, or two of one conversation, and prints what the agent
// answers: the simplest program on the SDK. An error makes it exit with 1.
//
// usage: node chat.js URL TEXT [SECOND]
import { randomUUID } from 'node:crypto';
import { ClientFactory } from '@a2a-js/sdk/client';

const [url, text, second] = process.argv.slice(2);

// chat sends a text, and returns what a message to the same conversation has to name.
async function chat(client, words, more) {
  let context = more;
  const message = { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text: words }], ...more };
  for await (const event of client.sendMessageStream({ message })) {
    console.log(JSON.stringify(event));
    const waits = event.status?.state === 'input-required';
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
