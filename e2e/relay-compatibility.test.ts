/** Issues known to break real clients on gateways, one test each. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Json } from '../server/src/relay/wire/conversation.ts';
import { type Kind, kinds, openaiChunk, says } from './relay-replies.ts';
import { type ModelSetup, type Served, type Service, startService, until } from './service.ts';
import { type Asked, events, refuse, type Script, startUpstream, type Upstream } from './upstream.ts';
import { strictVendor } from './vendor-rules.ts';

let service: Service;
const upstreams = {} as Record<Kind, Upstream>;
const served = {} as Record<Kind, Served>;
const more: Upstream[] = [];

beforeAll(async () => {
  service = await startService({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  for (const kind of kinds) {
    upstreams[kind] = startUpstream(says(kind, { text: 'unset' }));
    served[kind] = await service.serve({ kind, url: upstreams[kind].url });
  }
});
afterAll(async () => {
  for (const upstream of [...Object.values(upstreams), ...more]) upstream.stop();
  await service?.stop();
});

const chat = '/v1/chat/completions';
const hi = [{ role: 'user', content: 'hi' }];

/** A separate model with its own upstream. */
async function serveAlone(script: Script, setup: Partial<ModelSetup> = {}) {
  const upstream = startUpstream(script);
  more.push(upstream);
  return { upstream, ...(await service.serve({ kind: 'openai', url: upstream.url, ...setup })) };
}

async function ask(kind: Kind, path: string, body: Json, headers: Record<string, string> = {}): Promise<Response> {
  return service.post(path, { model: served[kind].modelId, ...body }, { headers });
}

/** Broken streams count against a candidate, so a test that breaks some sets up a new one for later tests. */
const renew = async (kind: Kind): Promise<void> => {
  served[kind] = await service.serve({ kind, url: upstreams[kind].url });
};

/** Requests a stream; returns its raw text and its parsed data lines. */
async function stream(kind: Kind, path: string, body: Json) {
  const response = await ask(kind, path, { stream: true, ...body });
  const text = await response.text();
  const data = [...text.matchAll(/^data: (.*)$/gm)].map((match) => match[1]!);
  const chunks = data.filter((line) => line !== '[DONE]').map((line) => JSON.parse(line) as Json);
  return { response, text, chunks, done: data.at(-1) === '[DONE]' };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;
const deltas = (chunks: Json[]): Loose[] => chunks.flatMap((chunk: Loose) => chunk.choices.map((c: Loose) => c.delta));
const content = (chunks: Json[]): string =>
  deltas(chunks)
    .map((delta) => delta.content ?? '')
    .join('');
const end = [openaiChunk({}, 'stop'), 'data: [DONE]\n\n'];

test.each(kinds)('usage is sent only on request, as a last chunk without choices (%s)', async (kind) => {
  upstreams[kind].script = says(kind, { text: 'a b' });
  const quiet = await stream(kind, chat, { messages: hi });
  expect(quiet.done).toBe(true);
  expect(quiet.text).not.toContain('"usage"');
  expect(quiet.chunks.every((chunk: Loose) => chunk.choices.length === 1)).toBe(true);
  const asked = await stream(kind, chat, { messages: hi, stream_options: { include_usage: true } });
  expect(asked.chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } });
  expect(asked.chunks.filter((chunk) => chunk.usage).length).toBe(1);
  if (kind === 'anthropic') return;
  upstreams[kind].script = says(kind, { text: 'a b', usage: null });
  const counted = await stream(kind, chat, { messages: hi, stream_options: { include_usage: true } });
  expect(counted.chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 2 } });
  expect(counted.done).toBe(true);
});

test('chunks without choices are accepted', async () => {
  const odd = ['data: {"id":"c","choices":[],"prompt_filter_results":[]}\n\n', 'data: {"id":"c"}\n\n'];
  upstreams.openai.script = (asked) => events(asked, [...odd, openaiChunk({ content: 'well' }), ...end]);
  for (const path of [chat, '/v1/messages']) {
    const { text } = await stream('openai', path, { messages: hi, max_tokens: 9 });
    expect(text).toContain('well');
    expect(text).not.toContain('"error"');
  }
});

