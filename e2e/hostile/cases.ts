/** Requests to every endpoint that takes text, derived from the OpenAPI document. */
import type { Endpoint } from '../fuzz/document.ts';
import { modelFor } from '../fuzz/known.ts';
import { seeded } from '../fuzz/random.ts';
import { type Sampling, type Schema, sample } from '../fuzz/sample.ts';
import type { World } from '../fuzz/world.ts';
import { mixed, shapes } from './inputs.ts';

export interface Case {
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Body limits: one megabyte, 32 for the relay. */
const bytesFor = ({ path }: Endpoint): number => (/^\/v1(beta)?\//.test(path) ? 32_000_000 : 1_000_000);
/** Each text contains every run at a length that would block the loop for seconds if read in quadratic time. */
const textBytes = (endpoint: Endpoint, type: string): number =>
  type === formType ? 200_000 : Math.min(1_000_000, bytesFor(endpoint) / 2);
/**
 * Enough to block the loop for seconds if read in quadratic time. A linear read blocks it too long only at full length, which
 * is sent in one shape per endpoint, so that every shape is tested somewhere.
 */
const shapeBytes = 1_000_000;
/** Most of the request header size that Bun accepts. */
const queryBytes = 12_000;

const formType = 'application/x-www-form-urlencoded';

/** `turn` selects the shape that is sent in full length. */
export function casesOf(endpoint: Endpoint, world: World, schemas: Record<string, Schema>, turn: number): Case[] {
  const { method, bodies } = endpoint;
  const credential = credentialOf(endpoint, world);
  const path = endpoint.path.replace(/(\w[\w-]*)\/\{(\w+)\}/g, (_, before: string, name: string) =>
    [before, encodeURIComponent(String(knownTo(endpoint, world)(`${before}/{${name}}`)?.[0] ?? 1))].join('/'),
  );
  const base = { method, path, headers: credential };
  const cases: Case[] = endpoint.queryParameters.map(({ name }) => ({
    ...base,
    name: `${name} of the query`,
    path: `${path}?${name}=${encodeURIComponent(mixed(queryBytes / 3))
      .slice(0, queryBytes)
      .replace(/%.?$/, '')}`,
  }));
  for (const [type, schema] of bodies) {
    const headers = { ...credential, 'content-type': type };
    const value = sample(schema, '', samplingOf(endpoint, world, schemas));
    const encode = (body: unknown) => (type === formType ? formOf(body) : JSON.stringify(body));
    for (const [at, body] of variants(value, mixed(textBytes(endpoint, type))))
      cases.push({ ...base, headers, name: `${at} of ${type}`, body: encode(body) });
    if (type !== formType) {
      const [longest] = variants(value, mixed(bytesFor(endpoint) / 2));
      if (longest) cases.push({ ...base, headers, name: `${longest[0]}, in full length`, body: encode(longest[1]) });
    }
    if (type === formType) cases.push({ ...base, headers, name: 'many fields', body: 'a=b&'.repeat(200_000) });
    else {
      const full = turn % Object.keys(shapes).length;
      for (const [i, [name, make]] of Object.entries(shapes).entries()) {
        const bytes = bytesFor(endpoint) - 1_000;
        cases.push({ ...base, headers, name, body: make(Math.min(bytes, shapeBytes)) });
        if (i === full && bytes > shapeBytes)
          cases.push({ ...base, headers, name: `${name}, in full length`, body: make(bytes) });
      }
    }
  }
  return cases;
}

function credentialOf(endpoint: Endpoint, world: World): Record<string, string> {
  const admin = /\/admin\/|\/routing\/configs\/.+/.test(endpoint.path);
  const name = admin ? 'admin' : (endpoint.security[0] ?? 'client');
  return world.credentials[name] ?? {};
}

const samplingOf = (endpoint: Endpoint, world: World, schemas: Record<string, Schema>): Sampling => ({
  random: seeded(1),
  schemas,
  careful: true,
  optionalShare: 1,
  known: knownTo(endpoint, world),
});

const knownTo = (endpoint: Endpoint, world: World) => (name: string) =>
  name === 'model' || name === 'models/{model}' ? [modelFor(endpoint.path)] : world.known(name);

/** Copies of the value, each with another of its texts replaced. */
function variants(value: unknown, text: string): [string, unknown][] {
  if (typeof value === 'string') return [['', text]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    variants(inner, text).map(([at, other]): [string, unknown] => {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      (copy as Record<string, unknown>)[key] = other;
      return [at === '' ? key : `${key}.${at}`, copy];
    }),
  );
}

const formOf = (value: unknown): string =>
  new URLSearchParams(
    Object.entries(Object(value)).map(([name, item]) => [name, typeof item === 'string' ? item : JSON.stringify(item)]),
  ).toString();

/** A form with very many parts, for upload endpoints. */
export const manyParts = (parts: number): Pick<Case, 'headers' | 'body'> => ({
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
  body: `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(parts)}--x--\r\n`,
});

const say = (content: string) => [{ role: 'user', content }];

/** Requests whose texts are parsed, counted, stored or searched. */
export const readers: Record<string, (text: string) => { path: string; body: unknown }> = {
  chat: (text) => ({ path: '/v1/chat/completions', body: { model: 'demo/chat', messages: say(text) } }),
  'streamed chat': (text) => ({
    path: '/v1/chat/completions',
    body: {
      model: 'demo/chat',
      stream: true,
      messages: [...say('hi'), { role: 'assistant', content: text }, ...say(text)],
    },
  }),
  cohere: (text) => ({ path: '/v2/chat', body: { model: 'demo/chat', messages: say(text), documents: [text] } }),
  completions: (text) => ({ path: '/v1/completions', body: { model: 'demo/chat', prompt: text } }),
  orchestration: (text) => ({ path: '/v1/chat/completions', body: { model: 'svc/svc-ms', messages: say(text) } }),
  'a session': (text) => ({
    path: '/v1/chat/completions',
    body: { model: 'svc/svc-ms', messages: say(text), svc_ms: { session_id: 'hostile', memory_mode: 'selective' } },
  }),
  messages: (text) => ({
    path: '/v1/messages',
    body: { model: 'demo/chat', max_tokens: 10, system: text, messages: say(text) },
  }),
  count_tokens: (text) => ({
    path: '/v1/messages/count_tokens',
    body: { model: 'demo/chat', messages: say(text.repeat(8)) },
  }),
  JSON: (text) => ({
    path: '/v1/chat/completions',
    body: {
      model: 'demo/chat',
      messages: say(`Give JSON with keys ${text}`),
      response_format: { type: 'json_object' },
    },
  }),
  tools: (text) => ({
    path: '/v1/chat/completions',
    body: {
      ...{ model: 'demo/chat', messages: say(text), tool_choice: 'required' },
      tools: [{ type: 'function', function: { name: 'look', description: text, parameters: { type: 'object' } } }],
    },
  }),
  embeddings: (text) => ({
    path: '/v1/embeddings',
    body: { model: 'demo/embed', input: [text.slice(0, 20_000), text] },
  }),
  rerank: (text) => ({ path: '/v1/rerank', body: { model: 'demo/rerank', query: text, documents: [text, text] } }),
  moderations: (text) => ({ path: '/v1/moderations', body: { model: 'demo/moderation', input: text } }),
  images: (text) => ({ path: '/v1/images/generations', body: { model: 'demo/image', prompt: text, size: '256x256' } }),
  speech: (text) => ({ path: '/v1/audio/speech', body: { model: 'demo/speech', input: text, voice: 'alloy' } }),
  videos: (text) => ({ path: '/v1/videos', body: { model: 'demo/video', prompt: text } }),
  knowledge: (text) => ({
    path: '/api/svc-ms/knowledge',
    body: { category: 'fact', title: 'A run', content: text.slice(0, 300_000), keywords: [] },
  }),
  'a run': (text) => ({
    path: '/api/svc-ms/autonomous/execute',
    body: { message: text.slice(0, 300_000), stream_events: true, config: { max_iterations: 1, max_time_secs: 2 } },
  }),
};

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const page = 'Some words of a text that says this and that. '.repeat(50);

/** Lists of maximum length with valid items: cheap one by one, they must not block the loop together. */
export const longLists: Record<string, { path: string; body: unknown }> = {
  'texts to embed': { path: '/v1/embeddings', body: { model: 'demo/embed', input: times(2_048, () => page) } },
  'texts to embed, as base64': {
    path: '/v1/embeddings',
    body: {
      model: 'demo/embed',
      input: times(2_048, (i) => `text ${i}`),
      encoding_format: 'base64',
    },
  },
  'documents to rank': {
    path: '/v1/rerank',
    body: { model: 'demo/rerank', query: page, documents: times(1_000, (i) => `${i} ${page}`) },
  },
  'texts to judge': { path: '/v1/moderations', body: { model: 'demo/moderation', input: times(2_000, () => page) } },
  'messages to the orchestration': {
    path: '/v1/chat/completions',
    body: {
      model: 'svc/svc-ms',
      messages: times(20_001, (i) => ({ role: i % 2 ? 'assistant' : 'user', content: `m${i}` })),
    },
  },
  'messages of a session': {
    path: '/v1/chat/completions',
    body: {
      ...{ model: 'svc/svc-ms', svc_ms: { session_id: 'long-list', memory_mode: 'selective' } },
      messages: times(10_001, (i) => ({ role: i % 2 ? 'assistant' : 'user', content: `m${i} ${page.slice(0, 300)}` })),
    },
  },
  'results of tools': {
    path: '/v1/chat/completions',
    body: {
      model: 'svc/svc-ms',
      messages: [
        ...say('hi'),
        {
          role: 'assistant',
          content: null,
          tool_calls: times(5_000, (i) => ({
            id: `c${i}`,
            type: 'function',
            function: { name: 'f', arguments: '{}' },
          })),
        },
        ...times(5_000, (i) => ({ role: 'tool', tool_call_id: `c${i}`, content: `r${i}` })),
      ],
    },
  },
  'results of tools that nobody called': {
    path: '/v1/chat/completions',
    body: {
      model: 'svc/svc-ms',
      messages: [...say('hi'), ...times(10_000, (i) => ({ role: 'tool', tool_call_id: `c${i}`, content: `r${i}` }))],
    },
  },
  'items of a response': {
    path: '/v1/responses',
    body: {
      model: 'demo/chat',
      input: times(5_000, (i) => ({ role: i % 2 ? 'assistant' : 'user', content: `m${i}` })),
    },
  },
  'blocks of messages': {
    path: '/v1/messages',
    body: {
      ...{ model: 'demo/chat', max_tokens: 10 },
      messages: [{ role: 'user', content: times(20_000, (i) => ({ type: 'text', text: `m${i}` })) }],
    },
  },
  'requests of a batch': {
    path: '/v1/messages/batches',
    body: {
      requests: times(5_000, (i) => ({
        custom_id: `r${i}`,
        params: { model: 'demo/chat', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] },
      })),
    },
  },
  'entries of knowledge': {
    path: '/api/svc-ms/knowledge/import',
    body: {
      entries: times(300, (i) => ({
        category: 'fact',
        title: `t${i}`,
        content: page,
        keywords: times(20, (k) => `k${k}`),
      })),
    },
  },
};
