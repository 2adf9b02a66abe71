import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import type { Json } from '../wire/conversation.ts';
import { typeFaults } from '../wire/type-faults.fixture.ts';
import type { SdkAnswers } from './sdk-answers.fixture.ts';

/** Every answer is one by the types of the vendor's own library: libraries of strict languages refuse one that lacks a member. */
let relay: RelayTest;
beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
});
afterAll(() => relay.close());

const faultsIn = (shown: Partial<Record<keyof SdkAnswers, string[]>>): Promise<string[]> =>
  typeFaults({ file: join(import.meta.dir, 'sdk-answers.fixture.ts'), name: 'SdkAnswers' }, shown);

const chat = { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] };
const drawn = { model: 'demo/image', prompt: 'tea', size: '1024x1024' };
const google = '/v1beta/models';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

const form = (fields: Record<string, string | File>): FormData => {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
};
const edited = {
  model: 'demo/image',
  prompt: 'tea',
  size: '1024x1024',
  image: new File([png], 'a.png', { type: 'image/png' }),
};
const heard = { model: 'demo/transcribe', file: new File(['tea'], 'tea.mp3', { type: 'audio/mpeg' }) };
const text = { file: new File(['tea'], 'tea.txt', { type: 'text/plain' }), purpose: 'user_data' };
const upload = { filename: 'a.txt', bytes: 3, purpose: 'user_data', mime_type: 'text/plain' };
const writes = { audio: { input: { transcription: { model: 'demo/transcribe' } } } };

const asked: [keyof SdkAnswers, path: string, body?: Json | FormData][] = [
  ['chat', '/v1/chat/completions', chat],
  ['completion', '/v1/completions', { model: 'demo/chat', prompt: 'Once' }],
  ['response', '/v1/responses', { model: 'demo/chat', input: 'Hello' }],
  ['response', '/v1/responses', { model: 'demo/chat', input: 'Hello', background: true }],
  ['message', '/v1/messages', { ...chat, max_tokens: 99 }],
  ['gemini', `${google}/demo/chat:generateContent`, { contents: [{ parts: [{ text: 'Hello' }] }] }],
  ['geminiCount', `${google}/demo/chat:countTokens`, { contents: [{ parts: [{ text: 'Hello' }] }] }],
  [
    'geminiEmbedding',
    `${google}/demo/embed:batchEmbedContents`,
    { requests: [{ model: 'models/demo/embed', content: { parts: [{ text: 'tea' }] } }] },
  ],
  ['embedding', '/v1/embeddings', { model: 'demo/embed', input: ['a', 'b'] }],
  ['moderation', '/v1/moderations', { model: 'demo/moderation', input: 'a' }],
  ['images', '/v1/images/generations', drawn],
  ['images', '/v1/images/edits', form(edited)],
  ['imageEvent', '/v1/images/generations', { ...drawn, stream: true }],
  ['imageEditEvent', '/v1/images/edits', form({ ...edited, stream: 'true' })],
  ['transcription', '/v1/audio/transcriptions', form(heard)],
  ['transcriptionVerbose', '/v1/audio/transcriptions', form({ ...heard, response_format: 'verbose_json' })],
  ['transcriptionEvent', '/v1/audio/transcriptions', form({ ...heard, stream: 'true' })],
  ['translation', '/v1/audio/translations', form(heard)],
  ['video', '/v1/videos', form({ model: 'demo/video', prompt: 'waves' })],
  ['file', '/v1/files', form(text)],
  ['upload', '/v1/uploads', upload],
  ['model', '/v1/models/demo/chat'],
  ['conversation', '/v1/conversations', {}],
  ['clientSecret', '/v1/realtime/client_secrets', { session: { model: 'demo/realtime' } }],
  ['clientSecret', '/v1/realtime/client_secrets', { session: { type: 'transcription', ...writes } }],
];

/** The answer, or each of its events. */
async function valuesOf(path: string, body?: Json | FormData): Promise<string[]> {
  const answer = await (body ? relay.post(path, body) : relay.get(path));
  const said = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${said}`);
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return [said];
  return said.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []));
}

test('every answer matches the types of the vendor’s library', async () => {
  const shown: Partial<Record<keyof SdkAnswers, string[]>> = {};
  for (const [type, path, body] of asked) shown[type] = [...(shown[type] ?? []), ...(await valuesOf(path, body))];
  const { id } = JSON.parse(shown.conversation![0]!);
  const items = { items: [{ type: 'message', role: 'user', content: 'Hello' }] };
  shown.conversationItems = await valuesOf(`/v1/conversations/${id}/items`, items);
  for (const values of Object.values(shown)) expect(values.length).toBeGreaterThan(0);
  expect(await faultsIn(shown)).toEqual([]);
});

test('an answer that does not match is detected', async () => {
  expect(await faultsIn({ model: [JSON.stringify({ id: 'a/b', object: 'model' })], chat: ['{}'] })).toHaveLength(2);
});