test('usage on a normal chunk is read', async () => {
  const last = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const choice = { index: 0, delta: {}, finish_reason: 'stop' };
  const chunk = `data: ${JSON.stringify({ ...last, choices: [choice], usage })}\n\n`;
  upstreams.openai.script = (asked) => events(asked, [openaiChunk({ content: 'x' }), chunk, 'data: [DONE]\n\n']);
  const { chunks } = await stream('openai', chat, { messages: hi, stream_options: { include_usage: true } });
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
  expect(chunks.at(-2)).not.toHaveProperty('usage');
});

test('tool-call deltas merge by index; continuations carry no name, no type, no null', async () => {
  const piece = (call: Json) => openaiChunk({ tool_calls: [call] });
  upstreams.openai.script = (asked) =>
    events(asked, [
      piece({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x"' } }),
      piece({ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '{"y"' } }),
      piece({ index: 0, id: null, type: null, function: { name: null, arguments: ':1}' } }),
      piece({ index: 1, function: { arguments: ':2}' } }),
      openaiChunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ]);
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const { text, chunks } = await stream('openai', chat, { messages: hi, tools });
  expect(text).not.toMatch(/"(id|type|name)":null/);
  const calls = deltas(chunks).flatMap((delta) => delta.tool_calls ?? []);
  const joined = [0, 1].map((index) =>
    calls
      .filter((call) => call.index === index)
      .map((call) => call.function.arguments)
      .join(''),
  );
  expect(joined).toEqual(['{"x":1}', '{"y":2}']);
  expect(calls[2]).toEqual({ index: 0, function: { arguments: ':1}' } });

  const message = await stream('openai', '/v1/messages', {
    messages: hi,
    max_tokens: 9,
    tools: [{ name: 'f', input_schema: {} }],
  });
  const inputs = [0, 1].map((index) =>
    message.chunks
      .filter((event) => event.type === 'content_block_delta' && event.index === index)
      .map((event: Loose) => event.delta.partial_json)
      .join(''),
  );
  expect(inputs).toEqual(['{"x":1}', '{"y":2}']);
});

test('tool_calls: null is left out', async () => {
  upstreams.openai.script = (asked) => {
    if (asked.body.stream) {
      return events(asked, [openaiChunk({ role: 'assistant', content: 'x', tool_calls: null }), ...end]);
    }
    const message = { role: 'assistant', content: 'x', tool_calls: null };
    return Response.json({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    });
  };
  expect((await stream('openai', chat, { messages: hi })).text).not.toContain('tool_calls');
  expect(await (await ask('openai', chat, { messages: hi })).text()).not.toContain('tool_calls');
});

test('signatures travel byte for byte, and foreign thinking is dropped on fallback', async () => {
  const signature = 'ErUB+/==\u00e9 "quoted" \\u0041';
  upstreams.anthropic.script = says('anthropic', { thinking: 'hm', signature, text: 'ok' });
  const first = (await (await ask('anthropic', '/v1/messages', { messages: hi, max_tokens: 9 })).json()) as Loose;
  expect(first.content[0].signature).toBe(signature);
  const streamedBack = await stream('anthropic', '/v1/messages', { messages: hi, max_tokens: 9 });
  expect(streamedBack.chunks.find((event: Loose) => event.delta?.signature)).toMatchObject({ delta: { signature } });

  const messages = [...hi, { role: 'assistant', content: first.content }, { role: 'user', content: 'go on' }];
  const dead = await serveAlone(() => refuse(500), { kind: 'anthropic' });
  const other = await serveAlone(says('openai', { text: 'from the other' }), { modelId: dead.modelId });
  const provider = { order: [dead.provider, other.provider] };
  const body = { model: dead.modelId, max_tokens: 9, messages, provider };
  const answer = (await (await service.post('/v1/messages', body)).json()) as Loose;
  expect(answer.content[0].text).toBe('from the other');
  expect((dead.upstream.last().body as Loose).messages[1].content[0]).toEqual({
    type: 'thinking',
    thinking: 'hm',
    signature,
  });
  const sent = JSON.stringify(other.upstream.last().body);
  expect(sent).not.toContain('ErUB');
  expect(sent).not.toContain('"hm"');
});

test('reasoning fields pass through', async () => {
  for (const field of ['reasoning_content', 'reasoning']) {
    upstreams.openai.script = (asked) =>
      events(asked, [openaiChunk({ [field]: 'let me think' }), openaiChunk({ content: 'x' }), ...end]);
    const { chunks } = await stream('openai', chat, { messages: hi });
    expect(deltas(chunks)[0][field]).toBe('let me think');
  }
});

test('upstream comments are not forwarded, and none are sent on a busy stream', async () => {
  upstreams.openai.script = (asked) =>
    events(asked, [
      ': PROCESSING\n\n',
      openaiChunk({ content: 'a' }),
      ': PROCESSING\n\n',
      openaiChunk({ content: 'b' }),
      ...end,
    ]);
  const { text, chunks } = await stream('openai', chat, { messages: hi });
  expect(text).not.toMatch(/^:/m);
  expect(content(chunks)).toBe('ab');
});

test.each(kinds)('an interrupted stream does not look complete, and its error can be read (%s)', async (kind) => {
  const text = Array.from({ length: 60 }, (_, i) => `w${i}`).join(' ');
  for (const pace of [{ cutAfter: 30 }, { endAfter: 30 }]) {
    upstreams[kind].script = says(kind, { text }, pace);
    const cut = await stream(kind, chat, { messages: hi });
    expect(cut.done).toBe(false);
    expect(cut.text).not.toContain('"finish_reason":"stop"');
    expect(cut.chunks.at(-1)).toMatchObject({
      error: { message: expect.any(String), type: 'upstream_error', code: 'provider_error' },
      choices: [{ finish_reason: 'error' }],
    });
    const message = await stream(kind, '/v1/messages', { messages: hi, max_tokens: 99 });
    expect(message.text).not.toContain('message_stop');
    expect(message.chunks.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  }
  await renew(kind);
});

test('an end mark without a finish reason is not forwarded', async () => {
  upstreams.openai.script = (asked) => events(asked, [openaiChunk({ content: 'half' }), 'data: [DONE]\n\n']);
  const cut = await stream('openai', chat, { messages: hi });
  expect(cut.done).toBe(false);
  expect(cut.chunks.at(-1)).toHaveProperty('error');
});

test('content-encoding and content-length of the upstream are dropped, also on errors', async () => {
  const gzipped = (status: number, body: unknown) =>
    new Response(Bun.gzipSync(JSON.stringify(body)), {
      status,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
  upstreams.openai.script = () => gzipped(400, { error: { message: 'your prompt is odd' } });
  const refused = await ask('openai', chat, { messages: hi });
  expect(refused.status).toBe(400);
  expect(refused.headers.get('content-encoding')).toBeNull();
  expect(await refused.text()).toContain('your prompt is odd');
  const message = { role: 'assistant', content: 'fine' };
  upstreams.openai.script = () => gzipped(200, { id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] });
  const answer = await ask('openai', chat, { messages: hi });
  expect(answer.headers.get('content-encoding')).toBeNull();
  expect(await answer.text()).toContain('fine');
});

test('embeddings as base64 and as numbers, whatever the upstream returns', async () => {
  const numbers = [0.25, -1.5, 3];
  const base64 = Buffer.from(new Float32Array(numbers).buffer).toString('base64');
  for (const given of [numbers, base64]) {
    const { modelId } = await serveAlone(
      () => Response.json({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: given }], model: 'm' }),
      { type: 'embedding' },
    );
    for (const [encoding_format, expected] of [
      ['float', numbers],
      ['base64', base64],
    ]) {
      const answer = await service.post('/v1/embeddings', { model: modelId, input: 'x', encoding_format });
      expect(((await answer.json()) as Loose).data[0].embedding).toEqual(expected);
    }
  }
});

test('count_tokens exists', async () => {
  upstreams.anthropic.script = () => Response.json({ input_tokens: 42 });
  const answer = await ask('anthropic', '/v1/messages/count_tokens', { messages: hi });
  expect(await answer.json()).toEqual({ input_tokens: 42 });
});

test.each(kinds)('message_start comes first, indexes ascend, every block is closed (%s)', async (kind) => {
  const calls = [
    { id: 'a', name: 'f', args: { x: 1 } },
    { id: 'b', name: 'g', args: { y: 2 } },
  ];
  upstreams[kind].script = says(kind, { thinking: 'hm', text: 'well then', calls });
  const { chunks } = await stream(kind, '/v1/messages', {
    messages: hi,
    max_tokens: 9,
    tools: [{ name: 'f', input_schema: {} }],
  });
  const seen = chunks.filter((event) => event.type !== 'ping');
  expect(seen[0]!.type).toBe('message_start');
  let open = -1;
  let next = 0;
  for (const event of seen) {
    if (event.type === 'content_block_start') {
      expect([open, event.index]).toEqual([-1, next]);
      open = next++;
    } else if (event.type === 'content_block_delta') expect(event.index).toBe(open);
    else if (event.type === 'content_block_stop') {
      expect(event.index).toBe(open);
      open = -1;
    }
  }
  expect([open, next]).toEqual([-1, 4]);
  expect(seen.at(-1)!.type).toBe('message_stop');
});

test.each(kinds)('assistant content null, absent, empty or parts (%s)', async (kind) => {
  upstreams[kind].script = says(kind, { text: 'ok' });
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const result = { role: 'tool', tool_call_id: 'c1', content: 'r' };
  const turns = [
    [{ role: 'assistant', content: null, tool_calls: [call] }, result],
    [{ role: 'assistant', tool_calls: [call] }, result],
    [{ role: 'assistant', content: '', tool_calls: [call] }, result],
    [{ role: 'assistant', content: [{ type: 'text', text: 'part' }] }, hi[0]],
  ];
  for (const turn of turns) {
    const answer = await ask(kind, chat, { messages: [...hi, ...turn] });
    expect(answer.status).toBe(200);
  }
});

test('anthropic-beta is merged, anthropic-version is forwarded', async () => {
  upstreams.anthropic.script = says('anthropic', { text: 'ok' });
  const headers = { 'anthropic-beta': 'one-2025,two-2025', 'anthropic-version': '2023-06-01' };
  await ask('anthropic', '/v1/messages', { messages: hi, max_tokens: 9 }, headers);
  const { headers: sent } = upstreams.anthropic.last();
  expect(sent.get('anthropic-beta')).toContain('one-2025');
  expect(sent.get('anthropic-beta')).toContain('two-2025');
  expect(sent.get('anthropic-version')).toBe('2023-06-01');
});

test.each(kinds)('bodies of 8 to 32 MiB are accepted, larger ones get a JSON 413 (%s)', async (kind) => {
  upstreams[kind].script = says(kind, { text: 'a picture' });
  const picture = (mebibytes: number) => {
    const url = `data:image/png;base64,${Buffer.alloc(mebibytes * 786_432, 7).toString('base64')}`;
    return { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] };
  };
  for (const mebibytes of kind === 'openai' ? [8, 31] : [31]) {
    expect((await ask(kind, chat, picture(mebibytes))).status).toBe(200);
  }
  const before = upstreams[kind].asked.length;
  for (const path of [chat, '/v1/messages']) {
    const refused = await ask(kind, path, picture(33));
    expect(refused.status).toBe(413);
    expect(refused.headers.get('content-type')).toContain('application/json');
    const { error } = (await refused.json()) as Loose;
    expect(error.message).toContain('32 MiB');
  }
  expect(upstreams[kind].asked.length).toBe(before);
});

