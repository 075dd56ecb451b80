// Sends one message to an agent of A2A 0.1, or two in one session, and prints what the agent
// answers: the simplest program on the package a2a-js, which is not built on an official SDK. An
// error makes it exit with 1.
//
// usage: node chat.js URL TEXT [SECOND]
import { randomUUID } from 'node:crypto';
import { A2ACardResolver, A2AClient } from 'a2a-js';

const [url, text, second] = process.argv.slice(2);
const session = randomUUID();

// chat sends a text, as a stream if the agent streams, and returns the task that waits for more.
async function chat(client, card, words, task) {
  const params = { id: task ?? randomUUID(), sessionId: session, message: { role: 'user', parts: [{ type: 'text', text: words }] } };
  let waits = false;
  if (card.capabilities?.streaming) {
    for await (const event of client.sendTaskSubscribe(params)) {
      console.log(JSON.stringify(event));
      if (event.error) throw new Error(event.error.message);
      if (event.result?.status) waits = event.result.status.state === 'input-required';
    }
  } else {
    const answer = await client.sendTask(params);
    console.log(JSON.stringify(answer));
    waits = answer?.status?.state === 'input-required';
  }
  return waits ? params.id : undefined;
}

try {
  const card = await new A2ACardResolver(url).getAgentCard();
  const client = new A2AClient(card.url);
  const waiting = await chat(client, card, text);
  if (second) await chat(client, card, second, waiting);
} catch (e) {
  console.error(e.message);
  process.exitCode = 1;
}
