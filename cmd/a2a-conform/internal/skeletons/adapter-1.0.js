// An adapter for a2a-conform on @a2a-js/sdk 1: it does with the client of the SDK what the suite asks for, and prints as
// JSON what that saw. docs/adapters.md of a2a-conform describes the commands and the lines.
//
// usage: a2a-conform client -- node adapter.js, or by hand: node adapter.js URL TEXT [SECOND]
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { CancelTaskRequest, GetTaskRequest, ListTasksRequest, Role, SendMessageRequest, SubscribeToTaskRequest, TaskState } from '@a2a-js/sdk';
import {
  AgentCardResolver, ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory, RestTransportFactory, createAuthenticatingFetchWithRetry,
} from '@a2a-js/sdk/client';

const [url, ...texts] = process.argv.slice(2);
let context, client, task, group, state, whole, exit; // of the scenario

const say = (line) => console.log(JSON.stringify(process.env.A2A_CONFORM_KEEP ? { ...line, scenario: context.scenario } : line));
const stateOf = (thing) => TaskState[thing.status?.state];
const works = () => ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'].includes(state);

// textOf returns the texts of a message or an artifact, and reports its parts.
function textOf({ parts = [] }) {
  const kinds = { text: 'text', raw: 'file', url: 'url', data: 'data' };
  for (const { content } of parts) if (content) say({ saw: 'part', kind: kinds[content.$case] });
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('\n');
}

// see reports a task, a message or an event.
function see(thing) {
  if (!thing) return;
  if ('artifact' in thing) return seeArtifact(thing.artifact, thing.append);
  if (!('status' in thing)) {
    [group, state] = [thing.contextId, 'message'];
    return say({ saw: 'message', id: thing.messageId, text: textOf(thing), role: Role[thing.role] });
  }
  [task, group, state] = [thing.id ?? thing.taskId, thing.contextId, stateOf(thing)];
  if ('id' in thing) {
    whole = new Map();
    say({ saw: 'task', id: task, context: group, state, history: thing.history?.length });
    for (const artifact of thing.artifacts ?? []) seeArtifact(artifact);
  }
  const words = thing.status?.message;
  say({ saw: 'status', task, state, text: words && textOf(words), role: words && Role[words.role] });
}

function seeArtifact(artifact, append) {
  const text = textOf(artifact);
  whole.set(artifact.artifactId, (append ? (whole.get(artifact.artifactId) ?? '') : '') + text);
  say({ saw: 'artifact', id: artifact.artifactId, text });
}

// read reads a stream, until the application leaves it after some events.
async function read(stream, after) {
  let n = 0;
  try {
    for await (const { payload } of stream) {
      see(payload?.value);
      if (++n === after) break;
    }
  } finally {
    say({ saw: 'end', of: 'stream' });
  }
}

async function send({ text, wait = true, after, task: last }) {
  const more = last && group ? { contextId: group, ...(state === 'TASK_STATE_INPUT_REQUIRED' && { taskId: task }) } : {};
  [task, state, whole] = ['', '', new Map()];
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more };
  if (wait) await read(client.sendMessageStream(SendMessageRequest.fromJSON({ message })), after);
  else see(await client.sendMessage(SendMessageRequest.fromJSON({ message, configuration: { returnImmediately: true } })));
  for (let looks = 0; wait && !after && works() && looks < 40; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    see(await client.getTask(GetTaskRequest.fromJSON({ id: task })));
  }
  for (const [id, text] of whole) say({ saw: 'artifact', id, text, assembled: true });
  if (state && !works() && !/REQUIRED/.test(state)) say({ saw: 'end', of: 'task' });
  if (/FAILED|CANCELED|REJECTED/.test(state)) exit = 1;
}

// fieldsFor returns the header fields that show the credentials of a scheme; undefined if there are none.
function fieldsFor({ scheme: { $case: kind, value } }) {
  const { bearer, basic, key } = context.credentials ?? {};
  if (kind === 'httpAuthSecurityScheme') {
    if (/^basic$/i.test(value.scheme)) return basic && { Authorization: `Basic ${btoa(basic)}` };
    return bearer && { Authorization: `Bearer ${bearer}` };
  }
  if (kind !== 'apiKeySecurityScheme' || !key) return undefined;
  if (value.location === 'query') throw new Error('the SDK has no place for an API key in the query');
  return value.location === 'cookie' ? { Cookie: `${value.name}=${key}` } : { [value.name]: key };
}

// factoryFor returns a factory of clients that show what one alternative of a card demands, by the handler that the SDK has
// for that. It adds header fields, and nothing else.
function factoryFor(card) {
  const alternatives = (card.securityRequirements ?? []).map(({ schemes }) => Object.keys(schemes));
  const all = alternatives.map((names) => names.map((name) => card.securitySchemes[name] && fieldsFor(card.securitySchemes[name])));
  const fields = all.find((some) => some.length && some.every(Boolean));
  if (!fields) return new ClientFactory();
  const handler = { headers: async () => Object.assign({}, ...fields), shouldRetryWithHeaders: async () => undefined };
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, handler);
  const transports = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })];
  return new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports }));
}

const commands = {
  send,
  stream: send,
  stop: async () => {}, // it takes effect on the command before it
  card: async () => {
    const card = await AgentCardResolver.default.resolve(context.url);
    say({ saw: 'card', name: card.name });
    client = await factoryFor(card).createFromAgentCard(card);
  },
  'extended-card': async () => {
    const card = await client.getAgentCard();
    say({ saw: 'card', name: card.name });
  },
  get: async () => see(await client.getTask(GetTaskRequest.fromJSON({ id: task }))),
  cancel: async () => see(await client.cancelTask(CancelTaskRequest.fromJSON({ id: task }))),
  subscribe: async () => works() && read(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: task }))),
  list: async ({ since }) => {
    for (let pageToken, more = true; more; more = pageToken !== '') {
      const page = await client.listTasks(ListTasksRequest.fromJSON({ pageToken, statusTimestampAfter: since }));
      for (const one of page.tasks) say({ saw: 'task', id: one.id, state: stateOf(one) });
      pageToken = page.nextPageToken ?? '';
    }
  },
};

// play does all commands of a context, and returns the exit code.
async function play(given) {
  [context, client, task, group, state, whole, exit] = [given, undefined, '', '', '', new Map(), 0];
  const all = context.do[0].do === 'card' ? context.do : [{ do: 'card' }, ...context.do];
  for (const [i, command] of all.entries()) {
    const after = all[i + 1]?.do === 'stop' ? all[i + 1].after : undefined;
    try {
      if (commands[command.do]) await commands[command.do]({ ...command, after });
      else say({ cannot: command.do });
    } catch (e) { // what the user of the client would see
      exit = 1;
      const of = e.cause instanceof Error ? e.cause : e;
      say({ saw: 'error', code: of.envelopeCode ?? of.code, name: of.name, reason: of.reason, message: of.message });
      if (!client) break;
    }
  }
  return exit;
}

if (process.env.A2A_CONFORM_KEEP) {
  for await (const line of createInterface({ input: process.stdin })) {
    await play(JSON.parse(line));
    say({ saw: 'end', of: 'scenario', exit });
  }
} else if (process.env.A2A_CONFORM_CONTEXT) {
  process.exitCode = await play(JSON.parse(process.env.A2A_CONFORM_CONTEXT));
} else {
  process.exitCode = await play({ url, do: texts.filter(Boolean).map((text) => ({ do: 'send', text, task: 'last' })) });
}