test('both names of the output limit reach upstreams that know only one', async () => {
  const limit = (asked: Asked): Loose => asked.body;
  for (const field of ['max_tokens', 'max_completion_tokens']) {
    upstreams.openai.script = says('openai', { text: 'x' });
    await ask('openai', chat, { messages: hi, [field]: 33 });
    const { max_tokens, max_completion_tokens } = limit(upstreams.openai.last());
    expect([max_tokens, max_completion_tokens].filter((value) => value !== undefined)).toEqual([33]);
    upstreams.anthropic.script = says('anthropic', { text: 'x' });
    await ask('anthropic', chat, { messages: hi, [field]: 33 });
    expect(limit(upstreams.anthropic.last()).max_tokens).toBe(33);
    upstreams.gemini.script = says('gemini', { text: 'x' });
    await ask('gemini', chat, { messages: hi, [field]: 33 });
    expect(limit(upstreams.gemini.last()).generationConfig.maxOutputTokens).toBe(33);
  }
});

test('unknown parameters are forwarded, our own are not', async () => {
  upstreams.openai.script = says('openai', { text: 'x' });
  const ours = { provider: { allow_fallbacks: true }, svc_ms: { session_id: 'secret' } };
  await ask('openai', chat, { messages: hi, some_new_thing: { deep: [1] }, top_k: 5, ...ours });
  const { body } = upstreams.openai.last();
  expect(body.some_new_thing).toEqual({ deep: [1] });
  expect(body.top_k).toBe(5);
  expect(body).not.toHaveProperty('provider');
  expect(body).not.toHaveProperty('svc_ms');
  upstreams.anthropic.script = says('anthropic', { text: 'x' });
  await ask('anthropic', '/v1/messages', { messages: hi, max_tokens: 9, some_new_thing: 1, ...ours });
  expect(upstreams.anthropic.last().body).toMatchObject({ some_new_thing: 1 });
  expect(upstreams.anthropic.last().body).not.toHaveProperty('provider');
});

