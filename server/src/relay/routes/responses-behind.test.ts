import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { openRelayTest, type RelayTest, sdkOptions } from '../endpoints/relay.fixture.ts';
import { eventStream, frameOf, openaiAnswers, responseEvents, wholeResponse } from '../responses-upstream.fixture.ts';
import { addUpstream, breakAfter, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

let relay: RelayTest;
let client: OpenAI;
let anthropic: Anthropic;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.credit(50_000_000);
  const { baseUrl } = relay.test.config;
  client = new OpenAI({ ...sdkOptions(relay), baseURL: `${baseUrl}/v1` });
  anthropic = new Anthropic({ ...sdkOptions(relay), baseURL: baseUrl });
  upstream = scriptedUpstream();
  const capabilities = { responses: true, tools_in_responses: true };
  const price = { prompt_price: 1, completion_price: 2 };
  await addUpstream(
    relay.test,
    upstream.url,
    [
      { model_id: 'x/paid', model_name: 'gpt-6-sol', ...price, ...{ capabilities } },
      { model_id: 'x/free', model_name: 'gpt-6-luna', ...{ capabilities } },
      { model_id: 'x/chat', model_name: 'gpt-4-old', ...price },
    ],
    { provider: 'openai' },
  );
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const lastSeen = () => upstream.seen.at(-1)!;
const lastBody = () => lastSeen().body as Loose;
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const tool = { type: 'function' as const, name: 'weather', parameters, strict: false };
const chatTools = [{ type: 'function' as const, function: { name: 'weather', parameters } }];

const longId = `call_${'x'.repeat(90)}`;

describe('responses forwarded to a responses upstream', () => {
  test('a request is forwarded without our own fields and returned under our ids', async () => {
    upstream.answer(openaiAnswers());
    const asked = {
      model: 'x/paid',
      input: 'Weather?',
      instructions: 'Be brief.',
      tools: [tool],
      reasoning: { effort: 'low' as const },
      text: { verbosity: 'low' as const },
      metadata: { a: 'b' },
      max_output_tokens: 500,
    };
    const notSent = { provider: { sort: 'price' }, client_metadata: { 'x-codex-installation-id': '1' } };
    const answer = await relay.post('/v1/responses', { ...asked, ...notSent });
    const response = (await answer.json()) as Loose;
    expect(lastSeen().path).toBe('/v1/responses');
    expect(lastBody()).toEqual({
      ...asked,
      model: 'gpt-6-sol',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] }],
      include: ['reasoning.encrypted_content'],
      stream: false,
      store: false,
    });
    expect(response).toMatchObject({
      model: 'x/paid',
      store: true,
      max_output_tokens: 500,
      usage: { input_tokens: 40 },
    });
    expect(response.id).toMatch(/^resp_.{32}$/);
    expect(response.output.map(({ id }: Loose) => id.slice(0, 3))).toEqual(['rs_', 'msg', 'fc_']);
    expect(JSON.stringify(response)).not.toContain('_up"');
    expect(await relay.usageOf(answer)).toMatchObject({ prompt_tokens: 40, completion_tokens: 20, status: 'ok' });
  });

  test('a chain is sent with all its items, with reasoning as encrypted by the vendor', async () => {
    upstream.answer(openaiAnswers());
    const first = await client.responses.create({ model: 'x/paid', input: 'Weather?', tools: [tool] });
    const second = await client.responses.create({
      model: 'x/paid',
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: 'call_1', output: 'Sunny' }],
    });
    expect(second.previous_response_id).toBe(first.id);
    const { input, previous_response_id } = lastBody();
    expect(previous_response_id).toBeUndefined();
    expect(input.map(({ type }: Loose) => type)).toEqual([
      'message',
      'reasoning',
      'message',
      'function_call',
      'function_call_output',
    ]);
    expect(input[1].encrypted_content).toBe('gAAAAsealed');
    expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id, output_text: 'Well.' });
  });

  test('reasoning that the vendor did not encrypt is not sent', async () => {
    const message = { role: 'assistant', content: 'Hello.', reasoning_content: 'hm' };
    upstream.answer(() => Response.json({ choices: [{ index: 0, finish_reason: 'stop', message }] }));
    const { output } = await client.responses.create({ model: 'x/chat', input: 'Hi' });
    expect(output[0]!.type).toBe('reasoning');
    upstream.answer(openaiAnswers());
    const input = [
      { type: 'message', role: 'user', content: 'Hi' },
      ...output,
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'old' }] },
      { type: 'custom_tool_call', id: 'ctc_1', call_id: longId, name: 'notes', input: 'x', status: 'completed' },
      { type: 'custom_tool_call_output', call_id: longId, output: 'ok' },
    ];
    expect((await client.responses.create({ model: 'x/paid', input } as Loose)).status).toBe('completed');
    const types = lastBody().input.map(({ type }: Loose) => type);
    expect(types).toEqual(['message', 'message', 'custom_tool_call', 'custom_tool_call_output']);
    // OpenAI takes no longer ids than this, and the fixture no result without its call.
    expect(lastBody().input.at(-1).call_id).toHaveLength(64);
  });

  test('items dropped from a conversation that is too long are dropped from the body', async () => {
    upstream.answer(({ path, body, ...rest }) => {
      const error = { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' };
      if ((body as Loose).input.length > 2) return Response.json({ error }, { status: 400 });
      return openaiAnswers()({ path, body, ...rest });
    });
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const result = { type: 'function_call_output', call_id: 'c', output: 'ok' };
    const rule = { type: 'message', role: 'developer', content: 'rule' };
    const [one, two] = ['one', 'two'].map((content) => ({ type: 'message', role: 'user', content }));
    const input = [rule, one, call, result, two];
    await client.responses.create({ model: 'x/paid', input, truncation: 'auto' } as Loose);
    expect(lastBody().input).toEqual([rule, two]);
  });

  test('a stream has our ids, is stored, and matches what the SDK builds from its events', async () => {
    upstream.answer(openaiAnswers());
    const stream = client.responses.stream({ model: 'x/paid', input: 'Weather?', tools: [tool] });
    const numbers: number[] = [];
    for await (const event of stream) {
      numbers.push(event.sequence_number);
      expect(JSON.stringify(event)).not.toContain('_up"');
    }
    const final = await stream.finalResponse();
    expect(numbers).toEqual(responseEvents().map((_, i) => i));
    expect(final).toMatchObject({ model: 'x/paid', output_text: 'Well.', store: true });
    const { output } = await client.responses.retrieve(final.id);
    expect(output.map(({ id }) => id)).toEqual(final.output.map(({ id }) => id));
    expect(lastBody()).toMatchObject({ stream: true, store: false });
  });

  test('client-side tools are always sent, tools billed by the vendor only to free models', async () => {
    upstream.answer(openaiAnswers());
    const own = [{ type: 'apply_patch' }, { type: 'shell', environment: { type: 'local' } }] as Loose;
    await client.responses.create({ model: 'x/paid', input: 'Fix it', tools: own });
    expect(lastBody().tools).toEqual(own);
    const search = [{ type: 'web_search' as const }];
    await client.responses.create({ model: 'x/free', input: 'News?', tools: search });
    expect(lastBody().tools).toEqual(search);
    for (const model of ['x/paid', 'x/chat'])
      expect(
        await client.responses.create({ model, input: 'News?', tools: search }).catch((error: unknown) => error),
      ).toMatchObject({ status: 400, param: 'tools' });
    for (const type of ['additional_tools', 'tool_search_output'])
      for (const server of [{ type: 'code_interpreter' }, ...search]) {
        const input = [
          { type, role: 'developer', tools: [...own, server] },
          { type: 'message', role: 'user', content: 'Hi' },
        ] as Loose;
        await client.responses.create({ model: 'x/free', input });
        expect(lastBody().input).toEqual(input);
        expect(
          await client.responses.create({ model: 'x/paid', input }).catch((error: unknown) => error),
        ).toMatchObject({ status: 400, param: 'input' });
      }
  });

  test('a search tool added by an item is dropped if it has no price', async () => {
    upstream.answer(openaiAnswers());
    const added = { type: 'additional_tools', role: 'developer' };
    const items = (...tools: Loose[]) => [
      { ...added, tools },
      { type: 'message', role: 'user', content: 'Hi' },
    ];
    const answer = await relay.post('/v1/responses', { model: 'x/paid', input: items(tool, { type: 'web_search' }) });
    expect(answer.headers.get('x-svc-left-out')).toBe('web_search');
    expect(lastBody().input).toEqual(items(tool));
  });

  test('an interrupted stream ends as failed, and what was received is charged', async () => {
    const frames = responseEvents().map(frameOf);
    upstream.answer(breakAfter([new TextEncoder().encode(frames.slice(0, 12).join(''))], eventStream));
    const answer = await relay.post('/v1/responses', { model: 'x/paid', input: 'Weather?', stream: true });
    const events = (await answer.text()).match(/^data: .*$/gm)!.map((line) => JSON.parse(line.slice(6)));
    const last = events.at(-1);
    expect(last).toMatchObject({ type: 'response.failed', sequence_number: 12, response: { status: 'failed' } });
    expect(last.response.id).toBe(events[0].response.id);
    expect(await relay.usageOf(answer)).toMatchObject({ status: 'interrupted' });
    expect((await relay.usageOf(answer)).completion_tokens).toBeGreaterThan(0);
  });

  test.each([
    [
      'response.failed',
      { response: wholeResponse({ status: 'failed', error: { code: 'server_error', message: 'no' } }) },
    ],
    ['error', { code: 'server_error', message: 'no', param: null }],
  ])('%s from the upstream in mid-stream', async (type, fields) => {
    const begun = responseEvents().slice(0, 12).map(frameOf).join('');
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    upstream.answer(() => {
      async function* frames() {
        yield begun;
        await isRead;
        yield frameOf({ type, ...fields, sequence_number: 12 });
      }
      return new Response(frames() as unknown as ReadableStream, { headers: eventStream });
    });
    const answer = await relay.post('/v1/responses', { model: 'x/paid', input: 'Weather?', stream: true });
    read();
    const text = await answer.text();
    expect(text).toContain('event: response.failed');
    expect(text).not.toContain('_up"');
    expect(await relay.usageOf(answer)).toMatchObject({ status: 'interrupted' });
  });

  test('missing usage is counted here, in the stream and in the stored response', async () => {
    upstream.answer(openaiAnswers(wholeResponse({ usage: null })));
    const final = await client.responses.stream({ model: 'x/paid', input: 'Weather?' }).finalResponse();
    expect(final.usage?.output_tokens).toBeGreaterThan(0);
    expect((await client.responses.retrieve(final.id)).usage).toEqual(final.usage!);
    const whole = await client.responses.create({ model: 'x/paid', input: 'Weather?' });
    expect(whole.usage?.output_tokens).toBeGreaterThan(0);
  });
});

