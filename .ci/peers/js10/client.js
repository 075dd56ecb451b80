// Uses a server of protocol 1.0 as programs on the JavaScript SDK do: it does one
// thing after the other, looks at what comes back, and prints a line for each. At the
// first thing that is not as it should be it says so and exits with 1.
//
// usage: node client.js URL VARIANT BINDING, of the bundled server.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  Role,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
  TaskState,
} from '@a2a-js/sdk';
import { AgentCardResolver, ClientFactory, ClientFactoryOptions, ServiceParameters, withA2AVersion } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import {
  A2AError,
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';

const [url, variant, binding] = process.argv.slice(2);
const lavish = variant === 'lavish'; // the server takes every freedom that the protocol leaves it
const rich = variant !== 'minimal'; // it sends what is optional

const fail = (sentence) => {
  throw new Error(sentence);
};
const did = (line) => console.log(line);
const check = (got, want, what) => {
  if (got !== want) fail(`${what} is ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
};

// The request of a message of the user, and what is in one that was received.
const request = (words, more, configuration) =>
  SendMessageRequest.fromJSON({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: words }], ...more }, configuration });
const textOf = (parts) => parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
const said = (message) => message && textOf(message.parts.slice(0, 1));
const stateOf = ({ status }) => TaskState[status?.state];
const terminal = ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED'];

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
  const card = await AgentCardResolver.default.resolve(url);
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports: [new GrpcTransportFactory()], preferredTransports: [binding] });
  const client = await new ClientFactory(options).createFromUrl(url);
  check(client.transport.protocolName, binding, 'the binding of the client');
  check(card.name, 'Reference Agent', "the agent's name");
  const [first] = card.supportedInterfaces;
  check(first.protocolVersion, '1.0', 'the version of the first interface');
  check(first.protocolBinding, 'JSONRPC', 'the binding of the first interface');
  check(first.url, `${url}/`, 'the URL of the first interface');
  check(card.skills[0].id, 'echo', 'the first skill');
  if (rich) {
    check(card.provider.organization, 'a2a-conform', 'the provider');
    check(card.capabilities.extensions[0].uri, 'https://conform.example.com/ext/trace/v1', 'the first extension');
  }
  if (lavish) {
    check(Object.keys(card.securitySchemes).length, 7, 'the number of security schemes');
    check(card.securitySchemes.key.scheme.value.name, 'X-Key', "the API key's header");
  }
  const { streaming = false, pushNotifications = false, extendedAgentCard } = card.capabilities;
  did(`card: ${card.name} of protocol ${first.protocolVersion}, streaming ${streaming}, push notifications ${pushNotifications}`);
  return { client, streaming, pushNotifications, extendedAgentCard };
}

// begin sends a message that makes a task, and does not wait for its end; ask waits.
async function begin(client, words, taskPushNotificationConfig) {
  const task = await client.sendMessage(request(words, {}, { returnImmediately: true, taskPushNotificationConfig }));
  check('status' in task, true, `that the answer to ${words} is a task`);
  if (terminal.includes(stateOf(task))) fail(`${words} was to be begun, and is ${stateOf(task)}`);
  return task;
}

async function ask(client, words, more) {
  const task = await client.sendMessage(request(words, more));
  check('status' in task, true, `that the answer to ${words} is a task`);
  return task;
}

const get = (client, id, historyLength) => client.getTask(GetTaskRequest.fromJSON({ id, historyLength }));
const cancelTask = (client, id) => client.cancelTask(CancelTaskRequest.fromJSON({ id }));
const subscribeTo = (client, id) => client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }));

// send gets an answer, with all that a rich agent adds to it, and looks the task up.
async function send(client) {
  const task = await ask(client, 'echo good day');
  check(stateOf(task), 'TASK_STATE_COMPLETED', 'the state after echo');
  check(said(task.status.message), 'good day', 'the answer');
  check(task.status.message.role, Role.ROLE_AGENT, 'who answers');
  check(task.status.message.taskId, task.id, 'the task of the answer');
  if (rich) {
    check(task.artifacts.length, 2, 'the number of artifacts');
    check(textOf(task.artifacts[0].parts), 'good day', 'the first artifact');
    const [byValue, byReference, data] = task.artifacts[1].parts;
    check(byValue.content.value.toString(), 'good day', 'the file by value');
    check(byReference.content.value, 'https://files.example.com/answer.png', 'the file by reference');
    check(byReference.mediaType, 'image/png', 'its type');
    check(byReference.filename, 'answer.png', 'its name');
    check(data.content.value[0], 'answer', 'the data');
    recent(task.status.timestamp);
  }
  did(`send: ${stateOf(task)}, "${said(task.status.message)}"`);

  const got = await get(client, task.id, 2);
  check(got.id, task.id, 'the id of the task that was looked up');
  check(got.contextId, task.contextId, 'its context');
  check(stateOf(got), 'TASK_STATE_COMPLETED', 'its state');
  check(got.history.length, 2, 'the length of its history');
  check(said(got.history[0]), 'echo good day', 'the first message of its history');
  check(got.history[0].role, Role.ROLE_USER, 'who sent it');
  did(`get: ${stateOf(got)}, ${got.history.length} messages`);

  for (const [words, state] of Object.entries({ fail: 'FAILED', reject: 'REJECTED', needauth: 'AUTH_REQUIRED' })) {
    const ended = await ask(client, words);
    check(stateOf(ended), `TASK_STATE_${state}`, `the state after ${words}`);
    did(`send: ${stateOf(ended)}, "${said(ended.status.message)}"`);
  }
}

// talk gets a message in place of a task.
async function talk(client) {
  const answer = await client.sendMessage(request('hello', { contextId: 'small talk' }));
  check('messageId' in answer, true, 'that the answer to hello is a message');
  check(answer.contextId, 'small talk', 'its context');
  check(answer.taskId, '', 'its task');
  did(`message: "${said(answer)}"`);
}

// answerQuestions keeps a task going that asks three times.
async function answerQuestions(client) {
  let task = await ask(client, 'ask 3');
  const asked = new Set();
  while (stateOf(task) === 'TASK_STATE_INPUT_REQUIRED') {
    asked.add(task.status.message.messageId);
    const next = await ask(client, 'blue', { taskId: task.id, contextId: task.contextId });
    check(next.id, task.id, 'the task that was answered');
    check(next.contextId, task.contextId, 'its context');
    task = next;
  }
  check(asked.size, 3, 'the number of questions');
  check(stateOf(task), 'TASK_STATE_COMPLETED', 'the state after the last answer');
  did(`questions: ${asked.size}, then ${stateOf(task)}, "${said(task.status.message)}"`);
}

// cancel ends a task that works for a minute.
async function cancel(client) {
  const { id } = await begin(client, 'slow 60');
  const canceled = await cancelTask(client, id);
  check(canceled.id, id, 'the canceled task');
  check(stateOf(canceled), 'TASK_STATE_CANCELED', 'its state');
  const got = await get(client, id);
  check(stateOf(got), 'TASK_STATE_CANCELED', 'its state when it is looked up');
  did(`cancel: ${stateOf(got)}`);
}

// list finds the tasks of one context, page by page, and those of one state.
async function list(client) {
  const first = await ask(client, 'echo one');
  const { contextId } = first;
  const made = [first.id];
  for (const words of ['fail', 'echo three']) {
    const task = await ask(client, words, { contextId });
    check(task.contextId, contextId, 'the context of the task');
    made.push(task.id);
  }
  const pages = [];
  const found = [];
  for (let pageToken = ''; ; ) {
    const page = await client.listTasks(ListTasksRequest.fromJSON({ contextId, pageSize: 2, pageToken, includeArtifacts: true }));
    check(page.totalSize, 3, 'the number of tasks of the context');
    check(page.pageSize, 2, 'the size of a page');
    pages.push(page.tasks.length);
    found.push(...page.tasks);
    pageToken = page.nextPageToken;
    if (!pageToken) break;
    if (pages.length === 3) fail('3 tasks have more than 3 pages');
  }
  found.forEach((task, i) => {
    if (!made.includes(task.id)) fail(`the task ${task.id} of another context is listed`);
    if (i > 0 && Date.parse(task.status.timestamp) > Date.parse(found[i - 1].status.timestamp)) fail('a newer task comes after an older one');
  });
  if (rich) check(found.some((task) => task.artifacts.length > 0), true, 'that artifacts are listed');
  const { tasks } = await client.listTasks(ListTasksRequest.fromJSON({ contextId, status: 'TASK_STATE_FAILED', historyLength: 0 }));
  check(tasks.length, 1, 'the number of tasks that failed');
  check(tasks[0].id, made[1], 'the task that failed');
  check(tasks[0].history.length, 0, 'the length of its history');
  check(tasks[0].artifacts.length, 0, 'the number of its artifacts');
  did(`list: pages of [${pages.join(' ')}], ${tasks.length} failed`);
}

// follow reads a stream about one task to its end and calls seen with the kind and the
// content of each event. It returns the last status, which must be one that ends a
// task, and the texts of the artifacts by id.
async function follow(events, doing, seen = () => {}) {
  let last;
  const artifacts = {};
  let n = 0;
  for await (const { payload } of events) {
    const { $case: kind, value: event } = payload;
    if (last && terminal.includes(stateOf(last))) fail(`${doing}: a ${kind} comes after the task has ended`);
    if (kind === 'statusUpdate') last = event;
    if (kind === 'artifactUpdate') {
      const { artifactId, parts } = event.artifact;
      artifacts[artifactId] = (event.append ? artifacts[artifactId] : '') + textOf(parts);
    }
    await seen(kind, event, n++);
  }
  if (!last || !terminal.includes(stateOf(last))) fail(`${doing}: the stream ended before the task: ${JSON.stringify(last)}`);
  return { last, artifacts };
}

// stream follows a task from its message to its end.
async function stream(client) {
  let task;
  let worked = false;
  const { last, artifacts } = await follow(client.sendMessageStream(request('echo good night')), 'streaming', (kind, event, n) => {
    if (n === 0) {
      task = event;
      check(kind, 'task', 'the kind of the first event');
      check(stateOf(task), 'TASK_STATE_SUBMITTED', 'the state at the beginning of a stream');
      return;
    }
    check(event.taskId, task.id, 'the task of an event');
    check(event.contextId, task.contextId, 'the context of an event');
    if (kind === 'statusUpdate') recent(event.status.timestamp);
    worked ||= kind === 'statusUpdate' && stateOf(event) === 'TASK_STATE_WORKING';
  });
  check(worked, true, 'that the stream tells of work');
  check(stateOf(last), 'TASK_STATE_COMPLETED', 'the last state of a stream');
  check(artifacts['artifact-0'], 'good night', 'the streamed artifact');
  did(`stream: ${stateOf(last)}, "${said(last.status.message)}"`);

  const events = await all(client.sendMessageStream(request('hello')));
  check(events.map((e) => e.payload.$case).join(), 'message', 'what the stream of a message has');
  did(`stream of a message: "${said(events[0].payload.value)}"`);
}

// streamChunks puts an artifact together and compares it with the stored one.
async function streamChunks(client) {
  const { last, artifacts } = await follow(client.sendMessageStream(request('artifact')), 'streaming an artifact');
  const got = await get(client, last.taskId);
  check(stateOf(got), stateOf(last), 'the state of the streamed task');
  const stored = textOf(got.artifacts[0].parts);
  check(artifacts[got.artifacts[0].artifactId], stored, 'the artifact put together from its pieces');
  did(`stream of pieces: "${stored}"`);
}

// broken follows a stream whose work breaks off in the middle: the task fails.
async function broken(client) {
  const { last } = await follow(client.sendMessageStream(request('crash')), 'streaming a crash');
  const got = await get(client, last.taskId);
  check(stateOf(got), stateOf(last), 'the state of what crashed');
  did(`stream of a crash: ${stateOf(got)}`);
}

// dropped opens a stream and leaves it after the first event.
async function dropped(client) {
  for await (const { payload } of client.sendMessageStream(request('slow 8'))) {
    check(payload.$case, 'task', 'the kind of the first event');
    return payload.value;
  }
  fail('a stream has no event');
}

// subscribe leaves a stream, subscribes to its task, cancels it at the first event,
// which shows the task, and sees its end.
async function subscribe(client) {
  const { id } = await dropped(client);
  const { last } = await follow(subscribeTo(client, id), 'subscribing', async (kind, event, n) => {
    check(kind === 'task' ? event.id : event.taskId, id, 'the task of an event');
    if (n === 0) {
      check(kind, 'task', 'what a subscription begins with');
      await cancelTask(client, id);
    }
  });
  check(stateOf(last), 'TASK_STATE_CANCELED', 'the last state of a subscription');
  did(`subscribe: ${stateOf(last)}`);
}

// streamWithout asks for a stream where the card has none: the SDK sends the message
// by itself.
async function streamWithout(client) {
  const events = await all(client.sendMessageStream(request('echo good night')));
  check(events.map((e) => e.payload.$case).join(), 'task', 'what comes in place of a stream');
  const task = events[0].payload.value;
  check(stateOf(task), 'TASK_STATE_COMPLETED', 'its state');
  did(`no stream: ${stateOf(task)}, "${said(task.status.message)}"`);
}

// webhook listens for push notifications. What came is kept until it is awaited.
async function webhook() {
  const came = [];
  let wake = () => {};
  const server = createServer(async (incoming, response) => {
    const body = await all(incoming);
    response.end();
    const { payload } = StreamResponse.fromJSON(JSON.parse(Buffer.concat(body).toString()));
    came.push({ path: incoming.url, headers: incoming.headers, event: payload.value, task: payload.$case === 'task' ? payload.value.id : payload.value.taskId });
    wake();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const awaited = async (id, path, state) => {
    for (;;) {
      for (let d; (d = came.shift()); ) {
        check(d.task, id, 'the task of a push notification');
        if (d.path === path && stateOf(d.event) === state) return d;
      }
      await new Promise((resolve) => (wake = resolve));
    }
  };
  return { url: `http://127.0.0.1:${server.address().port}`, awaited, close: () => server.close() };
}

// push is told the end of a task by the webhook that was named with the message.
async function push(client) {
  const hook = await webhook();
  const authentication = { scheme: 'Bearer', credentials: 'my secret' };
  const task = await begin(client, 'slow 0.2', { url: `${hook.url}/sent`, token: 'my token', authentication });
  const d = await hook.awaited(task.id, '/sent', 'TASK_STATE_COMPLETED');
  check(d.headers.authorization, 'Bearer my secret', 'the credentials of a push notification');
  check(d.event.contextId, task.contextId, 'its context');
  hook.close();
  did(`push: ${stateOf(d.event)}, "${said(d.event.status.message)}"`);
}

// configure makes, reads, lists and deletes the webhooks of a task.
async function configure(client) {
  const hook = await webhook();
  const { id: taskId } = await begin(client, 'slow 60');
  const made = {}; // their ids
  for (const name of ['one', 'two']) {
    const config = { taskId, url: `${hook.url}/${name}`, token: `token ${name}` };
    const set = await client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(config));
    check(set.taskId, taskId, 'the task of a webhook that was made');
    check(set.id !== '', true, 'that it has an id');
    made[name] = set.id;
  }
  const one = await client.getTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id: made.one }));
  check(one.url, `${hook.url}/one`, 'the URL of a webhook');
  const count = async () => (await client.listTaskPushNotificationConfig(ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }))).configs.length;
  const before = await count();
  await client.deleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id: made.two }));
  did(`webhooks: ${before} before, ${await count()} after one is deleted`);
  await cancelTask(client, taskId);
  const d = await hook.awaited(taskId, '/one', 'TASK_STATE_CANCELED');
  hook.close();
  did(`push to a webhook made later: ${stateOf(d.event)}`);
}

