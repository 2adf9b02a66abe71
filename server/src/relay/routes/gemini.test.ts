import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, breakAfter, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

type Loose = Record<string, unknown>;

let relay: RelayTest;
let upstream: ScriptedUpstream;
const kinds = { chat: 'openai', messages: 'anthropic', gemini: 'gemini' } as const;
type Wire = keyof typeof kinds;
const wires = Object.keys(kinds) as Wire[];

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.credit(100_000_000);
  upstream = scriptedUpstream();
  for (const wire of wires)
    await addUpstream(
      relay.test,
      wire === 'gemini' ? upstream.url.replace('/v1', '') : upstream.url,
      [
        { model_id: `paid/${wire}`, model_name: 'up', prompt_price: 10, completion_price: 20 },
        { model_id: `free/${wire}`, model_name: 'up' },
      ],
      { kind: kinds[wire], provider: `kind-${wire}`, name: wire },
    );
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const hi = [{ role: 'user', parts: [{ text: 'hi' }] }];
const ask = (model: string, body: unknown, method = 'generateContent') =>
  relay.post(`/v1beta/models/${model}:${method}`, body);
const errorOf = async (answer: Response) => ((await answer.json()) as { error: Loose }).error;

const usages = { prompt: 4, completion: 3 };
const wholes: Record<Wire, Loose> = {
  chat: {
    id: 'c',
    model: 'up',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'length' }],
    usage: { prompt_tokens: usages.prompt, completion_tokens: usages.completion },
  },
  messages: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'up',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'max_tokens',
    usage: { input_tokens: usages.prompt, output_tokens: usages.completion },
  },
  gemini: {
    candidates: [{ content: { parts: [{ text: 'Hello' }], role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
    usageMetadata: { promptTokenCount: usages.prompt, candidatesTokenCount: usages.completion, totalTokenCount: 7 },
    modelVersion: 'up',
    responseId: 'r',
  },
};

const sse = (list: Loose[], end = ''): string =>
  list.map((one) => `${one.type ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`).join('') + end;
const delta = (said: Loose, finish: string | null = null) => ({
  id: 'c',
  choices: [{ index: 0, delta: said, finish_reason: finish }],
});
const piece = (text: string, more = {}) => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }],
  modelVersion: 'up',
});
const streams: Record<Wire, string> = {
  chat: sse(
    [delta({ content: 'Hel' }), delta({ content: 'lo' }), { ...delta({}, 'length'), usage: wholes.chat.usage }],
    'data: [DONE]\n\n',
  ),
  messages: sse([
    { type: 'message_start', message: { id: 'm', model: 'up', usage: { input_tokens: usages.prompt } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: usages.completion } },
    { type: 'message_stop' },
  ]),
  gemini: sse([
    piece('Hel'),
    { ...piece('lo', { finishReason: 'MAX_TOKENS' }), usageMetadata: wholes.gemini.usageMetadata },
  ]),
};
const events = (text: string) => () => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
const partsIn = (body: Loose): { text?: string }[] =>
  (body.candidates as { content: { parts: { text?: string }[] } }[])[0]!.content.parts;

