import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ApiError, type Content, FunctionCallingConfigMode, GoogleGenAI, Type } from '@google/genai';
import type { Server } from 'bun';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

let relay: RelayTest;
let server: Server<unknown>;
let upstream: ScriptedUpstream;
let google: GoogleGenAI;
const clientWith = (apiKey: string, httpOptions = {}) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: server.url.origin, ...httpOptions } });

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await relay.credit(100_000_000);
  upstream = scriptedUpstream();
  const kinds = { chat: 'openai', messages: 'anthropic', gemini: 'gemini' };
  for (const [wire, kind] of Object.entries(kinds))
    await addUpstream(
      relay.test,
      kind === 'gemini' ? upstream.url.replace('/v1', '') : upstream.url,
      [{ model_id: `any/${wire}`, model_name: kind === 'gemini' ? 'gemini-3-pro' : 'up', prompt_price: 1 }],
      { kind, provider: `any-${wire}`, name: wire },
    );
  server = Bun.serve({ port: 0, idleTimeout: 0, fetch: (request, self) => relay.test.app.fetch(request, self) });
  google = clientWith(relay.key);
});
afterAll(async () => {
  await server.stop(true);
  await upstream.close();
  await relay.close();
});

const weather = {
  name: 'weather',
  description: 'Current weather of a city',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
};

describe('Google’s client with the built-in provider', () => {
  test.each(['demo/chat', 'models/demo/chat', 'svc/svc-ms'])('whole and streamed: %s', async (model) => {
    const whole = await google.models.generateContent({ model, contents: 'Hello', config: { maxOutputTokens: 200 } });
    expect(whole.text).toBeString();
    expect(whole.modelVersion).toBe(model.replace('models/', ''));
    expect(whole.responseId).toBeString();
    expect(whole.candidates![0]).toMatchObject({ finishReason: 'STOP', index: 0, content: { role: 'model' } });
    let text = '';
    let last: Awaited<ReturnType<typeof google.models.generateContent>> | undefined;
    for await (const chunk of await google.models.generateContentStream({ model, contents: 'Hello' })) {
      text += chunk.text ?? '';
      last = chunk;
    }
    expect(text.length).toBeGreaterThan(5);
    expect(last!.candidates![0]!.finishReason as string).toBe('STOP');
    const { promptTokenCount, candidatesTokenCount, totalTokenCount } = last!.usageMetadata!;
    expect(totalTokenCount).toBe(promptTokenCount! + candidatesTokenCount!);
  });

  test('API version v1', async () => {
    const other = clientWith(relay.key, { apiVersion: 'v1' });
    expect((await other.models.generateContent({ model: 'demo/chat', contents: 'Hello' })).text).toBeString();
    const stream = await other.models.generateContentStream({ model: 'demo/chat', contents: 'Hello' });
    for await (const chunk of stream) expect(chunk.modelVersion).toBe('demo/chat');
    const names: string[] = [];
    for await (const model of await other.models.list({ config: { pageSize: 2 } })) names.push(model.name!);
    expect(names).toContain('models/demo/chat');
    expect((await other.models.get({ model: 'demo/chat' })).supportedActions).toContain('generateContent');
  });

  test('a chat that builds its history from the stream', async () => {
    const chat = google.chats.create({ model: 'demo/chat' });
    for await (const _ of await chat.sendMessageStream({ message: 'Hello' }));
    await chat.sendMessage({ message: 'And again' });
    expect(chat.getHistory(true).filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  test('JSON output by schema', async () => {
    const responseSchema = { type: Type.OBJECT, properties: { age: { type: Type.INTEGER } }, required: ['age'] };
    const config = { responseMimeType: 'application/json', responseSchema };
    const { text } = await google.models.generateContent({ model: 'demo/chat', contents: 'Ada is 36', config });
    expect(JSON.parse(text!)).toEqual({ age: expect.any(Number) });
  });

  test('a tool call and its result', async () => {
    const config = {
      tools: [{ functionDeclarations: [weather] }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
    };
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'What is the weather in Paris?' }] }];
    const asked = await google.models.generateContent({ model: 'demo/chat', contents, config });
    const [call] = asked.functionCalls!;
    expect(call).toMatchObject({ name: 'weather', args: { city: expect.any(String) } });
    const response = { name: 'weather', response: { output: '21 °C' } };
    contents.push(asked.candidates![0]!.content!, { role: 'user', parts: [{ functionResponse: response }] });
    const told = await google.models.generateContent({ model: 'demo/chat', contents });
    expect(told.text).toBeString();
  });

  test('tokens, embeddings, models', async () => {
    const { totalTokens } = await google.models.countTokens({ model: 'demo/chat', contents: 'Hello there' });
    expect(totalTokens).toBeGreaterThan(1);
    const embedded = await google.models.embedContent({
      model: 'demo/embed',
      contents: ['green tea', 'a car'],
      config: { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 64 },
    });
    expect(embedded.embeddings!.map(({ values }) => values!.length)).toEqual([64, 64]);
    const names: string[] = [];
    for await (const model of await google.models.list({ config: { pageSize: 2 } })) names.push(model.name!);
    expect(names).toContain('models/demo/chat');
    expect(names).toContain('models/svc/svc-ms');
    expect(names).not.toContain('models/demo/image');
    expect(new Set(names).size).toBe(names.length);
    const one = await google.models.get({ model: 'demo/embed' });
    expect(one.supportedActions).toContain('embedContent');
  });

  test('errors become its own error type', async () => {
    const ask = (client: GoogleGenAI, model: string) =>
      client.models.generateContent({ model, contents: 'x' }).catch((error: unknown) => error as ApiError);
    const unknown = (await ask(google, 'nobody/knows')) as ApiError;
    expect(unknown).toBeInstanceOf(ApiError);
    expect(unknown.status).toBe(404);
    expect(JSON.parse(unknown.message).error).toMatchObject({ code: 404, status: 'NOT_FOUND' });
    const nobody = (await ask(clientWith('sk-wrong'), 'demo/chat')) as ApiError;
    expect(JSON.parse(nobody.message).error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED' });
  });
});

const events = (list: unknown[]): Response =>
  new Response(list.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  });
