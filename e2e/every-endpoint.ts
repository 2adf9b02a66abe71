/** A request for every model endpoint, and an upstream that answers all of them. */
import type { Json } from '../server/src/relay/wire/conversation.ts';
import { says } from './relay-replies.ts';
import type { Script } from './upstream.ts';

export type ModelType = 'chat' | 'embedding' | 'moderation' | 'rerank' | 'image' | 'speech' | 'transcription';

interface Request {
  path: string;
  body: Json | FormData;
}

const messages = [{ role: 'user', content: 'hi' }];
const contents = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

const form = (fields: Record<string, string | File>): FormData => {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
};
const image = () => new File([png], 'a.png', { type: 'image/png' });
/** One minute of silence in as few bytes as possible; audio is billed by its duration. */
function minuteOfSilence(): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(44 + 60 * 2_000);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  // A format chunk of 16 bytes: ADPCM, one channel, 4,000 samples per second, four bits each.
  for (const [at, value] of Object.entries({ 16: 16, 24: 4_000, 28: 2_000, 40: bytes.length - 44 }))
    bytes.writeUInt32LE(value, Number(at));
  for (const [at, value] of Object.entries({ 20: 17, 22: 1, 32: 1, 34: 4 })) bytes.writeUInt16LE(value, Number(at));
  bytes.write('data', 36);
  return bytes;
}
const silence = minuteOfSilence();
const sound = (): File => new File([silence], 'minute.wav', { type: 'audio/wav' });
/** Takes about a minute to read aloud. */
const minute = 'tea and cake '.repeat(75);

const chats: [path: string, fields: Json][] = [
  ['/v1/chat/completions', { messages, max_tokens: 5 }],
  ['/v1/chat/completions', { messages, max_tokens: 5, stream: true }],
  ['/v1/completions', { prompt: 'Once', max_tokens: 5 }],
  ['/v1/messages', { messages, max_tokens: 5 }],
  ['/v1/messages', { messages, max_tokens: 5, stream: true }],
  ['/v1/responses', { input: 'hi', max_output_tokens: 16 }],
  ['/v1/responses', { input: 'hi', max_output_tokens: 16, store: false, stream: true }],
  ['/v2/chat', { messages, max_tokens: 5 }],
];

/** Each with a name, the type of the requested model, and the request. */
export const everyEndpoint: [name: string, type: ModelType, request: (model: string) => Request][] = [
  ...chats.map(([path, fields]): (typeof everyEndpoint)[number] => [
    fields.stream ? `${path}, streamed` : path,
    'chat',
    (model) => ({ path, body: { model, ...fields } }),
  ]),
  ['generateContent', 'chat', (model) => ({ path: `/v1beta/models/${model}:generateContent`, body: contents })],
  [
    'streamGenerateContent',
    'chat',
    (model) => ({ path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`, body: contents }),
  ],
  ['/v1/embeddings', 'embedding', (model) => ({ path: '/v1/embeddings', body: { model, input: 'tea' } })],
  [
    '/v2/embed',
    'embedding',
    (model) => ({ path: '/v2/embed', body: { model, texts: ['tea'], input_type: 'search_query' } }),
  ],
  [
    'embedContent',
    'embedding',
    (model) => ({ path: `/v1beta/models/${model}:embedContent`, body: { content: { parts: [{ text: 'tea' }] } } }),
  ],
  ['/v1/moderations', 'moderation', (model) => ({ path: '/v1/moderations', body: { model, input: 'tea' } })],
  ...['/v1/rerank', '/v2/rerank'].map((path): (typeof everyEndpoint)[number] => [
    path,
    'rerank',
    (model) => ({ path, body: { model, query: 'tea', documents: ['tea', 'car'] } }),
  ]),
  [
    '/v1/images/generations',
    'image',
    (model) => ({ path: '/v1/images/generations', body: { model, prompt: 'tea', response_format: 'b64_json' } }),
  ],
  [
    '/v1/images/edits',
    'image',
    (model) => ({ path: '/v1/images/edits', body: form({ model, prompt: 'tea', image: image() }) }),
  ],
  [
    '/v1/images/variations',
    'image',
    (model) => ({ path: '/v1/images/variations', body: form({ model, image: image() }) }),
  ],
  [
    '/v1/audio/speech',
    'speech',
    (model) => ({ path: '/v1/audio/speech', body: { model, input: minute, voice: 'alloy' } }),
  ],
  ...['/v1/audio/transcriptions', '/v1/audio/translations'].map((path): (typeof everyEndpoint)[number] => [
    path,
    'transcription',
    (model) => ({ path, body: form({ model, file: sound() }) }),
  ]),
];

const usage = { prompt_tokens: 1, total_tokens: 1 };
const answers: [path: RegExp, answer: () => Response][] = [
  [/embeddings/, () => Response.json({ object: 'list', data: [{ index: 0, embedding: [0.5, 0.5] }], usage })],
  [/moderations/, () => Response.json({ id: 'm', results: [{ flagged: false, categories: {} }] })],
  [/rerank/, () => Response.json({ id: 'r', results: [{ index: 0, relevance_score: 1 }], usage })],
  [/images/, () => Response.json({ created: 1, data: [{ b64_json: png.toString('base64') }] })],
  [/speech/, () => new Response(Buffer.alloc(100), { headers: { 'content-type': 'audio/mpeg' } })],
  [/audio/, () => Response.json({ text: 'tea' })],
];
const talks = says('openai', { text: 'a b', usage: { input: 3, output: 2 } }, { everyMs: 3 });

export const answersEverything: Script = (asked) =>
  answers.find(([path]) => path.test(asked.path))?.[1]() ?? talks(asked);