test('retry headers of a refusal are forwarded', async () => {
  const headers = { 'retry-after': '3', 'retry-after-ms': '2500', 'x-should-retry': 'true' };
  for (const status of [429, 400]) {
    upstreams.openai.script = () => refuse(status, { error: { message: 'no' } }, headers);
    const refused = await ask('openai', chat, { messages: hi });
    expect(refused.status).toBe(status);
    expect(Object.fromEntries(refused.headers)).toMatchObject(headers);
  }
});

test('an upstream failure is never reported as a 400', async () => {
  const faults: [number, unknown][] = [
    [500, { error: 'x' }],
    [404, { error: { message: 'model not found' } }],
    [401, { error: { message: 'bad key' } }],
    [403, { error: { message: 'region' } }],
    [400, { error: { message: 'Incorrect API key provided: sk-12345678', code: 'invalid_api_key' } }],
    [402, { error: { message: 'pay us' } }],
    [200, { error: { message: 'inside' } }],
    [200, 'not an object'],
    [200, { choices: [] }],
    [302, ''],
  ];
  for (const [status, body] of faults) {
    const { modelId } = await serveAlone(() => refuse(status, body, { location: 'http://127.0.0.1:1/' }));
    for (const streamed of [false, true]) {
      const answer = await service.post(chat, { model: modelId, messages: hi, stream: streamed });
      expect([status, answer.status]).toEqual([status, 502]);
      const { error } = (await answer.json()) as Loose;
      expect(error).toMatchObject({ type: 'upstream_error', code: 'provider_error' });
      expect(error.message).not.toMatch(/sk-|bad key|pay us|region/);
    }
  }
});

