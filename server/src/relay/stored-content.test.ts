import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

/** What the operator's account at a vendor stores, or an upstream's disk, is not for users to name. */
let relay: RelayTest;
let upstream: ScriptedUpstream;

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, inputTokens: 1, outputTokens: 1 };
const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }];
const candidates = [{ content: { parts: [{ text: 'hello' }] }, finishReason: 'STOP' }];
const content = [{ type: 'text', text: 'hello' }];

/** A service account of the user's own. */
async function keyFile(): Promise<string> {
  const { privateKey } = await crypto.subtle.generateKey(
    { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
    true,
    ['sign', 'verify'],
  );
  const pem = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return JSON.stringify({
    ...{ type: 'service_account', project_id: 'mine', client_email: 'me@mine.iam.gserviceaccount.com' },
    private_key: `-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY-----\n`,
    token_uri: `${new URL(upstream.url).origin}/token`,
  });
}

const kinds: Record<string, { kind: string; modelName: string; path: string }> = {
  openai: { kind: 'openai', modelName: 'm', path: '/v1' },
  anthropic: { kind: 'anthropic', modelName: 'claude-sonnet-4-5', path: '' },
  gemini: { kind: 'gemini', modelName: 'gemini-2.5-pro', path: '/v1beta' },
  vertex: { kind: 'vertex', modelName: 'gemini-2.5-pro', path: '' },
  'vertex-openai': { kind: 'vertex', modelName: 'google/gemini-2.5-pro', path: '' },
  bedrock: { kind: 'bedrock', modelName: 'amazon.nova-pro-v1:0', path: '' },
};
const names = Object.keys(kinds);
const idOf = (name: string, price: string): string => `${name}/${price}`;

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(({ path }) =>
    path === '/token'
      ? Response.json({ access_token: 'theirs', expires_in: 3_600 })
      : Response.json({
          ...{ id: 'c', object: 'chat.completion', model: 'm', choices, candidates },
          ...{ type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage },
          ...{ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn' },
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        }),
  );
  const { origin } = new URL(upstream.url);
  for (const [name, { kind, modelName, path }] of Object.entries(kinds)) {
    const models = [
      { model_id: idOf(name, 'free'), model_name: modelName },
      { model_id: idOf(name, 'paid'), model_name: modelName, prompt_price: 1, completion_price: 1 },
    ];
    const credential = kind === 'bedrock' ? 'AKIAEXAMPLEEXAMPLE:c2VjcmV0' : 'the-operators-credential';
    await addUpstream(relay.test, origin + path, models, { kind, provider: name, credential });
  }
  await relay.credit(50_000_000);
});
beforeEach(() => {
  upstream.seen.length = 0;
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const secret = 'gs://the-operators/secret.pdf';
const hi = { type: 'text', text: 'hi' };
const chat = (...parts: object[]) => ({
  path: '/v1/chat/completions',
  body: { messages: [{ role: 'user', content: [...parts, hi] }] },
});
const messages = (...parts: object[]) => ({
  path: '/v1/messages',
  body: { max_tokens: 9, messages: [{ role: 'user', content: [...parts, hi] }] },
});
const responses = (...parts: object[]) => ({
  path: '/v1/responses',
  body: { input: [{ role: 'user', content: [...parts, { type: 'input_text', text: 'hi' }] }] },
});
const gemini = (part: object, fields: object = {}) => ({
  path: 'google',
  body: { contents: [{ role: 'user', parts: [part, { text: 'hi' }] }], ...fields },
});
const fileData = { fileUri: secret, mimeType: 'application/pdf' };
const call = { functionCall: { name: 'f', args: {} } };

/** Every place of a request for an address. */
const places: Record<string, { path: string; body: Record<string, unknown> }> = {
  'a file of a chat': chat({ type: 'file', file: { file_id: secret } }),
  'an image of a chat': chat({ type: 'image_url', image_url: { url: secret } }),
  'a film of a chat': chat({ type: 'video_url', video_url: { url: secret } }),
  'a sound of a chat': chat({ type: 'audio_url', audio_url: { url: ' GS://the-operators/secret.mp3' } }),
  'a film in a bucket of Amazon': chat({ type: 'video_url', video_url: { url: 's3://the-operators/secret.mp4' } }),
  'a film on the disk of the upstream': chat({ type: 'video_url', video_url: { url: 'file:///secret.mp4' } }),
  'a film as a list of pictures': chat({ type: 'video', video: ['https://a.example/a.png', secret] }),
  'a document of messages': messages({ type: 'document', source: { type: 'file', file_id: secret } }),
  'the address of a document of messages': messages({ type: 'document', source: { type: 'url', url: secret } }),
  'an image of messages': messages({ type: 'image', source: { type: 'file', file_id: secret } }),
  'a result in messages': {
    path: '/v1/messages',
    body: {
      max_tokens: 9,
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [
            {
              ...{ type: 'tool_result', tool_use_id: 't' },
              content: [{ type: 'document', source: { type: 'file', file_id: secret } }],
            },
          ],
        },
      ],
    },
  },
  'a file of a response': responses({ type: 'input_file', file_id: secret }),
  'the address of a file of a response': responses({ type: 'input_file', file_url: secret }),
  'an image of a response': responses({ type: 'input_image', image_url: secret }),
  'a file for Google': gemini({ fileData }),
  'a file for Google, in other words': gemini({ file_data: { file_uri: secret, mime_type: 'application/pdf' } }),
  'a file in the instructions for Google': gemini(hi, {
    systemInstruction: { parts: [{ text: 'Be brief.', fileData }] },
  }),
  'a result for Google': gemini(hi, {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [call] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {}, parts: [{ fileData }] } }] },
    ],
  }),
  'a place for an answer of Google': gemini(hi, {
    generationConfig: { generationOutputConfig: { outputGcsUri: 'gs://the-operators/secret' } },
  }),
  'a corpus of Google': gemini(hi, {
    tools: [{ retrieval: { vertexAiSearch: { datastore: 'projects/the-operators/secret' } } }],
  }),
};

