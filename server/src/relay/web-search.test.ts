import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import {
  addUpstream,
  breakAfter,
  type Script,
  type ScriptedUpstream,
  scriptedUpstream,
} from './scripted-upstream.fixture.ts';
import {
  cutAnswer,
  eventStream,
  type Front,
  fronts,
  type Kind,
  kinds,
  type Loose,
  pausing,
  saidBeforePause,
  searched,
  textOf,
} from './web-search.fixture.ts';

let relay: RelayTest;
let upstream: ScriptedUpstream;
const price = { prompt: 1, completion: 1 };
const vendor: Script = ({ path, body }) => searched(path, (body as Loose)?.stream === true);

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.credit(100_000_000);
  upstream = scriptedUpstream(vendor);
  const base = upstream.url.replace('/v1', '');
  const capabilities = { responses: true };
  const channel = (kind: string, provider: string, models: Loose[]) =>
    addUpstream(
      relay.test,
      base,
      models.map((model) => ({ model_name: `${provider}-1`, ...model })),
      {
        ...{ kind, provider, name: `${provider} ${models[0].model_id}` },
      },
    );
  for (const [name, { kind, provider }] of Object.entries(kinds))
    await channel(kind, provider, [
      { model_id: `free/${name}`, capabilities },
      { model_id: `paid/${name}`, capabilities, prices: price },
      { model_id: `priced/${name}`, capabilities, prices: { ...price, search: 0.01 } },
    ]);
  const says = (web_search: boolean) => ({ capabilities: { web_search } });
  await channel('anthropic', 'elsewhere', [{ model_id: 'said/yes', ...says(true) }, { model_id: 'said/nothing' }]);
  await channel('anthropic', 'anthropic', [{ model_id: 'said/no', ...says(false) }]);
  // The same model, of which one vendor searches and the other does not.
  await channel('openai', 'somebody', [{ model_id: 'free/either', model_name: 'either' }]);
  await channel('anthropic', 'anthropic', [{ model_id: 'free/either', model_name: 'either' }]);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

async function ask(front: Front, model: string, given: Loose, stream = false) {
  const before = upstream.seen.length;
  const { path, body } = fronts[front].request(model, given, stream);
  const answer = await relay.post(path, body);
  const text = await answer.text();
  const sent = upstream.seen.length > before ? (upstream.seen.at(-1)!.body as Loose) : null;
  return { answer, text, sent, body: stream || !answer.ok ? null : JSON.parse(text) };
}

const names = Object.keys(fronts) as Front[];
const vendors = Object.keys(kinds) as Kind[];
const pairs = names.flatMap((front) => vendors.map((kind): [Front, Kind] => [front, kind]));