test('a client disconnect aborts the upstream call for chat, messages, speech and images', async () => {
  const speech = await serveAlone(() => new Promise(() => {}), { type: 'speech' });
  const images = await serveAlone(() => new Promise(() => {}), { type: 'image' });
  const waiting: [string, Json, Upstream][] = [
    [chat, { model: served.gemini.modelId, messages: hi }, upstreams.gemini],
    ['/v1/messages', { model: served.anthropic.modelId, messages: hi, max_tokens: 9 }, upstreams.anthropic],
    ['/v1/audio/speech', { model: speech.modelId, input: 'x', voice: 'alloy' }, speech.upstream],
    ['/v1/images/generations', { model: images.modelId, prompt: 'x' }, images.upstream],
  ];
  for (const [path, body, upstream] of waiting) {
    upstream.script = () => new Promise(() => {});
    const before = upstream.asked.length;
    const controller = new AbortController();
    const call = service.post(path, body, { signal: controller.signal }).catch(() => null);
    await until(`${path} reaches its upstream`, () => upstream.asked.length > before);
    controller.abort();
    await call;
    await until(`the upstream of ${path} sees the client leave`, () => upstream.last().aborted);
  }
});

test('model detail by an id with a slash, plain and encoded', async () => {
  const { modelId } = served.openai;
  const headers = { authorization: `Bearer ${service.key}` };
  for (const id of [modelId, encodeURIComponent(modelId)]) {
    const answer = await fetch(`${service.url}/v1/models/${id}`, { headers });
    expect(((await answer.json()) as Loose).id).toBe(modelId);
  }
});

