/** The `openai` library against the service, with an upstream of each kind. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { type Kind, kinds, says } from './relay-replies.ts';
import { type Served, type Service, startService, until } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const calls = [
  { id: 'call_paris', name: 'weather', args: { city: 'Paris' } },
  { id: 'call_rome', name: 'weather', args: { city: 'Rome "the eternal"' } },
];
const user = (content: string) => [{ role: 'user' as const, content }];

let service: Service;
let openai: OpenAI;
const upstreams = {} as Record<Kind, Upstream>;
const served = {} as Record<Kind, Served>;

beforeAll(async () => {
  service = await startService();
  openai = new OpenAI({ apiKey: service.key, baseURL: `${service.url}/v1`, maxRetries: 0 });
  for (const kind of kinds) {
    upstreams[kind] = startUpstream(says(kind, { text: 'unset' }));
    served[kind] = await service.serve({ kind, url: upstreams[kind].url });
  }
});
afterAll(async () => {
  for (const kind of kinds) upstreams[kind]?.stop();
  await service?.stop();
});

describe.each(kinds)('openai library on an upstream of kind %s', (kind) => {
  const model = () => served[kind].modelId;

  test('plain answer', async () => {
    upstreams[kind].script = says(kind, { text: 'Hello, world' });
    const answer = await openai.chat.completions.create({ model: model(), messages: user('hi'), max_tokens: 50 });
    expect(answer.choices[0]!.message.content).toBe('Hello, world');
    expect(answer.choices[0]!.finish_reason).toBe('stop');
    expect(answer.model).toBe(model());
    expect(answer.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 });
    expect(answer._request_id).toBeTruthy();
  });

  test('streamed answer', async () => {
    upstreams[kind].script = says(kind, { text: 'one two three ünïcödé 🎉' });
    const stream = openai.chat.completions.stream({
      model: model(),
      messages: user('count'),
      stream_options: { include_usage: true },
    });
    let text = '';
    stream.on('content', (delta) => {
      text += delta;
    });
    const final = await stream.finalChatCompletion();
    expect(text).toBe('one two three ünïcödé 🎉');
    expect(final.choices[0]!.message.content).toBe(text);
    expect(final.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7 });
  });

  test('parallel tool calls without streaming, and their results in order', async () => {
    upstreams[kind].script = says(kind, { calls });
    const asked = { model: model(), messages: user('weather?'), tools: [weather] };
    const answer = await openai.chat.completions.create(asked);
    const message = answer.choices[0]!.message;
    expect(answer.choices[0]!.finish_reason).toBe('tool_calls');
    const got = message.tool_calls!.map((call) =>
      call.type === 'function' ? JSON.parse(call.function.arguments) : null,
    );
    expect(got).toEqual(calls.map((call) => call.args));
    const ids = message.tool_calls!.map((call) => call.id);
    expect(new Set(ids).size).toBe(2);

    upstreams[kind].script = says(kind, { text: 'sunny' });
    const results = ids.map((id, i) => ({ role: 'tool' as const, tool_call_id: id, content: `result ${i}` }));
    await openai.chat.completions.create({ ...asked, messages: [...asked.messages, message, ...results] });
    const sent = JSON.stringify(upstreams[kind].last().body);
    expect(sent.indexOf('Paris')).toBeLessThan(sent.indexOf('Rome'));
    expect(sent.indexOf('result 0')).toBeGreaterThan(0);
    expect(sent.indexOf('result 0')).toBeLessThan(sent.indexOf('result 1'));
  });

  test('parallel tool calls, streamed', async () => {
    upstreams[kind].script = says(kind, { text: 'Let me look.', calls });
    const stream = openai.chat.completions.stream({ model: model(), messages: user('weather?'), tools: [weather] });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]!.finish_reason).toBe('tool_calls');
    expect(final.choices[0]!.message.content).toBe('Let me look.');
    const got = final.choices[0]!.message.tool_calls!.map((call) =>
      call.type === 'function' ? [call.function.name, JSON.parse(call.function.arguments)] : [],
    );
    expect(got).toEqual(calls.map(({ name, args }) => [name, args]));
  });

  test('JSON: object and schema', async () => {
    upstreams[kind].script = says(kind, { text: '{"city":"Paris"}' });
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    for (const response_format of [
      { type: 'json_object' as const },
      { type: 'json_schema' as const, json_schema: { name: 'place', schema, strict: true } },
    ]) {
      const messages = user('JSON please');
      const answer = await openai.chat.completions.create({ model: model(), messages, response_format });
      expect(JSON.parse(answer.choices[0]!.message.content!)).toEqual({ city: 'Paris' });
    }
    expect(JSON.stringify(upstreams[kind].last().body)).toContain('city');
  });

  test('images as data URLs', async () => {
    upstreams[kind].script = says(kind, { text: 'a dot' });
    const url = `data:image/png;base64,${png}`;
    const content = [
      { type: 'text' as const, text: 'what is it?' },
      { type: 'image_url' as const, image_url: { url } },
    ];
    await openai.chat.completions.create({ model: model(), messages: [{ role: 'user', content }] });
    expect(JSON.stringify(upstreams[kind].last().body)).toContain(png);
  });

  test('uploaded files, by id, only for their owner', async () => {
    upstreams[kind].script = says(kind, { text: 'seen' });
    const pdf = '%PDF-1.4 of tea';
    const contents = { 'dot.png': Buffer.from(png, 'base64'), 'tea.pdf': pdf, 'tea.txt': 'Tea is “green”.' };
    const ids: string[] = [];
    for (const [name, content] of Object.entries(contents))
      ids.push(
        (await openai.files.create({ file: await toFile(Buffer.from(content), name), purpose: 'user_data' })).id,
      );
    const [picture, paper, text] = ids as [string, string, string];
    const asData = (content: string) => Buffer.from(content).toString('base64');
    const sent = () => JSON.stringify(upstreams[kind].last().body);
    const named = [paper, text].map((file_id) => ({ type: 'file' as const, file: { file_id } }));
    const chat = { model: model(), messages: [{ role: 'user' as const, content: named }] };
    await openai.chat.completions.create(chat);
    expect([sent().includes(asData(pdf)), sent().includes('Tea is “green”.')]).toEqual([true, true]);

    const content = [
      { type: 'input_image' as const, file_id: picture, detail: 'auto' as const },
      { type: 'input_file' as const, file_id: paper },
    ];
    const first = await openai.responses.create({ model: model(), input: [{ role: 'user', content }] });
    expect([sent().includes(png), sent().includes(asData(pdf))]).toEqual([true, true]);
    // The stored response refers to the files, and the next turn includes them.
    const [item] = (await openai.responses.inputItems.list(first.id)).data;
    expect(item).toMatchObject({ content: [{ file_id: picture }, { file_id: paper }] });
    await openai.responses.create({ model: model(), input: 'Again?', previous_response_id: first.id });
    expect(sent()).toContain(png);

    const other = new OpenAI({ apiKey: await (await service.user()).key(), baseURL: openai.baseURL, maxRetries: 0 });
    const before = upstreams[kind].asked.length;
    await other.chat.completions.create(chat).catch((error) => expect(error.status).toBe(400));
    expect(JSON.stringify(upstreams[kind].asked.slice(before).map(({ body }) => body))).not.toContain(asData(pdf));
  });

  test('typed errors, for faults of the request and of the upstream', async () => {
    upstreams[kind].script = () => refuse(400, { error: { message: 'temperature is odd', code: 'bad_temperature' } });
    const asked = { model: model(), messages: user('hi') };
    const refused = await openai.chat.completions.create(asked).catch((error) => error);
    expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
    expect(refused.message).toContain('temperature is odd');

    upstreams[kind].script = () => refuse(429, { error: { message: 'slow down org-secret' } }, { 'retry-after': '7' });
    const busy = await openai.chat.completions.create(asked).catch((error) => error);
    expect(busy).toBeInstanceOf(OpenAI.RateLimitError);
    expect(busy.code).toBe('capacity_exhausted');
    expect(busy.headers.get('retry-after')).toBe('7');
    expect(busy.message).not.toContain('org-secret');

    upstreams[kind].script = () => refuse(401, { error: { message: 'wrong key sk-upstream-secret-1234' } });
    const failed = await openai.chat.completions.create({ ...asked, stream: true }).catch((error) => error);
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
    expect(failed.status).toBe(502);
    expect(failed.message).not.toContain('secret');
  });

  test('abort reaches the upstream, before and after the first token', async () => {
    upstreams[kind].script = says(kind, { text: 'never heard' }, { firstAfterMs: 60_000 });
    const early = new AbortController();
    const waiting = openai.chat.completions.create(
      { model: model(), messages: user('hi'), stream: true },
      { signal: early.signal },
    );
    const before = upstreams[kind].asked.length;
    await until('the upstream is asked', () => upstreams[kind].asked.length > before);
    early.abort();
    expect(await waiting.catch((error) => error)).toBeInstanceOf(OpenAI.APIUserAbortError);
    await until('the upstream sees the abort', () => upstreams[kind].last().aborted);

    const long = Array.from({ length: 500 }, (_, i) => `w${i}`).join(' ');
    upstreams[kind].script = says(kind, { text: long }, { everyMs: 20 });
    const stream = await openai.chat.completions.create({ model: model(), messages: user('hi'), stream: true });
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) break;
    }
    await until('the upstream sees the abort', () => upstreams[kind].last().aborted);
    expect(upstreams[kind].last().sent).toBeLessThan(200);
  });
});

test('an unknown key and an unknown model are typed errors', async () => {
  const stranger = new OpenAI({ apiKey: 'sk-nobody', baseURL: `${service.url}/v1`, maxRetries: 0 });
  const asked = { model: 'no/such', messages: user('hi') };
  expect(await stranger.chat.completions.create(asked).catch((error) => error)).toBeInstanceOf(
    OpenAI.AuthenticationError,
  );
  const missing = await openai.chat.completions.create(asked).catch((error) => error);
  expect(missing).toBeInstanceOf(OpenAI.NotFoundError);
  expect(missing.code).toBe('model_not_found');
});
