// The behaviours that ACTS asks for by the prefix of a message (section 11.2 of its draft, and tck-auth-required of its
// tests), as data for the agent.

// The prefix by which a task began, or begins with this text; '' if it has none.
export const findPrefix = (task, text) => {
  const first = task?.history?.[0]?.parts.find((part) => part.content?.$case === 'text')?.content.value ?? text;
  return first.trim().match(/^tck-[a-z-]+/)?.[0] ?? '';
};

const plain = ($case, value, filename = '', mediaType = '') => ({ content: { $case, value }, metadata: undefined, filename, mediaType });
const text = (value) => plain('text', value);

// What is done before the parts of the artifact, and between them, in steps of work.
const works = {
  'tck-artifact-text': { parts: [text('Generated text content')] },
  'tck-artifact-file': { parts: [plain('raw', Buffer.from('File content'), 'output.txt', 'text/plain')] },
  'tck-artifact-file-url': { parts: [plain('url', 'https://files.example.com/output.txt', 'output.txt', 'text/plain')] },
  'tck-artifact-data': { parts: [plain('data', { key: 'value', count: 3 })] },
  'tck-long-running': { parts: [text('The result of long work.')], before: 75 },
  'tck-cancel': { before: Infinity },
  'tck-stream-basic': { parts: [text('Streamed content')], before: 2, between: 2 },
  'tck-stream-chunked': { parts: ['One', ' two', ' three.'].map(text), before: 2, between: 2 },
};
export const workOf = (prefix) => ({ parts: [], before: 0, between: 0, ...works[prefix] });

// The state and the words in which a turn ends.
export const endOf = (prefix, text, answered) => {
  if ((prefix === 'tck-input-required' && !answered) || (prefix === 'tck-multi-turn' && text !== 'done')) {
    return ['TASK_STATE_INPUT_REQUIRED', 'What else is there to know?'];
  }
  if (prefix === 'tck-auth-required' && !answered) return ['TASK_STATE_AUTH_REQUIRED', 'Credentials are needed.'];
  if (prefix === 'tck-reject-task') return ['TASK_STATE_REJECTED', 'The task is rejected, as it was asked for.'];
  if (prefix === 'tck-task-failure') return ['TASK_STATE_FAILED', 'The task fails, as it was asked for.'];
  return ['TASK_STATE_COMPLETED', 'The task is complete.'];
};
