// Uses a server as programs on the JavaScript SDK do: it does one thing after the
// other, looks at what comes back, and prints a line for each. At the first thing
// that is not as it should be it says so and exits with 1.
//
// usage: node client.js URL VARIANT BINDING, of the bundled server.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import {
  AuthenticatedExtendedCardNotConfiguredError,
  ClientFactory,
  ClientFactoryOptions,
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

const [url, variant, binding] = process.argv.slice(2);
const lavish = variant === 'lavish'; // the server takes every freedom that the protocol leaves it
const rich = variant !== 'minimal'; // it sends what is optional
const shows = lavish || binding === 'GRPC'; // it shows a task that has ended to whoever resubscribes

const fail = (sentence) => {
  throw new Error(sentence);
};
const did = (line) => console.log(line);
const check = (got, want, what) => {
  if (got !== want) fail(`${what} is ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
};

// A message of the user, and the first text of one.
const text = (words, more) => ({ kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text: words }], ...more });
const said = (message) => message?.parts?.[0]?.text;
const textOf = (parts) => parts.map((part) => part.text).join('');

// all collects what a stream has.
async function all(stream) {
  const list = [];
  for await (const element of stream) list.push(element);
  return list;
}

// recent demands a time of the last minute.
const recent = (timestamp) => {
  const age = Date.now() - Date.parse(timestamp);
  if (!(Math.abs(age) < 60_000)) fail(`the status is of ${timestamp}`);
};

async function readCard() {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports: [new GrpcTransportFactory()], preferredTransports: [binding] });
  const client = await new ClientFactory(options).createFromUrl(url);
  const by = { JSONRPC: 'JsonRpcTransport', 'HTTP+JSON': 'RestTransport', GRPC: 'GrpcTransport' }[binding];
  if (!client.transport.constructor.name.includes(by)) fail(`the client speaks by ${client.transport.constructor.name}`);
  const card = await client.getAgentCard();
  check(card.name, 'Reference Agent', "the agent's name");
  check(card.protocolVersion, '0.3.0', "the card's protocol version");
  check(card.url, `${url}/`, "the card's URL");
  check(card.skills[0].id, 'echo', 'the first skill');
  if (rich) {
    check(card.additionalInterfaces.length, 4, 'the number of interfaces');
    check(card.capabilities.extensions[0].uri, 'https://conform.example.com/ext/trace/v1', 'the first extension');
  }
  if (lavish) {
    check(card.securitySchemes.key.name, 'X-Key', "the API key's header");
    check(card.signatures.length, 1, 'the number of signatures');
  }
  const { streaming = false, pushNotifications = false } = card.capabilities;
  did(`card: ${card.name} of protocol ${card.protocolVersion}, streaming ${streaming}, push notifications ${pushNotifications}`);
  return { client, streaming, pushNotifications };
}

// begin sends a message that makes a task, and does not wait for its end; ask waits.
async function begin(client, words, pushNotificationConfig) {
  const task = await client.sendMessage({ message: text(words), configuration: { blocking: false, pushNotificationConfig } });
  check(task.kind, 'task', `the answer to ${words}`);
  check(task.status.state, 'submitted', 'the state of a task that was begun');
  return task;
}

async function ask(client, words, more) {
  const task = await client.sendMessage({ message: text(words, more) });
  check(task.kind, 'task', `the answer to ${words}`);
  return task;
}

// send gets an answer, with all that a rich agent adds to it, and looks the task up.
async function send(client) {
  const task = await ask(client, 'echo good day');
  check(task.status.state, 'completed', 'the state after echo');
  check(said(task.status.message), 'good day', 'the answer');
  check(task.status.message.role, 'agent', 'who answers');
  check(task.status.message.taskId, task.id, 'the task of the answer');
  if (rich) {
    check(task.artifacts.length, 2, 'the number of artifacts');
    check(textOf(task.artifacts[0].parts), 'good day', 'the first artifact');
    const [byValue, byReference, data] = task.artifacts[1].parts;
    check(Buffer.from(byValue.file.bytes, 'base64').toString(), 'good day', 'the file by value');
    check(byReference.file.uri, 'https://files.example.com/answer.png', 'the file by reference');
    check(data.data.list[0], 'answer', 'the data');
    recent(task.status.timestamp);
  }
  did(`send: ${task.status.state}, "${said(task.status.message)}"`);

  const got = await client.getTask({ id: task.id, historyLength: 2 });
  check(got.id, task.id, 'the id of the task that was looked up');
  check(got.contextId, task.contextId, 'its context');
  check(got.status.state, 'completed', 'its state');
  check(got.history.length, 2, 'the length of its history');
  check(said(got.history[0]), 'echo good day', 'the first message of its history');
  check(got.history[0].role, 'user', 'who sent it');
  did(`get: ${got.status.state}, ${got.history.length} messages`);

  for (const [words, state] of Object.entries({ fail: 'failed', reject: 'rejected', needauth: 'auth-required' })) {
    const { status } = await ask(client, words);
    check(status.state, state, `the state after ${words}`);
    did(`send: ${status.state}, "${said(status.message)}"`);
  }
}

// talk gets a message in place of a task.
async function talk(client) {
  const answer = await client.sendMessage({ message: text('hello', { contextId: 'small talk' }) });
  check(answer.kind, 'message', 'the answer to hello');
  check(answer.contextId, 'small talk', 'its context');
  check(answer.taskId, undefined, 'its task');
  did(`message: "${said(answer)}"`);
}

// answerQuestions keeps a task going that asks three times.
async function answerQuestions(client) {
  let task = await ask(client, 'ask 3');
  const asked = new Set();
  while (task.status.state === 'input-required') {
    asked.add(task.status.message.messageId);
    const next = await ask(client, 'blue', { taskId: task.id, contextId: task.contextId });
    check(next.id, task.id, 'the task that was answered');
    check(next.contextId, task.contextId, 'its context');
    task = next;
  }
  check(asked.size, 3, 'the number of questions');
  check(task.status.state, 'completed', 'the state after the last answer');
  did(`questions: ${asked.size}, then ${task.status.state}, "${said(task.status.message)}"`);
}

// cancel ends a task that works for a minute.
async function cancel(client) {
  const { id } = await begin(client, 'slow 60');
  const canceled = await client.cancelTask({ id });
  check(canceled.id, id, 'the canceled task');
  check(canceled.status.state, 'canceled', 'its state');
  const got = await client.getTask({ id });
  check(got.status.state, 'canceled', 'its state when it is looked up');
  did(`cancel: ${got.status.state}`);
}

// follow reads a stream about one task to its end and calls seen with each event. It
// returns the last one, which must be final, and the texts of the artifacts by id. By
// HTTP+JSON and gRPC the SDK does not hand on append.
async function follow(events, doing, seen = () => {}) {
  let last;
  const artifacts = {};
  let n = 0;
  for await (const event of events) {
    if (last?.final) fail(`${doing}: an event of kind ${event.kind} comes after the final one`);
    if (event.kind === 'status-update') last = event;
    if (event.kind === 'artifact-update') {
      const { artifactId, parts } = event.artifact;
      const append = binding === 'JSONRPC' ? event.append : artifactId in artifacts;
      artifacts[artifactId] = (append ? artifacts[artifactId] : '') + textOf(parts);
    }
    await seen(event, n++);
  }
  if (!last?.final) fail(`${doing}: the stream ended without a final event: ${JSON.stringify(last)}`);
  return { last, artifacts };
}

// stream follows a task from its message to its end.
async function stream(client) {
  let task;
  let worked = false;
  const { last, artifacts } = await follow(client.sendMessageStream({ message: text('echo good night') }), 'streaming', (event, n) => {
    if (n === 0) {
      task = event;
      check(task.kind, 'task', 'the kind of the first event');
      check(task.status.state, 'submitted', 'the state at the beginning of a stream');
      return;
    }
    check(event.taskId, task.id, 'the task of an event');
    check(event.contextId, task.contextId, 'the context of an event');
    if (event.kind === 'status-update') recent(event.status.timestamp);
    worked ||= event.status?.state === 'working';
  });
  check(worked, true, 'that the stream tells of work');
  check(last.status.state, 'completed', 'the last state of a stream');
  check(artifacts['artifact-0'], 'good night', 'the streamed artifact');
  did(`stream: ${last.status.state}, "${said(last.status.message)}"`);

  const events = await all(client.sendMessageStream({ message: text('hello') }));
  check(events.map((e) => e.kind).join(), 'message', 'what the stream of a message has');
  did(`stream of a message: "${said(events[0])}"`);
}

// streamChunks puts an artifact together and compares it with the stored one.
async function streamChunks(client) {
  const { last, artifacts } = await follow(client.sendMessageStream({ message: text('artifact') }), 'streaming an artifact');
  const got = await client.getTask({ id: last.taskId });
  check(got.status.state, last.status.state, 'the state of the streamed task');
  const stored = textOf(got.artifacts[0].parts);
  check(artifacts[got.artifacts[0].artifactId], stored, 'the artifact put together from its pieces');
  did(`stream of pieces: "${stored}"`);
}

// broken follows a stream that breaks off in the middle of the work.
async function broken(client) {
  let id;
  try {
    for await (const event of client.sendMessageStream({ message: text('crash') })) id = event.taskId ?? event.id;
  } catch (e) {
    const told = codeOf(e);
    check(told, { JSONRPC: '-32603', 'HTTP+JSON': 'not read', GRPC: 'status 13' }[binding], `the code at the end of the stream of a crash (${e.message})`);
    const got = await client.getTask({ id });
    check(got.status.state, 'failed', 'the state of what crashed');
    return did(`stream of a crash: ${told}, then ${got.status.state}`);
  }
  fail('the stream of a crash ends without an error');
}

// dropped opens a stream and leaves it after the first event.
async function dropped(client) {
  for await (const task of client.sendMessageStream({ message: text('slow 8') })) {
    check(task.kind, 'task', 'the kind of the first event');
    return task;
  }
  fail('a stream has no event');
}

// resubscribe leaves a stream, takes it up again, cancels the task at the first event,
// and sees its end.
async function resubscribe(client) {
  const { id } = await dropped(client);
  const { last } = await follow(client.resubscribeTask({ id }), 'resubscribing', async (event, n) => {
    check(event.taskId ?? event.id, id, 'the task of a resubscribed event');
    if (n === 0) await client.cancelTask({ id });
  });
  check(last.status.state, 'canceled', 'the last state of a resubscribed stream');
  did(`resubscribe: ${last.status.state}`);
  if (shows) {
    const events = await all(client.resubscribeTask({ id }));
    check(events.map((e) => `${e.kind} ${e.id}`).join(), `task ${id}`, 'what is shown of a task that has ended');
    check(events[0].status.state, 'canceled', 'its state');
    did(`resubscribe afterwards: ${events[0].status.state}`);
  }
}

// streamWithout asks for a stream where the card has none: the SDK sends the message
// by itself.
async function streamWithout(client) {
  const events = await all(client.sendMessageStream({ message: text('echo good night') }));
  check(events.map((e) => e.kind).join(), 'task', 'what comes in place of a stream');
  check(events[0].status.state, 'completed', 'its state');
  did(`no stream: ${events[0].status.state}, "${said(events[0].status.message)}"`);
}

// webhook listens for push notifications. What came is kept until it is awaited.
async function webhook() {
  const came = [];
  let wake = () => {};
  const server = createServer(async (request, response) => {
    const body = await all(request);
    response.end();
    came.push({ path: request.url, headers: request.headers, task: JSON.parse(Buffer.concat(body).toString()) });
    wake();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const awaited = async (id, path, state) => {
    for (;;) {
      for (let d; (d = came.shift()); ) {
        check(d.task.id, id, 'the task of a push notification');
        if (d.path === path && d.task.status.state === state) return d;
      }
      await new Promise((resolve) => (wake = resolve));
    }
  };
  return { url: `http://127.0.0.1:${server.address().port}`, awaited, close: () => server.close() };
}

// push is told the end of a task by the webhook that was named with the message.
async function push(client) {
  const hook = await webhook();
  const authentication = { schemes: ['Bearer'], credentials: 'my secret' };
  const task = await begin(client, 'slow 0.2', { url: `${hook.url}/sent`, token: 'my token', authentication });
  const d = await hook.awaited(task.id, '/sent', 'completed');
  check(d.headers['x-a2a-notification-token'], 'my token', 'the token of a push notification');
  check(d.headers.authorization, 'Bearer my secret', 'the credentials of a push notification');
  check(d.task.contextId, task.contextId, 'its context');
  hook.close();
  did(`push: ${d.task.status.state}, "${said(d.task.status.message)}"`);
}

// configure sets, reads, lists and deletes the webhooks of a task.
async function configure(client) {
  const hook = await webhook();
  const { id } = await begin(client, 'slow 60');
  for (const name of ['one', 'two']) {
    const config = { id: name, url: `${hook.url}/${name}`, token: `token ${name}` };
    const set = await client.setTaskPushNotificationConfig({ taskId: id, pushNotificationConfig: config });
    check(set.taskId, id, 'the task of a webhook that was set');
    check(set.pushNotificationConfig.id, name, 'its id');
  }
  const one = await client.getTaskPushNotificationConfig({ id, pushNotificationConfigId: 'one' });
  check(one.pushNotificationConfig.url, `${hook.url}/one`, 'the URL of a webhook');
  check(one.pushNotificationConfig.token, 'token one', 'its token');
  const before = await client.listTaskPushNotificationConfig({ id });
  await client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId: 'two' });
  const after = await client.listTaskPushNotificationConfig({ id });
  did(`webhooks: ${before.length} before, ${after.length} after one is deleted`);
  await client.cancelTask({ id });
  const d = await hook.awaited(id, '/one', 'canceled');
  check(d.headers['x-a2a-notification-token'], 'token one', 'the token of a push notification');
  hook.close();
  did(`push to a webhook set later: ${d.task.status.state}`);
}