const ask = (model: string, { path, body }: (typeof places)[string]) =>
  relay.post(path === 'google' ? `/v1beta/models/${encodeURIComponent(model)}:generateContent` : path, {
    ...body,
    ...(path !== 'google' && { model }),
  });
const seen = (): string => JSON.stringify(upstream.seen.map(({ body }) => body));

test.each(Object.entries(places))('%s cannot name what the operator stores', async (_what, place) => {
  const statuses: unknown[] = [];
  for (const name of names)
    for (const price of ['free', 'paid']) statuses.push([name, price, (await ask(idOf(name, price), place)).status]);
  expect(statuses).toEqual(names.flatMap((name) => ['free', 'paid'].map((price) => [name, price, 400])));
  expect(seen()).not.toMatch(/secret/);
});

test('words may name anything', async () => {
  const result = { functionResponse: { name: 'f', response: { uri: secret } } };
  const contents = [
    { role: 'user', parts: [{ text: secret }] },
    { role: 'model', parts: [{ functionCall: { name: 'f', args: { url: secret } } }] },
    { role: 'user', parts: [result] },
  ];
  for (const name of names) {
    const model = idOf(name, 'free');
    const said = { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: secret }] } };
    for (const place of [said, { path: 'google', body: { contents } }])
      expect([name, (await ask(model, place)).status]).toEqual([name, 200]);
  }
  expect(seen()).toMatch(/secret/);
});

test('with their own key, users name what is theirs', async () => {
  await relay.test.setOption('OwnKeys', true);
  for (const provider of ['gemini', 'vertex']) {
    const credential = provider === 'vertex' ? await keyFile() : 'my-own-credential';
    const body = { provider, name: 'Mine', credential };
    expect((await relay.member.call('/api/routing/own-keys', { method: 'POST', body })).status).toBe(201);
    for (const what of ['a file for Google', 'a file of a chat', 'a document of messages']) {
      upstream.seen.length = 0;
      expect([provider, what, (await ask(idOf(provider, 'paid'), places[what]!)).status]).toEqual([
        provider,
        what,
        200,
      ]);
      expect(seen()).toContain(secret);
    }
  }
}, 60_000);
