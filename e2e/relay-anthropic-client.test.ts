/** The `@anthropic-ai/sdk` library against the service, with an upstream of each kind. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic, { toFile } from '@anthropic-ai/sdk';
import { type Kind, kinds, says } from './relay-replies.ts';
import { type Served, type Service, startService, until } from './service.ts';
import { events, refuse, startUpstream, type Upstream } from './upstream.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const weather = {
  name: 'weather',
  description: 'Weather of a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};
const calls = [
  { id: 'toolu_paris', name: 'weather', args: { city: 'Paris' } },
  { id: 'toolu_rome', name: 'weather', args: { city: 'Rome' } },
];
const user = (content: string) => [{ role: 'user' as const, content }];

let service: Service;
let anthropic: Anthropic;
const upstreams = {} as Record<Kind, Upstream>;
const served = {} as Record<Kind, Served>;

beforeAll(async () => {
  service = await startService();
  anthropic = new Anthropic({ apiKey: service.key, baseURL: service.url, maxRetries: 0 });
  for (const kind of kinds) {
    upstreams[kind] = startUpstream(says(kind, { text: 'unset' }));
    served[kind] = await service.serve({ kind, url: upstreams[kind].url });
  }
});
afterAll(async () => {
  for (const kind of kinds) upstreams[kind]?.stop();
  await service?.stop();
});

describe.each(kinds)('anthropic library on an upstream of kind %s', (kind) => {
  const base = () => ({ model: served[kind].modelId, max_tokens: 100 });
  const toolUses = (message: Anthropic.Message) =>
    message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));

  test('plain answer', async () => {
    upstreams[kind].script = says(kind, { text: 'Hello, world' });
    const message = await anthropic.messages.create({ ...base(), messages: user('hi'), system: 'Be kind.' });
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hello, world' }]);
    expect(message).toMatchObject({ stop_reason: 'end_turn', model: base().model, role: 'assistant' });
    expect(message.usage).toMatchObject({ input_tokens: 11, output_tokens: 7 });
    expect(JSON.stringify(upstreams[kind].last().body)).toContain('Be kind.');
  });

  test('streamed answer, with events in the order of the format', async () => {
    upstreams[kind].script = says(kind, { thinking: 'hm well', text: 'one two three 🎉' });
    const stream = anthropic.messages.stream({ ...base(), messages: user('count') });
    const seen: string[] = [];
    stream.on('streamEvent', (event) => seen.push('index' in event ? `${event.type} ${event.index}` : event.type));
    const message = await stream.finalMessage();
    expect(message.content.at(-1)).toMatchObject({ type: 'text', text: 'one two three 🎉' });
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: 'hm well' });
    expect(message.usage.output_tokens).toBe(7);
    expect(seen[0]).toBe('message_start');
    expect(seen.slice(-2)).toEqual(['message_delta', 'message_stop']);
    const frames = seen.filter((name) => /_(start|stop) \d/.test(name));
    expect(frames).toEqual([
      'content_block_start 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_stop 1',
    ]);
  });

  test('parallel tool calls without streaming, and several results in one turn', async () => {
    upstreams[kind].script = says(kind, { calls });
    const asked = { ...base(), messages: user('weather?'), tools: [weather] };
    const message = await anthropic.messages.create(asked);
    expect(message.stop_reason).toBe('tool_use');
    const uses = toolUses(message);
    expect(uses.map((use) => use.input)).toEqual(calls.map((call) => call.args));

    upstreams[kind].script = says(kind, { text: 'sunny' });
    const content = uses.map((use, i) => ({
      type: 'tool_result' as const,
      tool_use_id: use.id,
      content: `result ${i}`,
    }));
    const messages = [...asked.messages, { role: 'assistant' as const, content: message.content }];
    await anthropic.messages.create({ ...asked, messages: [...messages, { role: 'user', content }] });
    const sent = JSON.stringify(upstreams[kind].last().body);
    expect(sent.indexOf('Paris')).toBeLessThan(sent.indexOf('Rome'));
    expect(sent.indexOf('result 0')).toBeGreaterThan(0);
    expect(sent.indexOf('result 0')).toBeLessThan(sent.indexOf('result 1'));
  });

  test('parallel tool calls, streamed', async () => {
    upstreams[kind].script = says(kind, { text: 'Let me look.', calls });
    const message = await anthropic.messages
      .stream({ ...base(), messages: user('weather?'), tools: [weather] })
      .finalMessage();
    expect(message.stop_reason).toBe('tool_use');
    expect(toolUses(message).map(({ name, input }) => [name, input])).toEqual(
      calls.map(({ name, args }) => [name, args]),
    );
  });

  test('images', async () => {
    upstreams[kind].script = says(kind, { text: 'a dot' });
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: png };
    const content = [
      { type: 'image' as const, source },
      { type: 'text' as const, text: 'what is it?' },
    ];
    await anthropic.messages.create({ ...base(), messages: [{ role: 'user', content }] });
    expect(JSON.stringify(upstreams[kind].last().body)).toContain(png);
  });

  test('uploaded files, by id', async () => {
    upstreams[kind].script = says(kind, { text: 'seen' });
    const { files } = anthropic.beta;
    const picture = await files.upload({ file: await toFile(Buffer.from(png, 'base64'), 'dot.png') });
    const text = await files.upload({ file: await toFile(Buffer.from('Tea is green.'), 'tea.txt') });
    expect(picture).toMatchObject({ type: 'file', filename: 'dot.png', mime_type: 'image/png' });
    const content = [
      { type: 'image' as const, source: { type: 'file' as const, file_id: picture.id } },
      { type: 'document' as const, source: { type: 'file' as const, file_id: text.id } },
    ];
    await anthropic.beta.messages.create({ ...base(), messages: [{ role: 'user', content }] });
    const sent = JSON.stringify(upstreams[kind].last().body);
    expect([sent.includes(png), sent.includes('Tea is green.')]).toEqual([true, true]);
    const listed: string[] = [];
    for await (const { id } of files.list({ limit: 1 })) listed.push(id);
    expect(listed.slice(0, 2).sort()).toEqual([picture.id, text.id].sort());
    expect((await files.retrieveMetadata(text.id)).size_bytes).toBe(13);
    expect(await (await files.download(text.id)).text()).toBe('Tea is green.');
    for (const id of listed) expect(await files.delete(id)).toEqual({ id, type: 'file_deleted' });
  });

  test('counting tokens', async () => {
    upstreams[kind].script = () => Response.json({ input_tokens: 42, totalTokens: 42 });
    const { model } = base();
    const counted = await anthropic.messages.countTokens({ model, messages: user('how many are these?') });
    expect(counted.input_tokens).toBeGreaterThan(3);
  });

  test('typed errors', async () => {
    const asked = { ...base(), messages: user('hi') };
    upstreams[kind].script = () => refuse(400, { error: { message: 'temperature is odd' } });
    const refused = await anthropic.messages.create(asked).catch((error) => error);
    expect(refused).toBeInstanceOf(Anthropic.BadRequestError);
    expect(refused.error).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });

    upstreams[kind].script = () => refuse(429, { error: { message: 'org-secret' } }, { 'retry-after': '7' });
    const busy = await anthropic.messages.create(asked).catch((error) => error);
    expect(busy).toBeInstanceOf(Anthropic.RateLimitError);
    expect(busy.headers.get('retry-after')).toBe('7');

    upstreams[kind].script = () => refuse(500, { error: { message: 'stack trace' } });
    const failed = await anthropic.messages.create({ ...asked, stream: true }).catch((error) => error);
    expect(failed).toBeInstanceOf(Anthropic.InternalServerError);
    expect(failed.message).not.toContain('stack trace');
  });

  test('a broken stream is an error, not an end', async () => {
    const long = Array.from({ length: 60 }, (_, i) => `w${i}`).join(' ');
    upstreams[kind].script = says(kind, { text: long }, { cutAfter: 40 });
    const stream = anthropic.messages.stream({ ...base(), messages: user('hi') });
    const error = await stream.finalMessage().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.APIError);
  });

  test('abort reaches the upstream', async () => {
    const long = Array.from({ length: 500 }, (_, i) => `w${i}`).join(' ');
    upstreams[kind].script = says(kind, { text: long }, { everyMs: 20 });
    const stream = anthropic.messages.stream({ ...base(), messages: user('hi') });
    stream.once('text', () => stream.abort());
    expect(await stream.finalMessage().catch((error) => error)).toBeInstanceOf(Anthropic.APIUserAbortError);
    await until('the upstream sees the abort', () => upstreams[kind].last().aborted);
  });
});

test('a wrong key is a typed error; keys work as x-api-key and as bearer', async () => {
  const asked = { model: served.openai.modelId, max_tokens: 5, messages: user('hi') };
  upstreams.openai.script = says('openai', { text: 'ok' });
  const stranger = new Anthropic({ apiKey: 'sk-nobody', baseURL: service.url, maxRetries: 0 });
  const refused = await stranger.messages.create(asked).catch((error) => error);
  expect(refused).toBeInstanceOf(Anthropic.AuthenticationError);
  expect(refused.requestID).toStartWith('req_');
  const bearer = new Anthropic({ apiKey: null, authToken: service.key, baseURL: service.url, maxRetries: 0 });
  expect((await bearer.messages.create(asked)).content).toMatchObject([{ text: 'ok' }]);
});

test('an unsupported endpoint returns an error in the format of the library', async () => {
  const refused: unknown = await anthropic.get('/v1/skills').catch((error) => error);
  expect(refused).toBeInstanceOf(Anthropic.NotFoundError);
  expect(refused).toHaveProperty('type', 'not_found_error');
});

test('an overloaded event before the first token moves to the next candidate', async () => {
  const broken = startUpstream((asked) =>
    events(asked, ['event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n']),
  );
  const sound = startUpstream(says('anthropic', { text: 'from the second' }));
  const first = await service.serve({ kind: 'anthropic', url: broken.url });
  const second = await service.serve({ kind: 'anthropic', url: sound.url, modelId: first.modelId });
  const provider = { order: [first.provider, second.provider] };
  const body = { model: first.modelId, max_tokens: 9, messages: user('hi'), provider };
  const message = await anthropic.messages.stream(body as Anthropic.MessageStreamParams).finalMessage();
  expect(message.content).toMatchObject([{ text: 'from the second' }]);
  expect(broken.asked.length).toBe(1);
  broken.stop();
  sound.stop();
});
