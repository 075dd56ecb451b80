// A small agent of protocol 1.0 on the JavaScript SDK, written as its README shows:
// an executor that publishes tasks and updates, the SDK's memory stores, its push
// notifications, its handlers for Express, and its service of gRPC, at an address of
// its own. It prints its URL once it listens.
//
// usage: node agent.js [--both | --signed]
//
// Calls need one of two tokens. With --both the agent serves protocol 0.3 as well, at
// the same addresses, and anybody may call. With --signed the SDK signs the card, and the
// key is at /keys.
import { generateKeyPairSync } from 'node:crypto';
import express from 'express';
import { Server, ServerCredentials, status as grpcStatus } from '@grpc/grpc-js';
import { AGENT_CARD_PATH, AgentCard, generateAgentCardSignature, Role, TaskState } from '@a2a-js/sdk';
import { duplicateInterfacesForLegacy } from '@a2a-js/sdk/compat/v0_3';
import { createLegacyAwarePushNotificationSender } from '@a2a-js/sdk/compat/v0_3/server';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { AgentEvent, DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore, UnauthenticatedUser } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { endOf, findPrefix, workOf } from './prefixes.js';

const both = process.argv[2] === '--both';
const signed = process.argv[2] === '--signed';

// Those who may call, by what they send as Authorization.
const clients = { 'Bearer first-client': 'first', 'Bearer second-client': 'second' };

// The steps of a piece of work that takes a while; between them the agent looks
// whether it has been canceled.
const steps = 40;
const stepMillis = 20;

class Agent {
  canceled = new Set();
  waiting = new Map(); // tasks that wait for an answer, and their contexts

  async execute({ userMessage, task, taskId, contextId }, bus) {
    const text = userMessage.parts.find((part) => part.content?.$case === 'text')?.content.value ?? '';
    const update = (state, words) => {
      const message = words && this.#message(words, taskId, contextId);
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state, message), metadata: undefined }));
    };
    const end = (state, words) => {
      update(state, words);
      bus.finished();
    };

    this.waiting.delete(taskId);
    const prefix = findPrefix(task, text);
    if (prefix) return this.#follow(prefix, { text, task, taskId, contextId, userMessage }, bus, update, end);
    if (text.startsWith('hello')) {
      bus.publish(AgentEvent.message(this.#message('Good day.', '', contextId)));
      return bus.finished();
    }
    this.#begin(task, taskId, contextId, userMessage, bus);
    if (text.startsWith('book a table') && !task) {
      this.waiting.set(taskId, contextId);
      return end(TaskState.TASK_STATE_INPUT_REQUIRED, 'For how many people?');
    }
    update(TaskState.TASK_STATE_WORKING);
    if (text.startsWith('count slowly') && !(await this.#work(taskId, steps))) {
      return end(TaskState.TASK_STATE_CANCELED);
    }
    if (text.startsWith('divide by zero')) {
      return end(TaskState.TASK_STATE_FAILED, 'Nothing can be divided by zero.');
    }
    this.#answer(text, taskId, contextId, bus);
    end(TaskState.TASK_STATE_COMPLETED);
  }

  // Publishes the task, with which each turn has to begin.
  #begin(task, taskId, contextId, userMessage, bus) {
    const begun = { id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED), artifacts: [], history: [userMessage], metadata: undefined };
    const resumed = task && { ...task, status: status(TaskState.TASK_STATE_WORKING) };
    bus.publish(AgentEvent.task(resumed ?? begun));
  }

  // Works for so many steps; false if the task is canceled meanwhile.
  async #work(taskId, steps) {
    for (let i = 0; i < steps; i++) {
      if (this.canceled.delete(taskId)) return false;
      await new Promise((resolve) => setTimeout(resolve, stepMillis));
    }
    return true;
  }

  // Does what a prefix of ACTS asks for, up to the end of this turn.
  async #follow(prefix, { text, task, taskId, contextId, userMessage }, bus, update, end) {
    if (prefix === 'tck-message-response') {
      bus.publish(AgentEvent.message(this.#message('A message in place of a task.', '', contextId)));
      return bus.finished();
    }
    this.#begin(task, taskId, contextId, userMessage, bus);
    update(TaskState.TASK_STATE_WORKING);
    const { parts, before, between } = workOf(prefix);
    if (!(await this.#work(taskId, before))) return end(TaskState.TASK_STATE_CANCELED);
    for (const [i, content] of parts.entries()) {
      this.#deliver(content, i, parts.length, taskId, contextId, bus);
      if (!(await this.#work(taskId, between))) return end(TaskState.TASK_STATE_CANCELED);
    }
    const [state, words] = endOf(prefix, text, task !== undefined);
    if (state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED') this.waiting.set(taskId, contextId);
    end(TaskState[state], words);
  }

  // The answer is an artifact; a report comes in three pieces, and the stock is data.
  #answer(text, taskId, contextId, bus) {
    let contents = [{ $case: 'text', value: `You said: ${text}` }];
    if (text.startsWith('write a report')) {
      contents = ['Sales rose', ' in spring', ' and fell in autumn.'].map((value) => ({ $case: 'text', value }));
    } else if (text.startsWith('list the stock')) {
      contents = [{ $case: 'data', value: { pens: 12, paper: ['A4', 'A5'] } }];
    }
    contents.forEach((content, i) => this.#deliver(part(content), i, contents.length, taskId, contextId, bus));
  }

  // Publishes a piece of the artifact, one of so many.
  #deliver(part, i, count, taskId, contextId, bus) {
    bus.publish(
      AgentEvent.artifactUpdate({
        taskId,
        contextId,
        artifact: { artifactId: `${taskId}-answer`, name: 'answer', description: '', parts: [part], metadata: undefined, extensions: [] },
        append: i > 0,
        lastChunk: i === count - 1,
        metadata: undefined,
      }),
    );
  }

  #message(text, taskId, contextId) {
    const parts = [part({ $case: 'text', value: text })];
    return { role: Role.ROLE_AGENT, messageId: crypto.randomUUID(), contextId, taskId, parts, metadata: undefined, extensions: [], referenceTaskIds: [] };
  }

  // A task that waits is canceled at once, one that is worked on at the next step.
  cancelTask = async (taskId, bus) => {
    const contextId = this.waiting.get(taskId);
    if (contextId === undefined) return this.canceled.add(taskId);
    this.waiting.delete(taskId);
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(TaskState.TASK_STATE_CANCELED), metadata: undefined }));
    bus.finished();
  };
}