describe('a requested web search', () => {
  test.each(pairs)('in %s format is sent to %s in its own format', async (front, kind) => {
    const { answer, sent } = await ask(front, `free/${kind}`, fronts[front].search);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-svc-left-out')).toBeNull();
    expect(sent.tools).toEqual(
      fronts[front].wire === kinds[kind].wire ? fronts[front].search.tools : [kinds[kind].tool],
    );
  });

  test.each(names)('in %s format is rejected by name if no provider supports it', async (front) => {
    const { answer, text, sent } = await ask(front, 'free/either', {
      ...fronts[front].search,
      provider: { only: ['somebody'] },
    });
    if (front === 'chat') return expect(sent.web_search_options).toEqual({});
    expect([answer.status, sent]).toEqual([400, null]);
    expect(text).toContain(`'${fronts[front].named}'`);
  });

  test.each(names)('in %s format is routed to a provider that supports it', async (front) => {
    for (let i = 0; i < 4; i += 1) {
      const { sent } = await ask(front, 'free/either', fronts[front].search);
      expect(sent).toHaveProperty('tools');
      expect(upstream.seen.at(-1)!.path).toEndWith('/messages');
    }
  });

  test('is supported as configured by the operator', async () => {
    const statusOf = async (model: string) => (await ask('responses', model, fronts.responses.search)).answer.status;
    expect(await statusOf('said/yes')).toBe(200);
    expect(await statusOf('said/nothing')).toBe(400);
    expect(await statusOf('said/no')).toBe(400);
    expect((await ask('messages', 'said/no', fronts.messages.search)).answer.status).toBe(400);
  });

  test('keeps its domains, maximum number and location', async () => {
    const place = { type: 'approximate', country: 'DE', city: 'Jena' };
    const limits = { max_uses: 3, allowed_domains: ['a.example'], user_location: place };
    const tools = [{ type: 'web_search_20260209', name: 'web_search', ...limits }];
    const { sent } = await ask('messages', 'free/responses', { tools });
    expect(sent).toMatchObject({
      tools: [{ type: 'web_search', filters: { allowed_domains: ['a.example'] }, user_location: place }],
      max_tool_calls: 3,
    });
    const options = {
      search_context_size: 'high',
      user_location: { type: 'approximate', approximate: { city: 'Jena' } },
    };
    const inChat = await ask('chat', 'free/responses', { web_search_options: options });
    expect(inChat.sent.tools).toEqual([
      { type: 'web_search', search_context_size: 'high', user_location: { type: 'approximate', city: 'Jena' } },
    ]);
    // Google takes no domains to stay within, and what is kept of the web is OpenAI's alone.
    expect((await ask('messages', 'free/gemini', { tools })).answer.status).toBe(400);
    for (const limit of [{ external_web_access: false }, { external_web_access: true, indexed_web_access: true }]) {
      const kept = [{ type: 'web_search', ...limit, search_content_types: ['text', 'image'] }];
      expect((await ask('responses', 'free/anthropic', { tools: kept })).answer.status).toBe(400);
      expect((await ask('responses', 'free/responses', { tools: kept })).sent.tools).toEqual(kept);
      const offered = await ask('responses', 'free/anthropic', { tools: [...fronts.responses.functions, ...kept] });
      expect(offered.answer.headers.get('x-svc-left-out')).toBe('web_search');
    }
  });

  test('supports text results, with or without images', async () => {
    const tools = (...search_content_types: string[]) => ({ tools: [{ type: 'web_search', search_content_types }] });
    expect((await ask('responses', 'free/anthropic', tools('text', 'image'))).sent.tools).toEqual([
      kinds.anthropic.tool,
    ]);
    expect((await ask('responses', 'free/anthropic', tools('image'))).answer.status).toBe(400);
  });
});

describe('a web search offered among other tools', () => {
  const left = (kind: Kind, front: Front): boolean => kind === 'gemini' && fronts[front].wire !== 'gemini';

  test.each(pairs.filter(([front]) => front !== 'chat'))('in %s format to %s', async (front, kind) => {
    const { offer, functions } = fronts[front];
    const { answer, sent } = await ask(front, `free/${kind}`, { tools: offer });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-svc-left-out')).toBe(left(kind, front) ? 'web_search' : null);
    expect(JSON.stringify(sent.tools).includes(kinds[kind].mark)).toBe(!left(kind, front));
    // Nothing is searched where nothing could be charged for it.
    const paid = await ask(front, `paid/${kind}`, { tools: offer });
    expect(paid.answer.headers.get('x-svc-left-out')).toBe('web_search');
    expect(JSON.stringify(paid.sent.tools)).not.toContain(kinds[kind].mark);
    if (fronts[front].wire === kinds[kind].wire) expect(paid.sent.tools).toEqual(functions);
  });

  test('is rejected if the model must use it or has no other tool', async () => {
    const { offer, search } = fronts.messages;
    const forced = { tools: offer, tool_choice: { type: 'any' } };
    for (const given of [forced, search]) {
      expect((await ask('messages', 'paid/anthropic', given)).answer.status).toBe(400);
      expect((await ask('messages', 'paid/responses', given)).answer.status).toBe(400);
    }
  });
});

