import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { openTestApp, type TestApp } from '../app.fixture.ts';
import { answers, type Wire } from './answers.fixture.ts';
import { addUpstream, type ScriptedUpstream, type SeenRequest, scriptedUpstream } from './scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;

const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
const pem = await exportPKCS8(privateKey);

let house: TestApp;
let key: string;
let vertex: ScriptedUpstream;
/** Tokens given out, and how the next is answered. */
let given: string[];
let giveToken: () => Response;
let answer: (seen: SeenRequest) => Response;

/** As Google's console writes it. */
const keyFile = (fields: object = {}): string =>
  JSON.stringify(
    {
      type: 'service_account',
      project_id: 'acme-ai',
      private_key_id: '0123456789abcdef0123456789abcdef',
      private_key: pem,
      client_email: 'svc@acme-ai.iam.gserviceaccount.com',
      client_id: '1',
      token_uri: `${new URL(vertex.url).origin}/token`,
      ...fields,
    },
    null,
    2,
  );

const usages: Record<Wire, object> = {
  chat: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
  messages: { input_tokens: 10, output_tokens: 20 },
  gemini: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
};
const says = (wire: Wire, mark: string, stream: boolean): Response => {
  const scripted = { made: [{ kind: 0, mark }], usage: usages[wire] };
  return stream
    ? new Response(answers[wire].stream(scripted), { headers: { 'content-type': 'text/event-stream' } })
    : Response.json(answers[wire].whole(scripted));
};

beforeAll(async () => {
  house = await openTestApp({});
  key = await (await house.root()).key();
  vertex = scriptedUpstream((seen) => {
    if (seen.path !== '/token') return answer(seen);
    return giveToken();
  });
  given = [];
  giveToken = () => {
    given.push(`ya29.token-${given.length}`);
    return Response.json({ access_token: given.at(-1), expires_in: 3_600, token_type: 'Bearer' });
  };
  const models = ['gemini-2.5-pro', 'claude-sonnet-4-5@20250929', 'meta/llama-3.3-70b-instruct-maas'];
  await addUpstream(
    house,
    vertex.url,
    [
      ...models.map((model_name) => ({
        model_id: `v/${model_name}`,
        model_name,
        prompt_price: 1,
        completion_price: 2,
      })),
      { model_id: 'v/embed', model_name: 'gemini-embedding-001', type: 'embedding', prompt_price: 1 },
      { model_id: 'v/picture', model_name: 'imagen-4.0-generate-001', type: 'image', request_price: 0.04 },
    ],
    { kind: 'vertex', credential: keyFile() },
  );
});
afterAll(async () => {
  await vertex.close();
  await house.close();
});

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  house.call(path, { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, body });

const messages = [{ role: 'user', content: 'hi' }];
const place = '/v1/projects/acme-ai/locations/global';
const kinds: { model: string; wire: Wire; whole: string; streamed: string }[] = [
  {
    model: 'gemini-2.5-pro',
    wire: 'gemini',
    whole: `${place}/publishers/google/models/gemini-2.5-pro:generateContent`,
    streamed: `${place}/publishers/google/models/gemini-2.5-pro:streamGenerateContent`,
  },
  {
    model: 'claude-sonnet-4-5@20250929',
    wire: 'messages',
    whole: `${place}/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`,
    streamed: `${place}/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict`,
  },
  {
    model: 'meta/llama-3.3-70b-instruct-maas',
    wire: 'chat',
    whole: `${place}/endpoints/openapi/chat/completions`,
    streamed: `${place}/endpoints/openapi/chat/completions`,
  },
];
const clients: [path: string, body: object, read: (answer: Loose) => string][] = [
  ['/v1/chat/completions', { messages }, (body) => body.choices[0].message.content],
  ['/v1/messages', { messages, max_tokens: 50 }, (body) => body.content[0].text],
  ['/v1/responses', { input: 'hi' }, (body) => body.output[0].content[0].text],
];

describe.each(kinds)('$model', ({ model, wire, whole, streamed }) => {
  test.each(clients)('%s, whole and streamed, with the token of the service account', async (path, body, read) => {
    for (const stream of [false, true]) {
      answer = () => says(wire, 'MARK', stream);
      const response = await post(path, { model: `v/${model}`, stream, ...body });
      expect(response.status).toBe(200);
      if (stream) expect(await response.text()).toContain('MARK');
      else expect(read(await response.json())).toBe('MARK');
      const seen = vertex.seen.at(-1)!;
      expect(seen.path).toBe(stream ? streamed : whole);
      expect(seen.headers.get('authorization')).toBe(`Bearer ${given.at(-1)}`);
      expect([...seen.headers.keys()]).not.toContain('x-goog-api-key');
    }
  });

  test('what was used is charged', async () => {
    answer = () => says(wire, 'MARK', false);
    const root = await house.root();
    const balance = async () => ((await (await root.call('/api/user/self')).json()) as Loose).data.used_quota;
    const before = await balance();
    await post('/v1/chat/completions', { model: `v/${model}`, messages });
    // 10 tokens at 1 USD a million and 20 at 2 USD, of 500,000 a USD.
    expect((await balance()) - before).toBe(25);
  });
});