// The classes that the SDK makes of some codes.
const classes = {
  [-32001]: TaskNotFoundError,
  [-32002]: TaskNotCancelableError,
  [-32003]: PushNotificationNotSupportedError,
  [-32004]: UnsupportedOperationError,
  [-32005]: ContentTypeNotSupportedError,
  [-32007]: ExtendedAgentCardNotConfiguredError,
  [-32009]: VersionNotSupportedError,
  [-32602]: RequestMalformedError,
};

// The code of an error, by its class where the binding has none. That of an error within
// a stream is a cause. Of invalid params, of which no reason is due by HTTP+JSON and gRPC,
// the SDK makes an error of no class there, with their status.
const codeOf = (e) => {
  const of = e instanceof A2AError ? e : e.cause;
  if (of.statusCode === 400 && of.name === 'A2AError') return -32602;
  if (of.status === 3 && of.name === 'A2AError') return -32602;
  return of.envelopeCode ?? Number(Object.keys(classes).find((code) => of instanceof classes[code]));
};

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
  check(codeOf(err), code, `the code of ${what} (${err.message})`);
  const unnamed = code === -32602 && binding !== 'JSONRPC';
  if (classes[code] && !unnamed && !((err.cause ?? err) instanceof classes[code])) fail(`${what}: the error is a ${err.name}`);
  did(`refused: ${what}: ${code}`);
}