describe('web search results', () => {
  test.each(
    pairs.flatMap(([front, kind]) => [false, true].map((stream): [Front, Kind, boolean] => [front, kind, stream])),
  )('are returned in %s format from %s, streamed: %p', async (front, kind, stream) => {
    const { text, body } = await ask(front, `priced/${kind}`, fronts[front].search, stream);
    const told = stream ? text : JSON.stringify(body);
    expect(textOf(front, stream, text)).toBe('Tea is old.');
    for (const mark of fronts[front].told) expect(told).toContain(mark);
  });

  test.each(pairs)('in %s format are charged per search: %s', async (front, kind) => {
    const before = await relay.money();
    const { answer, sent } = await ask(front, `priced/${kind}`, fronts[front].search);
    expect(answer.status).toBe(200);
    const row: Loose = await relay.usageOf(answer);
    expect(row.web_searches).toBe(2);
    const cost = Math.ceil((20_000 + 10) / 2) + 2 * 5_000;
    expect(row.quota).toBe(cost);
    expect(row.parts.find(({ part }: Loose) => part === 'search')).toEqual({ part: 'search', units: 2, cost: 10_000 });
    expect(before.quota - (await relay.money()).quota).toBe(cost);
    // As many as were put aside for.
    if (kind === 'anthropic') expect(sent.tools[0].max_uses).toBe(10);
    if (kind === 'responses') expect(sent.max_tool_calls).toBe(10);
  });

  test('are charged if the answer is interrupted', async () => {
    const { path, body } = fronts.responses.request('priced/anthropic', fronts.responses.search, true);
    upstream.answer(breakAfter([cutAnswer], eventStream));
    const answer = await relay.post(path, body);
    const text = await answer.text();
    upstream.answer(vendor);
    expect(text).toContain('response.failed');
    const row: Loose = await relay.usageOf(answer);
    expect(row).toMatchObject({ status: 'interrupted', web_searches: 2 });
  });

  test('are held for in advance, up to the maximum number of searches', async () => {
    const poor = await relay.test.user();
    const root = await relay.test.root();
    // Ten searches take 50,000, and an answer that needs none a few.
    await root.call(`/api/admin/users/${poor.id}/credits`, { method: 'POST', body: { quota: 40_000 } });
    const authorization = `Bearer ${await poor.key()}`;
    const statusOf = async (tool: Loose) => {
      const { path, body } = fronts.messages.request('priced/anthropic', { tools: [tool] }, false);
      return (await relay.test.call(path, { method: 'POST', body, headers: { authorization } })).status;
    };
    expect(await statusOf(kinds.anthropic.tool)).toBe(403);
    expect(await statusOf({ ...kinds.anthropic.tool, max_uses: 2 })).toBe(200);
  });

  test('are returned to their vendor with the next request, and to no other', async () => {
    const { body } = await ask('responses', 'priced/anthropic', fronts.responses.search);
    const input = [{ role: 'user', content: 'Tea?' }, ...body.output, { role: 'user', content: 'More.' }];
    const again = await ask('responses', 'priced/anthropic', { ...fronts.responses.search, input });
    const blocks = again.sent.messages[1].content as Loose[];
    expect(blocks.map(({ type }) => type)).toEqual([
      ...['server_tool_use', 'web_search_tool_result', 'server_tool_use', 'web_search_tool_result', 'text'],
    ]);
    expect(blocks[1]).toMatchObject({
      tool_use_id: blocks[0].id,
      content: [{ encrypted_content: 'sealed by Anthropic' }],
    });
    for (const kind of ['gemini', 'responses']) {
      const moved = await ask('responses', `priced/${kind}`, { ...fronts.responses.search, input });
      expect(moved.answer.status).toBe(200);
      expect(JSON.stringify(moved.sent)).not.toContain('sealed by Anthropic');
    }
  });

  test('of another vendor are not sent to Anthropic', async () => {
    const { body } = await ask('messages', 'priced/responses', fronts.messages.search);
    expect(body.content.map(({ type }: Loose) => type)).toContain('web_search_tool_result');
    const messages = [
      { role: 'user', content: 'Tea?' },
      { role: 'assistant', content: body.content },
      { role: 'user', content: 'More.' },
    ];
    const { sent } = await ask('messages', 'priced/anthropic', { messages });
    expect(sent.messages[1].content.map(({ type }: Loose) => type)).toEqual(['text']);
  });
});