describe('other formats on a responses upstream', () => {
  const asked = { model: 'x/paid', reasoning_effort: 'low' as const, tools: chatTools };
  const hello: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }];

  test('chat with functions and reasoning, whole; reasoning is returned to the vendor', async () => {
    upstream.answer(openaiAnswers());
    const { choices, usage } = await client.chat.completions.create({ ...asked, messages: hello });
    const message = choices[0]!.message as Loose;
    expect(lastSeen().path).toBe('/v1/responses');
    expect(choices[0]!.finish_reason).toBe('tool_calls');
    expect(message).toMatchObject({
      content: 'Well.',
      reasoning_content: 'hm',
      tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
    });
    expect(usage).toMatchObject({
      prompt_tokens: 40,
      prompt_tokens_details: { cached_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 8 },
    });
    const result: ChatCompletionMessageParam = { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' };
    await client.chat.completions.create({ ...asked, messages: [...hello, message, result] });
    expect(lastBody().input[1]).toMatchObject({ type: 'reasoning', id: 'rs_up', encrypted_content: 'gAAAAsealed' });
  });

  test('chat with functions and reasoning, streamed', async () => {
    upstream.answer(openaiAnswers());
    const stream = client.chat.completions.stream({
      ...asked,
      messages: hello,
      stream_options: { include_usage: true },
    });
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Well.', tool_calls: [{ function: { arguments: '{"city":"Rome"}' } }] },
    });
    expect(usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 20 });
  });

  test('without functions or without reasoning, chat completions are used', async () => {
    upstream.answer(openaiAnswers());
    await client.chat.completions.create({ model: 'x/paid', reasoning_effort: 'low', messages: hello });
    expect(lastSeen().path).toBe('/v1/chat/completions');
    const none = await client.chat.completions.create({ ...asked, reasoning_effort: 'none', messages: hello });
    expect(none.choices[0]!.message.content).toBe('By chat.');
    const unflagged = client.chat.completions.create({ ...asked, model: 'x/chat', messages: hello });
    expect(await unflagged.catch((error: unknown) => error)).toMatchObject({ status: 400, param: 'reasoning_effort' });
  });

  test('Anthropic’s client: thinking, text and a call, and their round trip', async () => {
    upstream.answer(openaiAnswers());
    const base = {
      model: 'x/paid',
      max_tokens: 2000,
      thinking: { type: 'enabled' as const, budget_tokens: 1500 },
      tools: [{ name: 'weather', input_schema: { type: 'object' as const } }],
    };
    const question = { role: 'user' as const, content: 'Weather?' };
    const stream = anthropic.messages.stream({ ...base, messages: [question] });
    const { content, stop_reason, usage } = await stream.finalMessage();
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(stop_reason).toBe('tool_use');
    expect(usage).toMatchObject({ input_tokens: 30, cache_read_input_tokens: 10, output_tokens: 20 });
    const result = { type: 'tool_result' as const, tool_use_id: 'call_1', content: 'Sunny' };
    await anthropic.messages.create({
      ...base,
      messages: [question, { role: 'assistant', content }, { role: 'user', content: [result] }],
    });
    expect(lastBody()).toMatchObject({ reasoning: { effort: 'low' }, max_output_tokens: 2000 });
    expect(lastBody().input[1]).toMatchObject({ type: 'reasoning', encrypted_content: 'gAAAAsealed' });
  });

  test('Google’s format: a call, and reasoning returned with it', async () => {
    upstream.answer(openaiAnswers());
    const path = '/v1beta/models/x%2Fpaid:generateContent';
    const body = {
      contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }],
      tools: [{ functionDeclarations: [{ name: 'weather' }] }],
    };
    const said = (await (await relay.post(path, body)).json()) as Loose;
    const { content } = said.candidates[0];
    expect(content.parts.find(({ functionCall }: Loose) => functionCall).functionCall.args).toEqual({ city: 'Rome' });
    const functionResponse = { id: 'call_1', name: 'weather', response: { sky: 'blue' } };
    await relay.post(path, {
      ...body,
      contents: [...body.contents, content, { role: 'user', parts: [{ functionResponse }] }],
    });
    expect(lastBody().input[1]).toMatchObject({ type: 'reasoning', encrypted_content: 'gAAAAsealed' });
  });

  test('refusals and truncated answers', async () => {
    const refusal = [{ type: 'refusal', refusal: 'I will not.' }];
    const message = { id: 'msg_up', type: 'message', role: 'assistant', status: 'completed', content: refusal };
    upstream.answer(() => Response.json(wholeResponse({ output: [message] })));
    const refused = await client.chat.completions.create({ ...asked, messages: hello });
    expect(refused.choices[0]!.message).toMatchObject({ content: null, refusal: 'I will not.' });
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    upstream.answer(openaiAnswers(wholeResponse(cut)));
    const short = await client.chat.completions.create({ ...asked, messages: hello });
    expect(short.choices[0]!.finish_reason).toBe('length');
    const streamed = await client.chat.completions.create({ ...asked, messages: hello, stream: true });
    const ends: unknown[] = [];
    for await (const { choices } of streamed) if (choices[0]?.finish_reason) ends.push(choices[0].finish_reason);
    expect(ends).toEqual(['length']);
  });

  test('an interrupted stream is reported and charged like a chat stream', async () => {
    const frames = responseEvents().map(frameOf);
    upstream.answer(breakAfter([new TextEncoder().encode(frames.slice(0, 12).join(''))], eventStream));
    const answer = await relay.post('/v1/chat/completions', { ...asked, messages: hello, stream: true });
    const text = await answer.text();
    expect(text).toContain('"finish_reason":"error"');
    expect(text).not.toContain('[DONE]');
    expect(await relay.usageOf(answer)).toMatchObject({ status: 'interrupted' });
  });
});
