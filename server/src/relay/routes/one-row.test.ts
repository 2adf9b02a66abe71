import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import type { Json } from '../wire/conversation.ts';

/** Whatever the address, the wire and the way of answering: an answered request is one entry of the usage log, under its address. */
let relay: RelayTest;
beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await relay.test.platform.jobs.start();
});
afterAll(() => relay.close());

const chat = { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] };
const contents = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const said = { model: 'demo/chat', input: 'Hello' };
const tea = { content: { parts: [{ text: 'tea' }] } };
const rank = { model: 'demo/rerank', query: 'tea', documents: ['green tea', 'a car'] };
const speech = { model: 'demo/speech', input: 'tea', voice: 'alloy' };
const drawn = { model: 'demo/image', prompt: 'tea', size: '64x64' };
const stream = { stream: true };

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);
const form = (fields: Record<string, string | File>): FormData => {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
};
const image = new File([png], 'a.png', { type: 'image/png' });
const sound = new File(['tea'], 'tea.mp3', { type: 'audio/mpeg' });
const heard = { model: 'demo/transcribe', file: sound };
const google = '/v1beta/models/{model}';

const asked: [route: string, body: Json | FormData, address?: string][] = [
  ['/v1/chat/completions', chat],
  ['/v1/chat/completions', { ...chat, ...stream }],
  ['/v1/chat/completions', chat, '/openai/deployments/demo/chat/chat/completions?api-version=2024-10-21'],
  ['/v1/completions', { model: 'demo/chat', prompt: 'Once' }],
  ['/v1/completions', { model: 'demo/chat', prompt: 'Once', ...stream }],
  ['/v1/messages', { ...chat, max_tokens: 99 }],
  ['/v1/messages', { ...chat, max_tokens: 99, ...stream }],
  ['/v1/responses', said],
  ['/v1/responses', { ...said, ...stream }],
  ['/v1/responses', { ...said, store: false }],
  ['/v1/responses', { ...said, background: true }],
  ['/v1/responses', { ...said, background: true, ...stream }],
  ['/v1/responses', said, '/openai/v1/responses'],
  ['/v1/responses/compact', said],
  ['/v2/chat', chat],
  ['/v2/chat', { ...chat, ...stream }],
  [`${google}:generateContent`, contents],
  [`${google}:generateContent`, contents, '/v1/demo/chat:generateContent'],
  [`${google}:streamGenerateContent`, contents, '/v1beta/models/demo/chat:streamGenerateContent?alt=sse'],
  [`${google}:streamGenerateContent`, contents],
  [`${google}:embedContent`, tea],
  [`${google}:batchEmbedContents`, { requests: [tea, tea].map((one) => ({ model: 'models/demo/embed', ...one })) }],
  ['/v1/embeddings', { model: 'demo/embed', input: ['a', 'b'] }],
  ['/v1/moderations', { model: 'demo/moderation', input: ['a', 'b'] }],
  ['/v1/rerank', rank],
  ['/v2/rerank', rank],
  ['/v2/embed', { model: 'demo/embed', texts: ['a', 'b'], input_type: 'search_query' }],
  ['/v1/images/generations', drawn],
  ['/v1/images/generations', { ...drawn, ...stream }],
  ['/v1/images/edits', form({ model: 'demo/image', prompt: 'tea', size: '64x64', image })],
  ['/v1/images/variations', form({ model: 'demo/image', size: '64x64', image })],
  ['/v1/audio/speech', speech],
  ['/v1/audio/speech', { ...speech, stream_format: 'sse' }],
  ['/v1/audio/transcriptions', form(heard)],
  ['/v1/audio/transcriptions', form({ ...heard, stream: 'true' })],
  ['/v1/audio/translations', form(heard)],
  ['/v1/videos', { model: 'demo/video', prompt: 'waves' }],
];

/** No model answers these, or, in batches, one for each of their requests. */
const without = [
  '/v1/anthropic/files',
  '/v1/batches',
  '/v1/batches/{batch_id}/cancel',
  '/v1/conversations',
  '/v1/conversations/{conversation_id}',
  '/v1/conversations/{conversation_id}/items',
  '/v1/files',
  '/v1/messages/batches',
  '/v1/messages/batches/{batch_id}/cancel',
  '/v1/messages/count_tokens',
  '/v1/realtime',
  '/v1/realtime/calls',
  '/v1/realtime/calls/{call_id}/{act}',
  '/v1/realtime/client_secrets',
  '/v1/realtime/transcription_sessions',
  '/v1/responses/input_tokens',
  '/v1/responses/{response_id}/cancel',
  '/v1/uploads',
  '/v1/uploads/{upload_id}/cancel',
  '/v1/uploads/{upload_id}/complete',
  '/v1/uploads/{upload_id}/parts',
  '/v1/videos/callback-secret/rotate',
  '/v1/videos/{jobId}/remix',
  `${google}:countTokens`,
];

const addressOf = (route: string): string =>
  route.replace('{model}', route.includes('mbedContent') ? 'demo/embed' : 'demo/chat');
/** Gemini's are named without the model. */
const endpointOf = (route: string): string => route.replace('/{model}', '');

const endpoints = async (): Promise<string[]> => {
  const { db } = relay.test.platform.database;
  const rows = await db.selectFrom('usage_logs').select('endpoint').execute();
  return rows.map(({ endpoint }) => endpoint).sort();
};

test('each answered request has one usage entry', async () => {
  for (const [route, body, address = addressOf(route)] of asked) {
    const answer = await relay.post(address, body);
    const text = await answer.text();
    expect([address, answer.ok || text]).toEqual([address, true]);
  }
  // Waited for once: entries of what costs nothing are written together, a while later.
  await until('all are in the usage log', async () => (await endpoints()).length >= asked.length);
  expect(await endpoints()).toEqual(asked.map(([route]) => endpointOf(route)).sort());
});

test('every POST path is covered', () => {
  const { paths } = relay.test.app.document() as { paths: Record<string, { post?: unknown }> };
  const posts = Object.keys(paths).filter((path) => /^\/v\d/.test(path) && paths[path]!.post);
  expect([...new Set([...asked.map(([route]) => route), ...without])].sort()).toEqual(posts.sort());
});