test('of Claude: the model is in the address, the version in the body, betas in their header', async () => {
  answer = () => says('messages', 'MARK', false);
  const asked = { model: 'v/claude-sonnet-4-5@20250929', messages, max_tokens: 50 };
  await post('/v1/messages', asked, { 'anthropic-beta': 'context-1m-2025-08-07' });
  const { body, headers } = vertex.seen.at(-1)!;
  expect(body).toEqual({ anthropic_version: 'vertex-2023-10-16', messages, max_tokens: 50 });
  expect(headers.get('anthropic-beta')).toBe('context-1m-2025-08-07');
  answer = () => Response.json({ input_tokens: 7 });
  const counted = await post('/v1/messages/count_tokens', { model: asked.model, messages });
  expect(((await counted.json()) as Loose).input_tokens).toBe(7);
  expect(vertex.seen.at(-1)!.path).toBe(`${place}/publishers/anthropic/models/count-tokens:rawPredict`);
  expect(vertex.seen.at(-1)!.body).toMatchObject({ model: 'claude-sonnet-4-5@20250929' });
});

test('embeddings and pictures go to predict', async () => {
  answer = () =>
    Response.json({
      predictions: [1, 2].map((n) => ({
        embeddings: { values: [n, 0], statistics: { token_count: 3, truncated: false } },
      })),
    });
  const embedded = await post('/v1/embeddings', { model: 'v/embed', input: ['a', 'b'], dimensions: 2 });
  const { data, usage } = (await embedded.json()) as Loose;
  expect(data.map((one: Loose) => one.embedding)).toEqual([
    [1, 0],
    [2, 0],
  ]);
  expect(usage.prompt_tokens).toBe(6);
  expect(vertex.seen.at(-1)).toMatchObject({
    path: `${place}/publishers/google/models/gemini-embedding-001:predict`,
    body: { instances: [{ content: 'a' }, { content: 'b' }], parameters: { outputDimensionality: 2 } },
  });
  answer = () => Response.json({ predictions: [{ bytesBase64Encoded: 'iVBORw0KGgo=', mimeType: 'image/png' }] });
  const drawn = await post('/v1/images/generations', { model: 'v/picture', prompt: 'x', response_format: 'b64_json' });
  expect(((await drawn.json()) as Loose).data[0].b64_json).toBe('iVBORw0KGgo=');
  expect(vertex.seen.at(-1)!.path).toBe(`${place}/publishers/google/models/imagen-4.0-generate-001:predict`);
});

