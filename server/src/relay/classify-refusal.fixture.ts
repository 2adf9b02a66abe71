import type { Script } from './scripted-upstream.fixture.ts';

export const messages = [{ role: 'user', content: 'hi' }];

export interface Endpoint {
  type: string;
  kind?: string;
  path: string;
  body: (model: string) => unknown;
}

const json = (path: string, fields: Record<string, unknown>, type = 'chat', kind = 'openai'): Endpoint => ({
  type,
  kind,
  path,
  body: (model) => ({ model, ...fields }),
});

const form = (): FormData => {
  const data = new FormData();
  data.set('file', new File([new Uint8Array(2000)], 'a.wav'));
  return data;
};

export const endpoints = {
  whole: json('/v1/chat/completions', { messages }),
  streamed: json('/v1/chat/completions', { messages, stream: true }),
  messages: json('/v1/messages', { messages, max_tokens: 10 }, 'chat', 'anthropic'),
  messagesStreamed: json('/v1/messages', { messages, max_tokens: 10, stream: true }, 'chat', 'anthropic'),
  gemini: json('/v1/chat/completions', { messages }, 'chat', 'gemini'),
  geminiStreamed: json('/v1/chat/completions', { messages, stream: true }, 'chat', 'gemini'),
  bedrock: json('/v1/chat/completions', { messages }, 'chat', 'bedrock'),
  bedrockStreamed: json('/v1/chat/completions', { messages, stream: true }, 'chat', 'bedrock'),
  embeddings: json('/v1/embeddings', { input: 'x' }, 'embedding'),
  images: json('/v1/images/generations', { prompt: 'x' }, 'image'),
  geminiImages: json('/v1/images/generations', { prompt: 'x' }, 'image', 'gemini'),
  speech: json('/v1/audio/speech', { input: 'x', voice: 'alloy' }, 'speech'),
  rerank: json('/v1/rerank', { query: 'x', documents: ['a'] }, 'rerank'),
  moderations: json('/v1/moderations', { input: 'x' }, 'moderation'),
  transcriptions: {
    type: 'transcription',
    path: '/v1/audio/transcriptions',
    body: (model: string) => {
      const data = form();
      data.set('model', model);
      return data;
    },
  } satisfies Endpoint,
} satisfies Record<string, Endpoint>;
export type EndpointName = keyof typeof endpoints;

/** An answer of JSON; with a status of 200 unless another is given. */
export const says = (body: unknown, status = 200): Script => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return () => new Response(text, { status, headers: { 'content-type': 'application/json' } });
};
const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
export const errorOf = (fields: unknown) => ({ error: fields });
const stream =
  (...events: unknown[]): Script =>
  () =>
    new Response(events.map(event).join(''), { headers: { 'content-type': 'text/event-stream' } });

const all = Object.keys(endpoints) as EndpointName[];
const chats: EndpointName[] = ['whole', 'streamed', 'messages', 'messagesStreamed', 'gemini', 'geminiStreamed'];
const opens: EndpointName[] = ['whole', 'streamed'];
const refused = { message: 'no', type: 'invalid_request_error' };

export type Row = [name: string, endpoints: EndpointName[], script: Script];