test('system as string or blocks; several system messages are merged for vendors that allow one', async () => {
  const blocks = [
    { type: 'text', text: 'Be kind.' },
    { type: 'text', text: 'Be brief.' },
  ];
  for (const kind of kinds) {
    upstreams[kind].script = says(kind, { text: 'x' });
    for (const system of ['Be kind.', blocks]) {
      await ask(kind, '/v1/messages', { messages: hi, max_tokens: 9, system });
      expect(JSON.stringify(upstreams[kind].last().body)).toContain('Be kind.');
    }
    const messages = [{ role: 'system', content: 'One.' }, ...hi, { role: 'system', content: 'Two.' }];
    expect((await ask(kind, chat, { messages })).status).toBe(200);
    const sent = upstreams[kind].last().body as Loose;
    const text = JSON.stringify(sent);
    expect([text.includes('One.'), text.includes('Two.')]).toEqual([true, true]);
    if (kind === 'anthropic') expect(sent.messages.every((message: Loose) => message.role !== 'system')).toBe(true);
    if (kind === 'gemini') expect(sent.systemInstruction.parts.length).toBeGreaterThan(0);
  }
});

test('image parts as data URLs and https URLs, sent as data to vendors that need it', async () => {
  const data = 'iVBORw0KGgoAAAANSUhEUg==';
  const image = (url: string) => ({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  });
  const pictures = startUpstream(() => new Response(Buffer.from(data, 'base64')));
  more.push(pictures);
  const address = `${pictures.url}/a.png`;
  const nowhere = 'https://127.0.0.1:1/b.png';
  for (const kind of kinds) {
    upstreams[kind].script = says(kind, { text: 'x' });
    const sent = () => JSON.stringify(upstreams[kind].last().body);
    expect((await ask(kind, chat, image(`data:image/png;base64,${data}`))).status).toBe(200);
    expect(sent()).toContain(data);
    for (const stream of [false, true]) {
      expect((await ask(kind, chat, { ...image(address), stream })).status).toBe(200);
      if (kind === 'gemini') expect(sent()).toContain(`"inlineData":{"mimeType":"image/png","data":"${data}"}`);
      else expect(sent()).toContain(address);
    }
    expect((await ask(kind, chat, image(nowhere))).status).toBe(200);
    expect(sent()).toContain(nowhere);
  }
});