describe('tokens', () => {
  test('one for all requests, signed for by the account', async () => {
    const asking = vertex.seen.filter(({ path }) => path === '/token');
    expect(asking).toHaveLength(1);
    const form = new URLSearchParams(asking[0]!.body as string);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion')!, publicKey, {
      issuer: 'svc@acme-ai.iam.gserviceaccount.com',
      audience: `${new URL(vertex.url).origin}/token`,
    });
    expect(payload.scope).toBe('https://www.googleapis.com/auth/cloud-platform');
    expect(payload.exp! - payload.iat!).toBe(3_600);
    expect(protectedHeader.kid).toBe('0123456789abcdef0123456789abcdef');
  });

  const channelWith = async (name: string, credential: string): Promise<string> => {
    const model_id = `v/${name}`;
    const models = [{ model_id, model_name: 'gemini-2.5-pro' }];
    await addUpstream(house, vertex.url, models, { kind: 'vertex', provider: name, credential });
    return model_id;
  };

  test('one that ends soon is asked for anew', async () => {
    const usual = giveToken;
    giveToken = () => Response.json({ access_token: `short-${vertex.seen.length}`, expires_in: 30 });
    const model = await channelWith('short', keyFile({ client_email: 'short@acme-ai.iam.gserviceaccount.com' }));
    answer = () => says('gemini', 'MARK', false);
    const shown: unknown[] = [];
    for (let i = 0; i < 2; i += 1) {
      expect((await post('/v1/chat/completions', { model, messages })).status).toBe(200);
      shown.push(vertex.seen.at(-1)!.headers.get('authorization'));
    }
    expect(new Set(shown).size).toBe(2);
    giveToken = usual;
  });

  test.each([
    ['refused', 400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }, 502],
    ['down', 503, { error: 'unavailable' }, 502],
    ['empty', 200, {}, 502],
  ])(
    '%s: the channel is to blame, no request goes out, and the next is asked anew',
    async (name, status, said, told) => {
      const usual = giveToken;
      giveToken = () => Response.json(said, { status });
      const model = await channelWith(name, keyFile({ client_email: `${name}@acme-ai.iam.gserviceaccount.com` }));
      const refused = await post('/v1/chat/completions', { model, messages });
      expect(refused.status).toBe(told);
      expect(await refused.text()).not.toContain('PRIVATE KEY');
      expect(vertex.seen.at(-1)!.path).toBe('/token');
      giveToken = usual;
      answer = () => says('gemini', 'MARK', false);
      expect((await post('/v1/chat/completions', { model, messages })).status).toBe(200);
    },
  );

  test('a key file leads nowhere but to Google and to the host of the channel', async () => {
    const elsewhere = scriptedUpstream();
    const model = await channelWith('elsewhere', keyFile({ token_uri: `${elsewhere.url}/token` }));
    expect((await post('/v1/chat/completions', { model, messages })).status).toBe(502);
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.close();
  });

  test('an API key is sent as it is, and needs no token', async () => {
    const model = await channelWith('express', 'AIza-express-key');
    answer = () => says('gemini', 'MARK', false);
    expect((await post('/v1/chat/completions', { model, messages })).status).toBe(200);
    const { path, headers } = vertex.seen.at(-1)!;
    expect(path).toBe('/v1/publishers/google/models/gemini-2.5-pro:generateContent');
    expect(headers.get('x-goog-api-key')).toBe('AIza-express-key');
    expect(headers.get('authorization')).toBeNull();
  });
});

describe('key files as credentials', () => {
  const make = async (fields: object) =>
    (await house.root()).call('/api/admin/channels', {
      method: 'POST',
      body: { name: 'file', base_url: vertex.url, ...fields },
    });

  test('nothing of one is shown but the end of its key’s id', async () => {
    const made = await make({ kind: 'vertex', credential: keyFile() });
    const text = await made.text();
    expect(made.status).toBe(201);
    expect(JSON.parse(text).data.credential_hint).toBe('••••cdef');
    expect(text).not.toContain('PRIVATE');
  });

  test.each([
    ['not for another kind', () => ({ kind: 'openai', credential: keyFile() })],
    ['whole', () => ({ kind: 'vertex', credential: keyFile({ private_key: undefined }) })],
    ['of a service account', () => ({ kind: 'vertex', credential: keyFile({ type: 'authorized_user' }) })],
    ['JSON', () => ({ kind: 'vertex', credential: `${keyFile()}}` })],
  ])('%s, else 400 at the credential', async (_, fields) => {
    const refused = await make(fields());
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as Loose).message ?? '').toContain('credential');
  });
});

test('regions are those of the host, and a project in the address stands', async () => {
  const { placeOf } = await import('./providers/vertex/address.ts');
  const at = (baseUrl: string) => placeOf({ baseUrl, credential: keyFile(), modelName: 'm' });
  expect(at('https://aiplatform.googleapis.com/v1')).toEndWith('.com/v1/projects/acme-ai/locations/global');
  expect(at('https://europe-west4-aiplatform.googleapis.com')).toEndWith('/v1/projects/acme-ai/locations/europe-west4');
  expect(at('https://aiplatform.eu.rep.googleapis.com/v1')).toEndWith('/v1/projects/acme-ai/locations/eu');
  const whole = 'https://us-east5-aiplatform.googleapis.com/v1/projects/other/locations/us-east5';
  expect(at(`${whole}/`)).toBe(whole);
});

test('the list of models is Google’s own', async () => {
  answer = ({ path }) =>
    path === '/v1beta1/publishers/google/models'
      ? Response.json({ publisherModels: [{ name: 'publishers/google/models/gemini-9-pro' }, { name: 5 }] })
      : Response.json({}, { status: 404 });
  const root = await house.root();
  const made = await root.call('/api/admin/channels', {
    method: 'POST',
    body: { name: 'list', kind: 'vertex', provider: 'listed', base_url: vertex.url, credential: keyFile() },
  });
  const { data } = (await made.json()) as Loose;
  const synced = await root.call(`/api/admin/channels/${data.id}/sync-models`, { method: 'POST' });
  expect(await synced.text()).toContain('gemini-9-pro');
});
