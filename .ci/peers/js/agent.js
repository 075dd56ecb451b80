// A small agent on the JavaScript SDK, written as its README shows: an executor
// that publishes tasks and updates, the SDK's memory store, its push
// notifications, its handlers for Express, and its service of gRPC, at an address
// of its own. It prints its URL once it listens.
import express from 'express';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';

// The steps of a piece of work that takes a while; between them the agent looks
// whether it has been canceled.
const steps = 20;
const stepMillis = 20;

class Agent {
  canceled = new Set();

  async execute({ userMessage, task, taskId, contextId }, bus) {
    const text = userMessage.parts.find((part) => part.kind === 'text')?.text ?? '';
    const status = (state, words) => ({
      state,
      timestamp: new Date().toISOString(),
      ...(words && { message: this.#message(words, taskId, contextId) }),
    });
    const update = (state, words, final) =>
      bus.publish({ kind: 'status-update', taskId, contextId, status: status(state, words), final });
    const end = (state, words) => {
      update(state, words, true);
      bus.finished();
    };

    if (text.startsWith('hello')) {
      bus.publish(this.#message('Good day.', undefined, contextId));
      return bus.finished();
    }
    if (!task) {
      bus.publish({ kind: 'task', id: taskId, contextId, status: status('submitted'), history: [userMessage] });
    }
    if (text.startsWith('book a table') && !task) {
      return end('input-required', 'For how many people?');
    }
    update('working', undefined, false);
    if (text.startsWith('count slowly')) {
      for (let i = 0; i < steps; i++) {
        if (this.canceled.delete(taskId)) {
          return end('canceled');
        }
        await new Promise((resolve) => setTimeout(resolve, stepMillis));
      }
    }
    if (text.startsWith('divide by zero')) {
      return end('failed', 'Nothing can be divided by zero.');
    }
    this.#answer(text, taskId, contextId, bus);
    end('completed');
  }

  // The answer is an artifact; a report comes in three pieces.
  #answer(text, taskId, contextId, bus) {
    const pieces = text.startsWith('write a report') ? ['Sales rose', ' in spring', ' and fell in autumn.'] : [`You said: ${text}`];
    pieces.forEach((piece, i) =>
      bus.publish({
        kind: 'artifact-update',
        taskId,
        contextId,
        artifact: { artifactId: `${taskId}-answer`, name: 'answer', parts: [{ kind: 'text', text: piece }] },
        append: i > 0,
        lastChunk: i === pieces.length - 1,
      }),
    );
  }

  #message(text, taskId, contextId) {
    return { kind: 'message', role: 'agent', messageId: crypto.randomUUID(), contextId, ...(taskId && { taskId }), parts: [{ kind: 'text', text }] };
  }

  cancelTask = async (taskId) => {
    this.canceled.add(taskId);
  };
}

// A server of gRPC, which takes a service later, and its address.
const listening = () =>
  new Promise((resolve, reject) => {
    const server = new Server();
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (err, port) => (err ? reject(err) : resolve({ server, address: `127.0.0.1:${port}` })));
  });

const app = express();
const server = app.listen(0, '127.0.0.1', async (err) => {
  if (err) throw err;
  const url = `http://127.0.0.1:${server.address().port}`;
  const grpc = await listening();
  const card = {
    name: 'Clerk',
    description: 'Repeats, counts, books tables and writes reports.',
    protocolVersion: '0.3.0',
    version: '1.0.0',
    url: `${url}/a2a`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [
      { url: `${url}/a2a`, transport: 'JSONRPC' },
      { url: `${url}/rest`, transport: 'HTTP+JSON' },
      { url: grpc.address, transport: 'GRPC' },
    ],
    skills: [
      {
        id: 'clerk',
        name: 'Office work',
        description: 'Small jobs in an office.',
        tags: ['office'],
        examples: ['write a report', 'book a table', 'count slowly', 'divide by zero'],
      },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Agent());
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
  const userBuilder = UserBuilder.noAuthentication;
  app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder }));
  app.use('/rest', restHandler({ requestHandler, userBuilder }));
  grpc.server.addService(A2AService, grpcService({ requestHandler, userBuilder }));
  console.log(url);
});