describe.each(wires)('with a %s upstream', (wire) => {
  const row = {
    model: `paid/${wire}`,
    prompt_tokens: usages.prompt,
    completion_tokens: usages.completion,
    quota: 50,
    status: 'ok',
  };

  test('whole: text, finish reason, usage, charged once', async () => {
    upstream.answer(() => Response.json(wholes[wire]));
    const answer = await ask(`paid/${wire}`, { contents: hi, generationConfig: { maxOutputTokens: 3 } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-svc-cost')).toBe('50');
    expect(await answer.json()).toMatchObject({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'MAX_TOKENS', index: 0 }],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 3, totalTokenCount: 7 },
      modelVersion: `paid/${wire}`,
    });
    expect(await relay.usageOf(answer)).toMatchObject({ ...row, endpoint: '/v1beta/models:generateContent' });
  });

  test('streamed as events and as an array: same content, ended as by Google', async () => {
    upstream.answer(events(streams[wire]));
    const streamed = await ask(`paid/${wire}`, { contents: hi }, 'streamGenerateContent?alt=sse');
    expect(streamed.headers.get('content-type')).toStartWith('text/event-stream');
    const text = await streamed.text();
    const said = text
      .trim()
      .split('\n\n')
      .map((one): Loose => JSON.parse(one.slice('data: '.length)));
    expect(
      said
        .flatMap(partsIn)
        .map((part) => part.text)
        .join(''),
    ).toBe('Hello');
    expect(said.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'MAX_TOKENS' }],
      usageMetadata: { candidatesTokenCount: 3 },
    });
    expect(said.every(({ modelVersion }) => modelVersion === `paid/${wire}`)).toBe(true);
    expect(await relay.usageOf(streamed)).toMatchObject({ ...row, endpoint: '/v1beta/models:streamGenerateContent' });
    const listed = await ask(`paid/${wire}`, { contents: hi }, 'streamGenerateContent');
    expect(listed.headers.get('content-type')).toStartWith('application/json');
    const strip = (list: Loose[]) => list.map(({ responseId: _, ...rest }) => rest);
    expect(strip((await listed.json()) as Loose[])).toEqual(strip(said));
    expect(await relay.usageOf(listed)).toMatchObject(row);
  });

  test('an interrupted stream is reported, and what was received is charged', async () => {
    const bytes = new TextEncoder().encode(streams[wire].slice(0, streams[wire].indexOf('Hel') + 200));
    for (const [method, prefix] of [
      ['streamGenerateContent?alt=sse', 'data: '],
      ['streamGenerateContent', ''],
    ] as const) {
      upstream.answer(breakAfter([bytes], { 'content-type': 'text/event-stream' }));
      const answer = await ask(`paid/${wire}`, { contents: hi }, method);
      const text = await answer.text();
      const last: Loose = prefix
        ? JSON.parse(text.trim().split('\n\n').at(-1)!.slice(prefix.length))
        : JSON.parse(text).at(-1);
      expect(last.error).toMatchObject({ code: 502, status: 'UNAVAILABLE' });
      expect(await relay.usageOf(answer)).toMatchObject({ status: 'interrupted' });
    }
  });

  test('an upstream’s refusal is returned in Google’s format', async () => {
    upstream.answer(() =>
      Response.json({ error: { message: 'temperature is wrong', type: 'invalid_request_error' } }, { status: 400 }),
    );
    const answer = await ask(`paid/${wire}`, { contents: hi });
    expect(await errorOf(answer)).toMatchObject({
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'temperature is wrong',
    });
  });

  const googleFile = 'https://generativelanguage.googleapis.com/v1beta/files/x';
  const googleOnly: [string, Loose, string][] = [
    ['a search', { tools: [{ googleSearch: {} }] }, 'googleSearch'],
    ['code execution', { tools: [{ code_execution: {} }] }, 'codeExecution'],
    ['several candidates', { generationConfig: { candidateCount: 2 } }, 'candidateCount'],
    ['pictures', { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }, 'responseModalities'],
    ['logprobs', { generationConfig: { responseLogprobs: true } }, 'responseLogprobs'],
    ['a video', { contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AA==' } }] }] }, 'video/mp4'],
    ['a Google file', { contents: [{ parts: [{ fileData: { fileUri: googleFile } }] }] }, 'fileData'],
  ];
  test.each(googleOnly)('%s: forwarded to Google unchanged, else rejected by name', async (_, asked, name) => {
    upstream.answer(() => Response.json(wholes[wire]));
    const before = upstream.seen.length;
    const answer = await ask(`free/${wire}`, { contents: hi, ...asked });
    expect(answer.status).toBe(wire === 'gemini' ? 200 : 400);
    if (wire !== 'gemini') expect((await errorOf(answer)).message).toContain(name);
    expect(upstream.seen.length - before).toBe(wire === 'gemini' ? 1 : 0);
  });
});