const chunk = (parts: unknown[], more = {}) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
  modelVersion: 'gemini-3-pro',
});

describe('Google’s client with each kind of upstream', () => {
  test('Gemini: thoughts, signatures and calls are passed through unchanged', async () => {
    const said = [
      chunk([{ text: 'Hm.', thought: true }]),
      chunk([{ functionCall: { name: 'weather', args: { modelVersion: 'x' } }, thoughtSignature: 'c2ln' }]),
      {
        ...chunk([{ text: '' }], { finishReason: 'STOP' }),
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3 },
      },
    ];
    upstream.answer(() => events(said));
    const config = { thinkingConfig: { includeThoughts: true }, tools: [{ functionDeclarations: [weather] }] };
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }];
    const parts = [];
    for await (const one of await google.models.generateContentStream({ model: 'any/gemini', contents, config })) {
      expect(one.modelVersion).toBe('any/gemini');
      parts.push(...one.candidates![0]!.content!.parts!);
    }
    expect(parts).toEqual(said.flatMap((one) => one.candidates[0]!.content.parts) as never);
    upstream.answer(() => Response.json({ ...said[2], responseId: 'r-1' }));
    contents.push(
      { role: 'model', parts },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { a: 1 } } }] },
    );
    const { responseId } = await google.models.generateContent({ model: 'any/gemini', contents, config });
    expect(responseId).toBe('r-1');
    const seen = upstream.seen.at(-1)!.body as { contents: unknown; tools: unknown };
    expect(seen.contents).toEqual(contents as never);
    expect(seen.tools).toEqual(config.tools as never);
  });

  test('Anthropic: hidden thinking is returned to it with its signature', async () => {
    const thinking = { type: 'thinking', thinking: 'The user wants the weather.', signature: 'EqQB+/==' };
    const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Paris' } };
    const body = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'up',
      usage: { input_tokens: 5, output_tokens: 5 },
    };
    upstream.answer(() => Response.json({ ...body, content: [thinking, call], stop_reason: 'tool_use' }));
    const config = {
      thinkingConfig: { thinkingBudget: 2048 },
      maxOutputTokens: 8000,
      tools: [{ functionDeclarations: [weather] }],
    };
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }];
    const asked = await google.models.generateContent({ model: 'any/messages', contents, config });
    expect(asked.candidates![0]!.content!.parts!.map((part) => Object.keys(part).sort())).toEqual([
      ['functionCall', 'thoughtSignature'],
    ]);
    const [made] = asked.functionCalls!;
    contents.push(asked.candidates![0]!.content!, {
      role: 'user',
      parts: [{ functionResponse: { id: made!.id!, name: 'weather', response: { result: 'rain' } } }],
    });
    upstream.answer(() =>
      Response.json({ ...body, content: [{ type: 'text', text: 'Rain.' }], stop_reason: 'end_turn' }),
    );
    expect((await google.models.generateContent({ model: 'any/messages', contents, config })).text).toBe('Rain.');
    const { messages, thinking: asks } = upstream.seen.at(-1)!.body as { messages: unknown[]; thinking: unknown };
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
      { role: 'assistant', content: [thinking, call] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'rain' }] }],
      },
    ]);
    expect(asks).toMatchObject({ type: 'enabled', budget_tokens: 2048 });
    // The same history, at Google's: the foreign signature stays here, and a stand-in goes.
    upstream.answer(() => Response.json({ ...chunk([{ text: 'Rain.' }], { finishReason: 'STOP' }) }));
    await google.models.generateContent({ model: 'any/gemini', contents, config });
    const seen = upstream.seen.at(-1)!.body as { contents: { parts: { thoughtSignature?: string }[] }[] };
    expect(seen.contents[1]!.parts[0]!.thoughtSignature).toBe('skip_thought_signature_validator');
  });

  test('OpenAI: a call in many pieces is returned whole, and an interrupted stream is an error', async () => {
    const piece = (delta: unknown, finish: string | null = null) => ({
      id: 'c',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const call = (index: number, fn: unknown, id?: string) =>
      piece({ tool_calls: [{ index, ...(id && { id }), function: fn }] });
    const pieces = [
      piece({ content: 'I look.' }),
      call(0, { name: 'weather', arguments: '{"ci' }, 'a'),
      call(1, { name: 'weather', arguments: '{"city":' }, 'b'),
      call(0, { arguments: 'ty":"Oslo"}' }),
      call(1, { arguments: '"Rome"}' }),
    ];
    upstream.answer(() => events([...pieces, piece({}, 'tool_calls')]));
    const ask = () =>
      google.models.generateContentStream({
        model: 'any/chat',
        contents: 'Weather?',
        config: { tools: [{ functionDeclarations: [weather] }] },
      });
    const calls = [];
    let usage: unknown;
    for await (const one of await ask()) {
      calls.push(...(one.functionCalls ?? []));
      usage = one.usageMetadata;
    }
    expect(calls.map(({ id, args }) => [id, args])).toEqual([
      ['a', { city: 'Oslo' }],
      ['b', { city: 'Rome' }],
    ]);
    // Counted here, as the upstream did not.
    expect(usage).toMatchObject({ candidatesTokenCount: expect.any(Number) });
    upstream.answer(() => events(pieces));
    const read = async () => {
      for await (const _ of await ask());
    };
    expect(await read().catch((error) => error)).toBeInstanceOf(ApiError);
  });
});