describe('a turn paused by Anthropic', () => {
  const others = names.filter((front) => front !== 'messages');
  const both = others.flatMap((front) => [false, true].map((stream): [Front, boolean] => [front, stream]));
  const pauses: Script = ({ body }) => pausing(body);
  const isEnd = /"(finish_reason|finishReason|reason)":"(length|MAX_TOKENS|max_output_tokens)"/;
  const asked = async (front: Front, stream: boolean, script: Script) => {
    const before = upstream.seen.length;
    upstream.answer(script);
    const told = await ask(front, 'priced/anthropic', fronts[front].search, stream);
    upstream.answer(vendor);
    const bodies: Loose[] = upstream.seen.slice(before).map(({ body }) => body);
    return { ...told, bodies, row: (await relay.usageOf(told.answer)) as Loose };
  };

  test.each(both)('is continued automatically for %s clients, streamed: %p', async (front, stream) => {
    const { text, bodies, row } = await asked(front, stream, pauses);
    expect(textOf(front, stream, text)).toBe('Tea is old.');
    for (const mark of fronts[front].told) expect(text).toContain(mark);
    expect(text).not.toMatch(isEnd);
    const [first, second] = bodies;
    expect(bodies).toEqual([
      first,
      {
        ...first,
        max_tokens: first.max_tokens - 10,
        messages: [...first.messages, { role: 'assistant', content: saidBeforePause }],
        tools: [{ ...first.tools[0], max_uses: 9 }],
      },
    ]);
    expect(second.max_tokens).toBe(90);
    expect(row).toMatchObject({ prompt_tokens: 40_000, completion_tokens: 20, web_searches: 2, status: 'ok' });
  });

  test.each(others)('is continued if it comes in one piece where events were asked for: %s', async (front) => {
    const { text, bodies, row } = await asked(front, true, ({ body }) =>
      pausing({ ...(body as Loose), stream: false }),
    );
    expect(textOf(front, true, text)).toBe('Tea is old.');
    expect(text).not.toMatch(isEnd);
    expect(bodies).toHaveLength(2);
    expect(row).toMatchObject({ prompt_tokens: 40_000, completion_tokens: 20, web_searches: 2, status: 'ok' });
  });

  test.each(both)('ends as incomplete if it cannot be continued: %s, streamed: %p', async (front, stream) => {
    let times = 0;
    const breaks: Script = (request) => {
      times += 1;
      return times === 1 ? pausing(request.body) : Response.json({ error: { message: 'Busy.' } }, { status: 529 });
    };
    const { text, bodies, row } = await asked(front, stream, breaks);
    expect(text).toMatch(isEnd);
    expect(bodies).toHaveLength(2);
    expect(row).toMatchObject({ prompt_tokens: 20_000, completion_tokens: 10, web_searches: 1, status: 'ok' });
    const always: Script = ({ body }) => pausing({ ...(body as Loose), messages: [{ role: 'user' }] });
    const endless = await asked(front, stream, always);
    expect(endless.text).toMatch(isEnd);
    expect(endless.bodies).toHaveLength(4);
    expect(endless.row).toMatchObject({ prompt_tokens: 80_000, web_searches: 4 });
  });

  test.each(both)('searches at most as often as was held for: %s, streamed: %p', async (front, stream) => {
    let times = 0;
    const greedy: Script = ({ body }) => {
      const { tool_choice: choice, tools } = body as Loose;
      times += 1;
      return pausing(body, times === 1 ? tools[0].max_uses : choice?.type === 'none' ? 0 : 1);
    };
    const { text, bodies, row } = await asked(front, stream, greedy);
    expect(textOf(front, stream, text)).toBe('Tea is old.');
    const [first, second] = bodies;
    // With the same tools, as what was searched for would else not be understood.
    expect(second).toMatchObject({ tools: first.tools, tool_choice: { type: 'none' } });
    // A search that was to come next is not: nobody would pay for it.
    expect(second.messages.at(-1).content).toEqual(saidBeforePause.slice(0, -1));
    expect(row).toMatchObject({ web_searches: first.tools[0].max_uses, status: 'ok' });
  });

  test('is left to clients of Anthropic’s format', async () => {
    const { body, bodies } = await asked('messages', false, pauses);
    expect(body).toMatchObject({ stop_reason: 'pause_turn', content: saidBeforePause });
    expect(bodies).toHaveLength(1);
  });
});