test('parallel calls and results keep order and ids across formats', async () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: `{"of":"${id}"}` } });
  const messages = [
    ...hi,
    { role: 'assistant', content: null, tool_calls: [call('c1'), call('c2')] },
    { role: 'tool', tool_call_id: 'c1', content: 'r1' },
    { role: 'tool', tool_call_id: 'c2', content: 'r2' },
  ];
  upstreams.anthropic.script = says('anthropic', { text: 'x' });
  expect((await ask('anthropic', chat, { messages })).status).toBe(200);
  const sent = (upstreams.anthropic.last().body as Loose).messages;
  expect(sent.map((message: Loose) => message.role)).toEqual(['user', 'assistant', 'user']);
  expect(sent[1].content.map((block: Loose) => block.id)).toEqual(['c1', 'c2']);
  expect(sent[2].content.map((block: Loose) => block.tool_use_id)).toEqual(['c1', 'c2']);

  const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: { of: id } });
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` });
  const turns = [
    ...hi,
    { role: 'assistant', content: [use('t1'), use('t2')] },
    { role: 'user', content: [result('t1'), result('t2'), { type: 'text', text: 'and?' }] },
  ];
  upstreams.openai.script = says('openai', { text: 'x' });
  expect((await ask('openai', '/v1/messages', { messages: turns, max_tokens: 9 })).status).toBe(200);
  const back = (upstreams.openai.last().body as Loose).messages;
  expect(back.map((message: Loose) => message.role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
  expect(back[1].tool_calls.map((one: Loose) => one.id)).toEqual(['t1', 't2']);
  expect([back[2].tool_call_id, back[3].tool_call_id]).toEqual(['t1', 't2']);
});

test('stop as string and list; json_schema under each vendor’s name', async () => {
  const read: Record<Kind, (body: Loose) => unknown> = {
    openai: (body) => [body.stop].flat(),
    anthropic: (body) => body.stop_sequences,
    gemini: (body) => body.generationConfig.stopSequences,
  };
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const response_format = { type: 'json_schema', json_schema: { name: 'place', schema } };
  for (const kind of kinds) {
    upstreams[kind].script = says(kind, { text: '{"city":"x"}' });
    await ask(kind, chat, { messages: hi, stop: 'END' });
    expect(read[kind](upstreams[kind].last().body)).toEqual(['END']);
    await ask(kind, chat, { messages: hi, stop: ['A', 'B'] });
    expect(read[kind](upstreams[kind].last().body)).toEqual(['A', 'B']);
    expect((await ask(kind, chat, { messages: hi, response_format })).status).toBe(200);
    expect(JSON.stringify(upstreams[kind].last().body)).toContain('city');
  }
});

test('empty tools, a tool choice without tools, n and logprobs break no vendor', async () => {
  for (const kind of kinds) {
    upstreams[kind].script = says(kind, { text: 'x' });
    expect((await ask(kind, chat, { messages: hi, tools: [] })).status).toBe(200);
    expect(upstreams[kind].last().body).not.toHaveProperty('tools');
    const choice = await ask(kind, chat, { messages: hi, tool_choice: 'auto' });
    expect([200, 400]).toContain(choice.status);
    expect([200, 400]).toContain((await ask(kind, chat, { messages: hi, logprobs: true, top_logprobs: 2 })).status);
    const several = await ask(kind, chat, { messages: hi, n: 2 });
    if (kind === 'openai') expect(several.status).toBe(200);
    else {
      expect(several.status).toBe(400);
      expect(((await several.json()) as Loose).error).toMatchObject({ param: 'n', code: 'unsupported_parameter' });
    }
  }
});

/** A tool, a call and its result in each format whose tool names differ from the common ones. */
const longName = 'mcp__an_own_server_with_a_long_name__and_one_of_its_many_long_winded_tools';
const longId = `call_${'x'.repeat(60)}`;
const namings: Record<
  string,
  { path: (model: string, stream: boolean) => string; first: Json; second: Json; name: string }
> = {
  messages: {
    path: () => '/v1/messages',
    name: longName,
    first: { max_tokens: 9, messages: hi, tools: [{ name: longName, input_schema: { type: 'object' } }] },
    second: {
      max_tokens: 9,
      messages: [
        ...hi,
        { role: 'assistant', content: [{ type: 'tool_use', id: longId, name: longName, input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: longId, content: 'ok' }] },
      ],
    },
  },
  gemini: {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    name: 'crm.find:now',
    first: {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'crm.find:now' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['crm.find:now'] } },
    },
    second: {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ functionCall: { id: longId, name: 'crm.find:now', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: longId, name: 'crm.find:now', response: { ok: true } } }] },
      ],
    },
  },
};
const namingPairs = Object.keys(namings).flatMap((front) => kinds.map((kind): [string, Kind] => [front, kind]));

test.each(namingPairs)('a tool name from %s that %s does not allow is mapped and restored', async (front, kind) => {
  const { path, name, first, second } = namings[front]!;
  // Calls the tool by the name under which it was offered.
  upstreams[kind].script = strictVendor(kind, (asked) => {
    const { tools = [] } = asked.body as Loose;
    const offered = tools[0]?.functionDeclarations?.[0] ?? tools[0]?.function ?? tools[0];
    const reply = offered ? { calls: [{ id: 'call_1', name: offered.name, args: { a: 1 } }] } : { text: 'Done.' };
    return says(kind, reply)(asked);
  });
  const model = served[kind].modelId;
  for (const stream of [false, true]) {
    const body = front === 'gemini' ? {} : { model, stream };
    const called = await service.post(path(model, stream), { ...body, ...first });
    const text = await called.text();
    expect([called.status, text]).toEqual([200, expect.stringContaining(`"name":"${name}"`)]);
    const { tools, toolConfig } = first;
    const given = { tools, ...(toolConfig ? { toolConfig } : {}) };
    const done = await service.post(path(model, stream), { ...body, ...second, ...(stream ? {} : given) });
    expect(done.status).toBe(200);
    await done.text();
  }
});

test('long call ids of other vendors are shortened for OpenAI', async () => {
  upstreams.openai.script = strictVendor('openai', says('openai', { text: 'Done.' }));
  const called = { id: longId, type: 'function', function: { name: 'f', arguments: '{}' } };
  const messages = [
    ...hi,
    { role: 'assistant', tool_calls: [called] },
    { role: 'tool', tool_call_id: longId, content: 'x' },
  ];
  expect((await ask('openai', chat, { messages })).status).toBe(200);
  const [, call, result] = upstreams.openai.asked.at(-1)!.body.messages as Loose[];
  expect(call.tool_calls[0].id).toHaveLength(40);
  expect(result.tool_call_id).toBe(call.tool_calls[0].id);
});