// version are options of a call that name a version of the protocol.
const version = (number) => ({ serviceParameters: ServiceParameters.create(withA2AVersion(number)) });

// mistakes are made with calls.
async function mistakes(client, { streaming, pushNotifications, extendedAgentCard }) {
  const { id } = await ask(client, 'echo done');
  await refused('getting an unknown task', -32001, () => get(client, 'no such task'));
  await refused('canceling an unknown task', -32001, () => cancelTask(client, 'no such task'));
  await refused('canceling a task that has ended', -32002, () => cancelTask(client, id));
  await refused('a message to a task that has ended', -32004, () => client.sendMessage(request('more', { taskId: id })));
  await refused('a message without parts', -32602, () => client.sendMessage(request('', { parts: [] })));
  const parts = [{ mediaType: 'application/x-odd', raw: 'aGk=' }];
  await refused('a file of an unknown type', -32005, () => client.sendMessage(request('', { parts })));
  await refused('a page that was never offered', -32602, () => client.listTasks(ListTasksRequest.fromJSON({ pageToken: 'no such page' })));

  // The client itself asks for no extended card that is not claimed, and for no version but its own.
  const { transport } = client;
  await refused('the extended card', extendedAgentCard ? -32007 : -32004, () => transport.getExtendedAgentCard(GetExtendedAgentCardRequest.fromJSON({}), version('1.0')));
  await refused('a version that is not there', -32009, () => transport.getTask(GetTaskRequest.fromJSON({ id }), version('9.9')));
  if (binding === 'JSONRPC') await refused('a method that is not there', -32601, () => transport.callExtensionMethod('message/send', {}, version('1.0')));
  if (!pushNotifications) {
    const config = { taskId: id, url: 'https://hook.example.com/' };
    await refused('a webhook', -32003, () => transport.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(config), version('1.0')));
  }
  if (!streaming) {
    await refused('subscribing to an agent without streams', -32004, () => transport.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }), version('1.0')));
  }
}

// streamMistakes are made with streams.
async function streamMistakes(client) {
  await refused('a stream of a message to an unknown task', -32001, () => client.sendMessageStream(request('hi', { taskId: 'no such task' })));
  await refused('a stream of a message without parts', -32602, () => client.sendMessageStream(request('', { parts: [] })));
  await refused('subscribing to an unknown task', -32001, () => subscribeTo(client, 'no such task'));
  const { id } = await ask(client, 'echo done');
  await refused('subscribing to a task that has ended', -32004, () => subscribeTo(client, id));
}

async function main() {
  const { client, ...claims } = await readCard();
  await send(client);
  await talk(client);
  await answerQuestions(client);
  await cancel(client);
  await list(client);
  for (const step of claims.streaming ? [stream, streamChunks, broken, subscribe] : [streamWithout]) await step(client);
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
