import type { Json } from '../wire/conversation.ts';

/** A request to every endpoint that a model answers, in each way of answering. */

export const chat = { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] };
export const contents = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
export const said = { model: 'demo/chat', input: 'Hello' };
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
export const google = '/v1beta/models/{model}';

export const askedEverywhere: [route: string, body: Json | FormData, address?: string][] = [
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

export const addressOf = (route: string): string =>
  route.replace('{model}', route.includes('mbedContent') ? 'demo/embed' : 'demo/chat');
