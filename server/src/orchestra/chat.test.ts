import { afterEach, expect, test } from 'bun:test';
import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';
import type { RelayDeps } from '../relay/deps.ts';
import { answer } from '../relay/routes/answer.ts';
import { parseMessagesRequest } from '../relay/wire/messages/request.ts';
import { chat } from './chat.ts';
import type { Caller } from './ports.ts';
import { type Script, type Stage, request as scripted, stage } from './scripted.fixture.ts';

let open: Stage[] = [];
const on = async (script: Script) => {
  const made = await stage(script);
  open.push(made);
  return made;
};
afterEach(async () => {
  for (const made of open) await made.close();
  open = [];
});

const request = (text: string, body: Record<string, unknown> = {}, svcMs = {}) => ({
  ...scripted(text, svcMs, body),
  headers: { 'x-request-id': 'r1' },
});

type Asked = Omit<ReturnType<typeof request>, 'caller'> & { caller: Caller };

/** Through the relay's route, which writes what the engine answers. */
const ask = (s: Stage, { conversation, caller, signal, headers }: Asked): Promise<Response> =>
  answer(
    { clock: s.clock, log: { warn() {}, error() {} } } as unknown as RelayDeps,
    { 'svc/svc-ms': (_, given, left, onDelta) => chat(s.deps, { caller, conversation: given, signal: left }, onDelta) },
    { headers: { ...headers }, signal, requestId: 'r1' } as unknown as Call<'apiKey'>,
    '/v1/chat/completions',
    conversation,
  );

// biome-ignore lint/suspicious/noExplicitAny: chunks are looked at field by field
const chunks = async (response: Response): Promise<any[]> => {
  const lines = (await response.text()).split('\n\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => (line === 'data: [DONE]' ? 'DONE' : JSON.parse(line.slice(6))));
};

test('a whole answer has the chat format and the metadata', async () => {
  const s = await on(() => 'Paris');
  const response = await ask(s, request('What is the capital of France?'));
  expect(response.headers.get('x-request-id')).toBe('r1');
  expect(await response.json()).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-/),
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'svc/svc-ms',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Paris' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    svc_ms_meta: { task_status: 'completed' },
  });
});

test('a stream sends the role at once, progress, content, the metadata with the finish, and usage on request', async () => {
  const s = await on(() => 'The capital of France is Paris.');
  const body = { stream: true, stream_options: { include_usage: true } };
  const all = await chunks(await ask(s, request('What is the capital of France?', body, { include_reasoning: true })));
  expect(all[0]).toMatchObject({
    object: 'chat.completion.chunk',
    choices: [{ delta: { role: 'assistant' }, finish_reason: null }],
  });
  expect(all.at(-1)).toBe('DONE');
  expect(all.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
  expect(all.at(-3)).toMatchObject({
    choices: [{ delta: {}, finish_reason: 'stop' }],
    svc_ms_meta: { task_status: 'completed', tasks_completed: 1 },
  });
  const deltas = all.slice(1, -3).map((chunk) => chunk.choices[0].delta);
  expect(deltas.map(({ content = '' }) => content).join('')).toBe('The capital of France is Paris.');
  expect(deltas.some((delta) => typeof delta.reasoning_content === 'string')).toBe(true);
  expect(all.slice(1, -3).some((chunk) => chunk.svc_ms_meta?.task_status === 'running')).toBe(true);
});

test('tool calls are streamed as deltas with an index', async () => {
  const tool_calls = [{ id: 'x', type: 'function' as const, function: { name: 'f', arguments: '{}' } }];
  const s = await on(() => ({ message: { role: 'assistant', content: null, tool_calls } }));
  const all = await chunks(
    await ask(s, request('Call it', { stream: true, tools: [{ type: 'function', function: { name: 'f' } }] })),
  );
  const [withCalls] = all.filter((chunk) => chunk.choices?.[0].delta.tool_calls);
  expect(withCalls.choices[0].delta.tool_calls).toMatchObject([
    { index: 0, type: 'function', function: { name: 'f' } },
  ]);
  expect(all.at(-2).choices[0].finish_reason).toBe('tool_calls');
});

test('an error before the stream is an error response; one within it is a chunk without DONE', async () => {
  const s = await on(() => new AppError('no_available_provider', 'all circuits open'));
  await expect(ask(s, request('x', { stream: true }, { verbosity: 'loud' }))).rejects.toMatchObject({ status: 400 });
  const all = await chunks(await ask(s, request('What is it?', { stream: true })));
  expect(all.at(-1)).toMatchObject({
    choices: [{ finish_reason: 'error' }],
    error: { message: 'all circuits open', type: 'server_error', code: 'no_available_provider' },
  });
  const bug = await on(() => new Error('secret detail'));
  const hidden = await chunks(await ask(bug, request('What is it?', { stream: true })));
  expect(JSON.stringify(hidden)).not.toContain('secret detail');
});

test('a client of the messages format receives the same error in its own format', async () => {
  const s = await on(() => new AppError('no_available_provider', 'all circuits open'));
  const body = {
    model: 'svc/svc-ms',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'What is it?' }],
    stream: true,
  };
  const text = await (await ask(s, { ...request(''), conversation: parseMessagesRequest(body) })).text();
  expect(text).toStartWith('event: error\n');
  expect(text).toContain('{"type":"overloaded_error","message":"all circuits open"}');
  expect(text).not.toContain('message_stop');
});

test('a client that disconnects cancels the model call', async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const { promise: asked, resolve: began } = Promise.withResolvers<void>();
  const s = await on(async ({ signal }) => {
    began();
    await new Promise<void>((stop) => signal.addEventListener('abort', () => stop()));
    resolve();
    return 'late';
  });
  const server = Bun.serve({
    port: 0,
    fetch: ({ signal }) => ask(s, { ...request('What is it?', { stream: true }), signal }),
  });
  const client = new AbortController();
  const response = fetch(server.url, { signal: client.signal });
  await asked;
  client.abort();
  await response.then((begun) => begun.text()).catch(() => {});
  await cancelled;
  await server.stop(true);
});

test('a key without the orchestration model in its list cannot use it', async () => {
  const s = await on(() => 'x');
  const limited = { ...request('Hi'), caller: { userId: 1, keyId: 3, allowedModels: ['v/small'] } };
  await expect(ask(s, limited)).rejects.toMatchObject({ status: 403, code: 'model_not_allowed' });
  const listed = { ...limited, caller: { ...limited.caller, allowedModels: ['svc/svc-ms'] } };
  expect((await ask(s, listed)).status).toBe(200);
});