describe('requests to Gemini', () => {
  test('the body is sent with the output limit and without our fields; the response is returned byte for byte', async () => {
    const text = JSON.stringify({ ...wholes.gemini, something: { new: [1.0, 'ü'] } }, null, 2);
    upstream.answer(() => new Response(text, { headers: { 'content-type': 'application/json' } }));
    const body = {
      contents: [{ role: 'user', parts: [{ text: 'hi', somethingNew: true }] }],
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
      provider: { allow_fallbacks: true },
    };
    const answer = await ask('paid/gemini', body);
    expect(await answer.text()).toBe(text.replace('"up"', '"paid/gemini"'));
    const { provider: _, ...sent } = body;
    const seen = upstream.seen.at(-1)!;
    expect(seen.path).toBe('/v1beta/models/up:generateContent');
    expect(seen.body).toEqual({ ...sent, generationConfig: { ...sent.generationConfig, maxOutputTokens: 4096 } });
  });

  test('an insufficient balance is reported in Google’s format before any upstream call', async () => {
    const before = upstream.seen.length;
    const answer = await ask('paid/gemini', { contents: hi, generationConfig: { maxOutputTokens: 900_000_000 } });
    expect(await errorOf(answer)).toMatchObject({ code: 403, status: 'PERMISSION_DENIED' });
    expect(upstream.seen.length).toBe(before);
  });

  test('tools that are not billed per token are rejected by a paid model', async () => {
    const answer = await ask('paid/gemini', { contents: hi, tools: [{ google_search: {} }] });
    const { message, details } = await errorOf(answer);
    expect(message).toContain('not billed per token');
    expect(details).toContainEqual(expect.objectContaining({ reason: 'UNSUPPORTED_PARAMETER' }));
  });

  test('a blocked prompt is returned unchanged and costs nothing', async () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, modelVersion: 'up' };
    // Requests are counted later than they are charged.
    const { quota, used_quota } = await relay.money();
    upstream.answer(() => Response.json(blocked));
    expect(await (await ask('paid/gemini', { contents: hi })).json()).toMatchObject({
      promptFeedback: blocked.promptFeedback,
    });
    upstream.answer(events(sse([blocked])));
    const streamed = await ask('paid/gemini', { contents: hi }, 'streamGenerateContent?alt=sse');
    expect(await streamed.text()).toContain('"blockReason":"SAFETY"');
    expect(await relay.money()).toMatchObject({ quota, used_quota });
  });

  test('a stream with several candidates is complete when each has ended', async () => {
    const two = (text: string, more = {}) => ({
      candidates: [0, 1].map((index) => ({ content: { parts: [{ text }] }, index, ...more })),
    });
    const body = { contents: hi, generationConfig: { candidateCount: 2 } };
    upstream.answer(events(sse([two('a'), two('b', { finishReason: 'STOP' })])));
    const whole = await ask('free/gemini', body, 'streamGenerateContent');
    expect((await whole.json()) as Loose[]).toHaveLength(2);
    upstream.answer(events(sse([two('a'), piece('b', { finishReason: 'STOP' })])));
    const cut = await ask('free/gemini', body, 'streamGenerateContent');
    expect(((await cut.json()) as Loose[]).at(-1)).toHaveProperty('error');
  });

  test('tokens are counted by Gemini for the original request', async () => {
    upstream.answer(() => Response.json({ totalTokens: 31 }));
    const asked = { contents: hi, systemInstruction: { parts: [{ text: 'Be brief.' }] } };
    for (const body of [asked, { generateContentRequest: { model: 'models/x', ...asked } }]) {
      const answer = await ask('free/gemini', body, 'countTokens');
      expect(await answer.json()).toEqual({ totalTokens: 31 });
      expect(upstream.seen.at(-1)!.body).toEqual({ generateContentRequest: { model: 'models/up', ...asked } });
    }
  });
});