export const byRequest: Row[] = [
  ...[400, 406, 409, 411, 412, 413, 414, 415, 416, 417, 422, 428, 431, 451].map(
    (status): Row => [`${status}`, all, says(errorOf(refused), status)],
  ),
  ['a missing file', chats, says(errorOf({ message: 'No such File object: file-abc', code: 'not_found' }), 404)],
  [
    'no endpoint that supports images',
    chats,
    says(errorOf({ message: 'No endpoints found that support image input', code: 404 }), 404),
  ],
  ['501', all, says(errorOf({ message: 'logprobs are not implemented' }), 501)],
  ['429', all, says(errorOf({ message: 'slow down' }), 429)],
  ['content filter 400', all, says(errorOf({ message: 'filtered', code: 'content_filter' }), 400)],
  ['content filter 403', all, says(errorOf({ message: 'Your input was flagged', code: 403 }), 403)],
  ['content filter 500', all, says(errorOf({ message: 'The response was filtered', code: 'content_filter' }), 500)],
  ['a refusal with 500', all, says(errorOf(refused), 500)],
  ['a refusal with 502', all, says(errorOf({ message: 'Provider returned error', code: 400 }), 502)],
  ['a refusal with 503 of Google', chats, says(errorOf({ code: 400, message: 'x', status: 'INVALID_ARGUMENT' }), 503)],
  ['vLLM’s refusal with 500', opens, says({ object: 'error', message: 'x', type: 'BadRequestError', code: 400 }, 500)],
  ['too long, as 500', chats, says(errorOf({ message: "This model's maximum context length is 8192 tokens." }), 500)],
  [
    'too long, as 500 of llama.cpp',
    opens,
    says(errorOf({ message: 'the request exceeds the available context size' }), 500),
  ],
  [
    'an image it could not fetch',
    chats,
    says(errorOf({ message: 'Failed to download image from https://x/y.png' }), 500),
  ],
  [
    'a schema it could not compile',
    chats,
    says(errorOf({ message: 'Failed to compile grammar from JSON schema' }), 500),
  ],
  [
    'more than the account’s credits',
    chats,
    says(
      errorOf({
        code: 402,
        message:
          'This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 1200.',
      }),
      402,
    ),
  ],
  // What the caller wrote and the upstream repeats says nothing of our account.
  [
    'echo of account words',
    chats,
    says(
      errorOf({
        message: "Invalid value: 'insufficient credits'. Supported values are: 'auto'.",
        type: 'invalid_request_error',
      }),
      400,
    ),
  ],
  [
    'echo of key words',
    chats,
    says(errorOf({ message: 'Unknown tool: incorrect api key provided', type: 'invalid_request_error' }), 400),
  ],
  [
    'a refusal in a body with 200',
    ['whole', 'messages', 'gemini', 'embeddings', 'images', 'rerank', 'moderations', 'transcriptions', 'speech'],
    says(errorOf(refused)),
  ],
  [
    'a refusal of Google in a body with 200',
    ['gemini', 'geminiImages'],
    says(errorOf({ status: 'INVALID_ARGUMENT', message: 'x' })),
  ],
  ['a filter in a body with 200', ['whole', 'embeddings'], says(errorOf({ message: 'x', code: 'content_filter' }))],
  ['a refusal as the first event', ['streamed'], stream(errorOf(refused))],
  [
    'a refusal as the first event, by code',
    ['streamed'],
    stream(errorOf({ message: 'x', code: 'context_length_exceeded' })),
  ],
  [
    'a refusal as the first event, by vLLM’s type',
    ['streamed'],
    stream(errorOf({ message: 'x', type: 'BadRequestError', code: 400 })),
  ],
  [
    'a refusal as the first event of messages',
    ['messagesStreamed'],
    stream({ type: 'error', ...errorOf({ type: 'request_too_large', message: 'x' }) }),
  ],
  [
    'a refusal in mid-stream',
    ['streamed'],
    stream({ id: 'c', choices: [{ index: 0, delta: { content: 'a' } }] }, errorOf(refused)),
  ],
  [
    'a size limit error in mid-stream',
    ['streamed'],
    stream(
      { id: 'c', choices: [{ index: 0, delta: { content: 'a' } }] },
      errorOf({ message: 'x', code: 'content_filter' }),
    ),
  ],
  [
    'an empty answer',
    ['whole'],
    says({ id: 'c', choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'length' }] }),
  ],
  ['a blocked prompt', ['gemini'], says({ promptFeedback: { blockReason: 'SAFETY' } })],
  [
    'a malformed tool call',
    ['gemini'],
    says({ candidates: [{ content: { parts: [] }, finishReason: 'MALFORMED_FUNCTION_CALL' }] }),
  ],
  [
    'a malformed tool call, streamed',
    ['geminiStreamed'],
    stream(
      { candidates: [{ content: { parts: [{ text: 'a' }] } }] },
      { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] },
    ),
  ],
  [
    'an image that was not generated',
    ['geminiImages'],
    says({ candidates: [{ content: { parts: [{ text: 'I cannot' }] }, finishReason: 'IMAGE_SAFETY' }] }),
  ],
  ['no image', ['images'], says({ data: [] })],
];

export const byProvider: Row[] = [
  ...[302, 404, 405, 407, 408, 410, 424, 500, 502, 503, 504, 529].map(
    (status): Row => [`bare ${status}`, all, says('', status)],
  ),
  ...[401, 402, 403].map((status): Row => [`${status}`, all, says(errorOf({ message: 'no' }), status)]),
  [
    'the model does not exist',
    all,
    says(errorOf({ message: 'The model `x` does not exist', code: 'model_not_found' }), 404),
  ],
  [
    'the model was removed',
    chats,
    says(errorOf({ message: 'models/x is not found for API version v1beta', status: 'NOT_FOUND' }), 404),
  ],
  ['its own error', all, says(errorOf({ message: 'The server had an error', type: 'server_error' }), 500)],
  ['overloaded', chats, says({ type: 'error', ...errorOf({ type: 'overloaded_error', message: 'Overloaded' }) }, 529)],
  [
    'our credit, as 400',
    ['messages'],
    says(
      {
        type: 'error',
        ...errorOf({ type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' }),
      },
      400,
    ),
  ],
  [
    'our key, as 400',
    ['gemini'],
    says(
      errorOf({
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'API_KEY_INVALID' }],
      }),
      400,
    ),
  ],
  [
    'not JSON',
    all.filter((name) => !['streamed', 'messagesStreamed', 'geminiStreamed', 'speech'].includes(name)),
    says('<html>'),
  ],
  [
    'an error in a body with 200',
    ['whole', 'embeddings', 'images', 'rerank', 'moderations', 'transcriptions', 'speech'],
    says(errorOf({ message: 'boom' })),
  ],
  ['an error as the first event', ['streamed'], stream(errorOf({ message: 'boom' }))],
  ['cut off', ['streamed'], stream({ id: 'c', choices: [{ index: 0, delta: { content: 'a' } }] })],
  [
    'overloaded in mid-stream',
    ['messagesStreamed'],
    stream({ type: 'error', ...errorOf({ type: 'overloaded_error', message: 'x' }) }),
  ],
];