// The classes that the SDK makes of some codes.
const classes = {
  [-32001]: TaskNotFoundError,
  [-32002]: TaskNotCancelableError,
  [-32003]: PushNotificationNotSupportedError,
  [-32004]: UnsupportedOperationError,
  [-32005]: ContentTypeNotSupportedError,
  [-32007]: AuthenticatedExtendedCardNotConfiguredError,
};

// The code of an error, that of its class or the one that it tells in words; by gRPC the
// status, where the SDK has no class for it. Of an HTTP error in place of a stream of
// JSON-RPC there are words only, and of an error within a stream of HTTP+JSON it reads
// only what comes under a name of its own, event: error.
const codeOf = (e) => {
  if (e.message.startsWith('Failed to parse SSE event data')) return 'not read';
  const told = e.errorResponse ?? e.cause?.errorResponse;
  if (told) return `${told.error.code}`;
  const code = Object.keys(classes).find((code) => e instanceof classes[code]);
  if (code) return code;
  const [, status] = /^GRPC error for \w+! (\d+) /.exec(e.message) ?? [];
  if (status) return `status ${status}`;
  const [, kind, words] = /^(.*)error: .*\(Code: (-?\d+)\)/i.exec(e.message) ?? [];
  return /rest/i.test(kind) ? words : `${words}, told in words`;
};