const status = (state, message) => ({ state, timestamp: new Date().toISOString(), message });
const part = (content) => ({ content, metadata: undefined, filename: '', mediaType: '' });

// Refuses whoever is not a client.
const guard = (request, response, next) => {
  if (caller(request)) return next();
  response.set('WWW-Authenticate', 'Bearer').status(401).send('a token is needed');
};

// Which client makes a call, by HTTP or by gRPC.
const caller = (call) => clients[call.metadata ? call.metadata.get('authorization')[0] : call.get('authorization')];

// The same service, which refuses whoever is not a client.
const guarded = (service) =>
  Object.fromEntries(
    Object.entries(service).map(([name, handle]) => [
      name,
      (call, callback) => {
        if (caller(call)) return handle(call, callback);
        const refusal = { code: grpcStatus.UNAUTHENTICATED, details: 'a token is needed' };
        return callback ? callback(refusal) : call.emit('error', refusal);
      },
    ]),
  );

// A server of gRPC, which takes a service later, and its address.
const listening = () =>
  new Promise((resolve, reject) => {
    const server = new Server();
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (err, port) => (err ? reject(err) : resolve({ server, address: `127.0.0.1:${port}` })));
  });

// Tells the SDK which client calls, so that each sees its own tasks only.
const userBuilder = async (call) => {
  const userName = caller(call);
  return userName ? { isAuthenticated: true, userName } : new UnauthenticatedUser();
};

// What signs cards with a key of its own, and that key for those who verify them. The SDK signs anew for each caller.
const signer = (url) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sign = generateAgentCardSignature(privateKey, { alg: 'ES256', kid: 'clerk', typ: 'JOSE', jku: `${url}/keys` });
  return { sign, keys: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'clerk', alg: 'ES256', use: 'sig' }] } };
};

const app = express();
const server = app.listen(0, '127.0.0.1', async (err) => {
  if (err) throw err;
  const url = `http://127.0.0.1:${server.address().port}`;
  const grpc = await listening();
  const card = AgentCard.fromJSON({
    name: 'Clerk',
    description: 'Repeats, counts, books tables and writes reports.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: grpc.address, protocolBinding: 'GRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: !both },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [
      {
        id: 'clerk',
        name: 'Office work',
        description: 'Small jobs in an office.',
        tags: ['office'],
        examples: ['write a report', 'book a table', 'count slowly', 'divide by zero', 'list the stock'],
      },
    ],
    ...(!both && {
      securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { token: { list: [] } } }],
    }),
  });
  if (both) card.supportedInterfaces = duplicateInterfacesForLegacy(card.supportedInterfaces, ['JSONRPC', 'HTTP+JSON', 'GRPC']);
  const safe = { id: 'safe', name: 'The safe', description: 'Opens the safe, for those who are known.', tags: ['office'] };
  const extended = AgentCard.fromJSON({ ...AgentCard.toJSON(card), skills: [...AgentCard.toJSON(card).skills, safe] });

  const store = new InMemoryPushNotificationStore();
  const sender = both ? createLegacyAwarePushNotificationSender(store) : undefined; // the SDK's own
  const signing = signed ? signer(url) : undefined;
  if (signing) app.get('/keys', (_, response) => response.json(signing.keys));
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Agent(), undefined, store, sender, extended, signing?.sign);
  const legacyCompat = { enabled: both };
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
  if (!both) app.use(['/a2a', '/rest'], guard);
  app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder, legacyCompat }));
  app.use('/rest', restHandler({ requestHandler, userBuilder, legacyCompat }));
  const service = grpcService({ requestHandler, userBuilder });
  grpc.server.addService(A2AService, both ? service : guarded(service));
  if (both) grpc.server.addService(LegacyA2AService, legacyGrpcService({ requestHandler, userBuilder }));
  console.log(url);
});
