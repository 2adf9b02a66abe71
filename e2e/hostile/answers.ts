/** Valid upstream responses of maximum size; none may delay other requests. */
import type { Service } from '../service.ts';
import type { Upstream } from '../upstream.ts';
import type { Case } from './cases.ts';

interface LargeAnswer {
  kind: 'openai' | 'anthropic' | 'gemini';
  type: string;
  /** What the upstream says. */
  said(): string;
  path(model: string): string;
  ask(model: string): unknown;
}

const listOf = (count: number, item: (i: number) => string): string =>
  `[${Array.from({ length: count }, (_, i) => item(i)).join()}]`;

const floats = (count: number): string => listOf(count, (i) => (Math.sin(i + 1) / 7).toString());
const bytes = (count: number): string =>
  Buffer.from(new Float32Array(count).map((_, i) => Math.sin(i)).buffer).toString('base64');

/** The start of a PNG, repeated to the given size. */
const picture = (bytes: number): string => 'iVBORw0KGgoA'.repeat(Math.ceil(bytes / 9));

const vectorsOf = (count: number, vector: string): string => {
  const usage = '{"prompt_tokens":2048,"total_tokens":2048}';
  return `{"object":"list","model":"m","data":${listOf(count, (index) => `{"object":"embedding","index":${index},"embedding":${vector}}`)},"usage":${usage}}`;
};

const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => `text ${i}`);
const embedding = { kind: 'openai', type: 'embedding', path: () => '/v1/embeddings' } as const;

/** OpenAI returns at most 20 alternatives per token. */
const wordWithOthers = `{"token":"a","logprob":-0.1,"bytes":[97],"top_logprobs":${listOf(20, (i) => `{"token":"w${i}","logprob":-${i}.25,"bytes":[119,${i}]}`)}}`;
const chatWithLogprobs = (words: number): string =>
  `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"a","refusal":null},"logprobs":{"content":${listOf(words, () => wordWithOthers)},"refusal":null}}],"usage":{"prompt_tokens":1,"completion_tokens":${words},"total_tokens":${words + 1}}}`;

export const largeAnswers: Record<string, LargeAnswer> = {
  'vectors as numbers': {
    ...embedding,
    said: () => vectorsOf(2_048, floats(1_536)),
    ask: (model) => ({ model, input: texts(2_048), encoding_format: 'float' }),
  },
  'vectors as numbers, wanted as base64': {
    ...embedding,
    said: () => vectorsOf(2_048, floats(1_536)),
    ask: (model) => ({ model, input: texts(2_048), encoding_format: 'base64' }),
  },
  'vectors as base64, wanted as numbers': {
    ...embedding,
    said: () => vectorsOf(2_048, `"${bytes(1_536)}"`),
    ask: (model) => ({ model, input: texts(2_048), encoding_format: 'float' }),
  },
  'vectors of a few hundred texts': {
    ...embedding,
    said: () => vectorsOf(256, floats(1_536)),
    ask: (model) => ({ model, input: texts(256) }),
  },
  'vectors of Google': {
    ...{ kind: 'gemini', type: 'embedding' },
    path: (model) => `/v1beta/models/${model}:batchEmbedContents`,
    said: () => `{"embeddings":${listOf(2_048, () => `{"values":${floats(1_536)}}`)}}`,
    ask: () => ({ requests: texts(2_048).map((text) => ({ content: { parts: [{ text }] } })) }),
  },
  'vectors for clients of Cohere': {
    ...embedding,
    path: () => '/v2/embed',
    said: () => vectorsOf(96, floats(4_096)),
    ask: (model) => ({ model, texts: texts(96), input_type: 'search_query', embedding_types: ['float', 'base64'] }),
  },
  'pictures as text': {
    ...{ kind: 'openai', type: 'image', path: () => '/v1/images/generations' },
    said: () => `{"created":1,"data":${listOf(10, () => `{"b64_json":"${picture(4_000_000)}"}`)}}`,
    ask: (model) => ({ model, prompt: 'x', n: 10, response_format: 'b64_json' }),
  },
  'pictures by address': {
    ...{ kind: 'openai', type: 'image', path: () => '/v1/images/generations' },
    said: () => `{"created":1,"data":${listOf(10, () => `{"b64_json":"${picture(4_000_000)}"}`)}}`,
    ask: (model) => ({ model, prompt: 'x', n: 10 }),
  },
  'pictures in a chat of another format': {
    ...{ kind: 'gemini', type: 'chat', path: () => '/v1/chat/completions' },
    said: () =>
      `{"candidates":[{"finishReason":"STOP","content":{"parts":${listOf(8, () => `{"inlineData":{"mimeType":"image/png","data":"${picture(5_000_000)}"}}`)}}}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":9}}`,
    ask: (model) => ({ model, messages: [{ role: 'user', content: 'Hi' }] }),
  },
  'documents that were ranked': {
    ...{ kind: 'openai', type: 'rerank', path: () => '/v1/rerank' },
    said: () => `{"results":${listOf(1_000, (i) => `{"index":${i},"relevance_score":0.${i + 1}}`)}}`,
    ask: (model) => ({ model, query: 'q', documents: texts(1_000).map((text) => text.repeat(3_000)) }),
  },
  verdicts: {
    ...{ kind: 'openai', type: 'moderation', path: () => '/v1/moderations' },
    said: () =>
      `{"id":"m","model":"m","results":${listOf(2_000, () => `{"flagged":false,"categories":{"hate":false},"category_scores":{"hate":0.1}}`)}}`,
    ask: (model) => ({ model, input: texts(2_000) }),
  },
  'words with others beside them': {
    ...{ kind: 'openai', type: 'chat', path: () => '/v1/chat/completions' },
    said: () => chatWithLogprobs(30_000),
    ask: (model) => ({
      ...{ model, logprobs: true, top_logprobs: 20 },
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  },
};

/** A request for each, to a separate model whose upstream returns that response. */
export async function casesOfAnswers(
  service: Service,
  upstream: Upstream,
  headers: Record<string, string>,
): Promise<Case[]> {
  const said = new Map<string, string>();
  upstream.script = ({ body, path }) => {
    const name = [...said.keys()].find((known) => body.model === known || path.includes(known));
    return new Response(said.get(name!), { headers: { 'content-type': 'application/json' } });
  };
  const cases: Case[] = [];
  for (const [i, [name, { kind, type, path, ask, ...answer }]] of Object.entries(largeAnswers).entries()) {
    const modelName = `large-${i}`;
    said.set(modelName, answer.said());
    const { modelId } = await service.serve({ kind, type, url: upstream.url, modelName, maxOutputTokens: 30_000 });
    cases.push({ name, method: 'POST', path: path(modelId), headers, body: JSON.stringify(ask(modelId)) });
  }
  return cases;
}