// The statuses of gRPC that tell a code.
const statuses = { [-32003]: 12, [-32004]: 9, [-32005]: 3, [-32602]: 3 };

// refused demands that a call, or a stream, is refused with a code.
async function refused(what, code, attempt) {
  let err;
  try {
    const result = attempt();
    await (Symbol.asyncIterator in result ? all(result) : result);
  } catch (e) {
    err = e;
  }
  if (!err) fail(`${what} is not refused`);
  const got = codeOf(err);
  if (got !== `status ${statuses[code]}` && got.split(',')[0] !== `${code}`) fail(`${what} is refused with ${got} (${err.message}), not with ${code}`);
  if (got === `${code}` && classes[code] && !((err.cause ?? err) instanceof classes[code])) fail(`${what}: the error is a ${err.name}`);
  did(`refused: ${what}: ${got}`);
}

// mistakes are made with calls.
async function mistakes(client, { pushNotifications }) {
  const { id } = await ask(client, 'echo done');
  await refused('getting an unknown task', -32001, () => client.getTask({ id: 'no such task' }));
  await refused('canceling an unknown task', -32001, () => client.cancelTask({ id: 'no such task' }));
  await refused('canceling a task that has ended', -32002, () => client.cancelTask({ id }));
  await refused('a message to a task that has ended', -32004, () => client.sendMessage({ message: text('more', { taskId: id }) }));
  await refused('a message without parts', -32602, () => client.sendMessage({ message: text('', { parts: [] }) }));
  const parts = [{ kind: 'file', file: { mimeType: 'application/x-odd', bytes: 'aGk=' } }];
  await refused('a file of an unknown type', -32005, () => client.sendMessage({ message: text('', { parts }) }));
  const { transport } = client;
  if (binding === 'JSONRPC') await refused('a method that is not there', -32601, () => transport.callExtensionMethod('tasks/list', {}));
  if (rich) await refused('the extended card', -32007, () => transport.getExtendedAgentCard());
  if (!pushNotifications) {
    const pushNotificationConfig = { url: 'https://hook.example.com/' };
    await refused('a webhook', -32003, () => client.sendMessage({ message: text('echo x'), configuration: { pushNotificationConfig } }));
  }
}

// streamMistakes are made with streams.
async function streamMistakes(client) {
  await refused('a stream of a message to an unknown task', -32001, () => client.sendMessageStream({ message: text('hi', { taskId: 'no such task' }) }));
  await refused('a stream of a message without parts', -32602, () => client.sendMessageStream({ message: text('', { parts: [] }) }));
  await refused('resubscribing to an unknown task', -32001, () => client.resubscribeTask({ id: 'no such task' }));
  if (!shows) {
    const { id } = await ask(client, 'echo done');
    await refused('resubscribing to a task that has ended', -32004, () => client.resubscribeTask({ id }));
  }
}

async function main() {
  const { client, ...claims } = await readCard();
  await send(client);
  await talk(client);
  await answerQuestions(client);
  await cancel(client);
  for (const step of claims.streaming ? [stream, streamChunks, broken, resubscribe] : [streamWithout]) await step(client);
  for (const step of claims.pushNotifications ? [push, configure] : []) await step(client);
  await mistakes(client, claims);
  if (claims.streaming) await streamMistakes(client);
}

setTimeout(() => {
  console.error('nothing more came within a minute');
  process.exit(1);
}, 60_000).unref();
main().catch((e) => {
  console.error(e.message);
  process.exitCode = 1;
});
