// Records, as a HAR file, what a page of an agent's own host says to the agent: it reads the card, sends a message, looks
// its task up, and reads a stream.
const { chromium } = require('playwright-core');

const [url, file, executablePath, dialect] = process.argv.slice(2);

(async () => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const context = await browser.newContext({ recordHar: { path: file, content: 'embed', mode: 'full' } });
  const page = await context.newPage();
  await page.goto(url + '/.well-known/agent-card.json');
  const state = await page.evaluate(async (dialect) => {
    const card = await (await fetch('/.well-known/agent-card.json')).json();
    const newer = dialect === 'a2a-1.0';
    const rpc = newer ? card.supportedInterfaces.find((i) => i.protocolBinding === 'JSONRPC').url : card.url;
    const names = newer
      ? { send: 'SendMessage', stream: 'SendStreamingMessage', get: 'GetTask' }
      : { send: 'message/send', stream: 'message/stream', get: 'tasks/get' };
    const message = (text) => newer
      ? { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } }
      : { message: { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts: [{ kind: 'text', text }] } };
    let id = 0;
    const call = (method, params, accept) => fetch(rpc, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: accept, ...(newer ? { 'A2A-Version': '1.0' } : {}) },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
    });
    const sent = await (await call(names.send, message('hello from a page'), 'application/json')).json();
    const task = newer ? sent.result.task : sent.result;
    await (await call(names.get, { id: task.id }, 'application/json')).json();
    const streamed = await (await call(names.stream, message('hello in a stream'), 'text/event-stream')).text();
    return streamed.includes('data:') && task.id !== '' ? 'done' : 'the stream has no data';
  }, dialect);
  if (state !== 'done') throw new Error(state);
  await context.close(); // which writes the file
  await browser.close();
})().catch((err) => {
  console.error(err);
  process.exit(1);
});
