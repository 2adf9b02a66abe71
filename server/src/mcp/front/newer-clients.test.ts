import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Server } from '@modelcontextprotocol/server';
import { until } from '../../lib/until.fixture.ts';
import type { McpTestServer, More, ScriptedTool } from '../mcp.fixture.ts';
import { accepted, askableClient, newestPost, rowsOf, twoNames } from './between.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';
import { ask, greeter } from './speaks.fixture.ts';

/* Clients of 2026-07-28 before servers of 2025 that ask them something while they work. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const begun = async (tools: ScriptedTool[], fields: object = {}) => {
  const server = f.start(tools, 'sessions', false);
  const { name, id } = await f.connected(server, fields);
  return { server, name, id, path: `/mcp/${name}` };
};
const posting = (path: string, by = f.key) => newestPost(f.t, path, by);
const callsOf = ({ calls }: McpTestServer, tool: string) => calls.filter(({ name }) => name === tool).length;
const text = (said: string) => ({ result: { resultType: 'complete', content: [{ type: 'text', text: said }] } });
const nobodyWaits = { error: { code: -32_602, message: expect.stringContaining('Call the tool again') } };

describe.each([
  ['straight', undefined],
  ['with progress', () => {}],
] as const)('a call that is passed on %s', (_, onprogress) => {
  test('is answered with the question and continues with its answer, as one call', async () => {
    const { server, name, path } = await begun([{ ...greeter }]);
    for (const [at, tool] of [
      [path, 'greet'],
      ['/mcp', `${name}__greet`],
    ] as const) {
      const asked: string[] = [];
      const says = (message: string) => {
        asked.push(message);
        return accepted('Ada');
      };
      const client = await askableClient([f.t], { path: at, key: f.key, mode: 'auto' }, says);
      const options = onprogress && { onprogress };
      const { content } = await client.callTool({ name: tool, arguments: { message: 'Who?' } }, options);
      expect(content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
      expect(asked).toEqual(['Who?']);
      await client.close();
    }
    expect(callsOf(server, 'greet')).toBe(2);
    await until('both stand in usage', async () => (await rowsOf(f.user, `${name}/greet`)) >= 2);
    expect(await rowsOf(f.user, `${name}/greet`)).toBe(2);
  });
});

test('several questions, at once and in sequence, are all answered', async () => {
  const { server, path } = await begun([twoNames]);
  const answers: Record<string, string> = { 'First?': 'Ada', 'Last?': 'Lovelace', 'Title?': 'Countess' };
  const client = await askableClient([f.t], { path, key: f.key, mode: 'auto' }, (message) =>
    accepted(answers[message]!),
  );
  const { content } = await client.callTool({ name: 'names', arguments: {} });
  expect(content).toEqual([{ type: 'text', text: 'Countess Ada Lovelace' }]);
  expect(callsOf(server, 'names')).toBe(1);
  await client.close();
});

/** Long enough for the question to reach its client on a machine that is busy. */
const hasteMs = 1_000;
const hasty: ScriptedTool = {
  name: 'hasty',
  answer: (_, context) =>
    ask(context, 'elicitation/create', { message: 'Quick?', requestedSchema: {} }, { timeout: hasteMs }).then(
      () => 'answered',
      () => 'never mind',
    ),
};

test('a missing answer is requested again, and a withdrawn question is not', async () => {
  const { path } = await begun([twoNames, hasty]);
  const post = posting(path);
  const first = await post.call('names');
  const [one, two] = Object.keys(first.inputRequests);
  const second = await post.call('names', {}, { ...first, inputResponses: { [one!]: accepted('Ada') } });
  expect(Object.keys(second.inputRequests)).toEqual([two!]);
  const third = await post.call('names', {}, { ...second, inputResponses: { nobody: accepted('Eve'), [two!]: 7 } });
  expect(Object.keys(third.inputRequests)).toEqual([two!]);
  const fourth = await post.call('names', {}, { ...third, inputResponses: { [two!]: accepted('Lovelace') } });
  const last = Object.fromEntries(Object.keys(fourth.inputRequests).map((key) => [key, accepted('Countess')]));
  expect((await post.call('names', {}, { ...fourth, inputResponses: last })).answer).toMatchObject(
    text('Countess Ada Lovelace'),
  );
  // One that was in such haste that nobody could be asked is over.
  let quick = await post.call('hasty');
  while (Object.keys(quick.inputRequests).length === 0) quick = await post.call('hasty');
  expect(Object.keys(quick.inputRequests)).toHaveLength(1);
  await Bun.sleep(hasteMs + 200);
  const inputResponses = Object.fromEntries(Object.keys(quick.inputRequests).map((key) => [key, accepted('x')]));
  expect((await post.call('hasty', {}, { ...quick, inputResponses })).answer).toMatchObject(text('never mind'));
});

test('states of other callers, arguments or tools, and forged or used states, have no effect', async () => {
  const { server, path, name } = await begun([{ ...greeter }, { ...greeter, name: 'other' }]);
  const away = await begun([{ ...greeter }]);
  const post = posting(path);
  const first = await post.call('greet');
  const [key] = Object.keys(first.inputRequests);
  const back = { ...first, inputResponses: { [key!]: accepted('Eve') } };
  const stranger = await f.t.user();
  const { sealer } = f.t.app.mcp.room;
  const { requestState } = first;
  const changed = requestState.slice(0, -6) + (requestState.at(-6) === 'A' ? 'B' : 'A') + requestState.slice(-5);
  for (const [by, at, tool, args, state] of [
    [await stranger.key(), path, 'greet', {}, requestState],
    [await f.user.key(), path, 'greet', {}, requestState],
    [f.key, path, 'greet', { message: 'Else?' }, requestState],
    [f.key, path, 'other', {}, requestState],
    [f.key, away.path, 'greet', {}, requestState],
    [f.key, path, 'greet', {}, changed],
    [f.key, path, 'greet', {}, 'svc-waiting.'],
    [f.key, path, 'greet', {}, `svc-waiting.${sealer.seal('["mcp-waiting"]')}`],
    [f.key, path, 'greet', {}, `svc-waiting.${'x'.repeat(9_000)}`],
  ] as const) {
    const refused = await posting(at, by).call(tool, args, { ...back, requestState: state });
    expect(refused.answer).toMatchObject(nobodyWaits);
  }
  // Who can be asked other things is another client.
  const less = await newestPost(f.t, path, f.key, { roots: {} }).call('greet', {}, back);
  expect(less.answer).toMatchObject(nobodyWaits);
  expect([callsOf(server, 'greet'), callsOf(server, 'other'), callsOf(away.server, 'greet')]).toEqual([1, 0, 0]);
  const large = { ...first, inputResponses: { [key!]: accepted('x'.repeat(1024 * 1024)) } };
  expect((await post.call('greet', {}, large)).answer).toMatchObject({ error: { code: -32_602 } });
  const good = { ...first, inputResponses: { [key!]: accepted('Ada') } };
  const twice = await Promise.all([
    post.call('greet', {}, good),
    posting('/mcp').call(`${name}__greet`, {}, { ...good, inputResponses: { [key!]: accepted('Ada') } }),
  ]);
  const [won, lost] = twice.toSorted((a, b) => Number('error' in a.answer) - Number('error' in b.answer));
  expect(won!.answer).toMatchObject(text('Hello, Ada!'));
  expect(lost!.answer).toMatchObject(nobodyWaits);
  expect((await post.call('greet', {}, good)).answer).toMatchObject(nobodyWaits);
  expect(callsOf(server, 'greet')).toBe(1);
});

test('a client is asked only what it supports, and its time to answer does not count against the tool', async () => {
  const wants: ScriptedTool = {
    name: 'wants',
    answer: async (_, context) => {
      const asked = ['sampling/createMessage', 'elicitation/create'].map((method) =>
        ask(context, method, { mode: 'url', message: 'Go', url: 'https://x.example', messages: [], maxTokens: 1 }).then(
          () => 'asked',
          (error: Error) => error.message,
        ),
      );
      return (await Promise.all(asked)).join('; ');
    },
  };
  const { path } = await begun([wants, { ...greeter }], { timeout_ms: 3_000 });
  const post = newestPost(f.t, path, f.key, { elicitation: {} });
  const { answer } = await post.call('wants');
  expect(JSON.stringify(answer)).not.toContain('asked');
  expect(answer).toMatchObject({ result: { resultType: 'complete' } });
  const nobody = await newestPost(f.t, path, f.key, {}).call('greet');
  expect(nobody.answer).toMatchObject({ error: { code: -32_601 } });
  const first = await post.call('greet');
  await Bun.sleep(3_500);
  const inputResponses = Object.fromEntries(Object.keys(first.inputRequests).map((key) => [key, accepted('Ada')]));
  expect((await post.call('greet', {}, { ...first, inputResponses })).answer).toMatchObject(text('Hello, Ada!'));
});

test('a question sent to the listening stream is heard, and other servers are called as before', async () => {
  const servers = new Set<Server>();
  const more: More = { capabilities: {}, set: (server) => void servers.add(server) };
  const aside: ScriptedTool = {
    name: 'aside',
    answer: async () => {
      // The one of this call's session: those that lists are read in can be asked nothing.
      const able = [...servers].findLast((server) => server.getClientCapabilities()?.elicitation)!;
      const given = await able.elicitInput({ message: 'Who?', requestedSchema: { type: 'object', properties: {} } });
      return `Hello, ${given.content?.name}!`;
    },
  };
  const server = f.start([aside], 'sessions', false, more);
  const { name } = await f.connected(server);
  const client = await askableClient([f.t], { path: `/mcp/${name}`, key: f.key, mode: 'auto' }, () => accepted('Ada'));
  for (let count = 0; count < 2; count += 1) {
    const { content } = await client.callTool({ name: 'aside', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
  }
  const listened = server.heard.filter((headers) => headers.get('accept') === 'text/event-stream');
  expect(listened).toHaveLength(1);
  await client.close();
  const deaf = f.startRaw(({ method, result }) => {
    const tools = [{ ...echo, inputSchema: { type: 'object' } }];
    return Response.json(result(method === 'tools/list' ? { tools } : { content: [] }));
  });
  const post = posting(`/mcp/${(await f.connected(deaf)).name}`);
  expect((await post.call('echo')).answer).toMatchObject({ result: { content: [] } });
});

test('calls without a returning client are bounded, and other waits keep their usual timeout', async () => {
  const stuck: ScriptedTool = { name: 'stuck', answer: () => Bun.sleep(60_000) };
  const { path } = await begun([hasty, { ...greeter }, stuck], { timeout_ms: 4_000 });
  const post = posting(path, await (await f.t.user()).key());
  await post.call('greet');
  expect((await post.call('stuck')).answer).toMatchObject({
    error: { message: expect.stringContaining('it did not respond in time') },
  });
  // One that was in such haste that nobody could be asked is over, and waits for nobody.
  for (let waiting = 0; waiting < 15; )
    if (Object.keys((await post.call('hasty')).inputRequests ?? {}).length > 0) waiting += 1;
  await Bun.sleep(hasteMs + 200);
  expect((await post.call('greet')).answer).toMatchObject({
    error: { message: expect.stringContaining('too many calls are already waiting for answers from this caller') },
  });
});

test('waiting calls are bounded; leaving cancels the call, and a late client must call again', async () => {
  let stopped = 0;
  const waiting: ScriptedTool = {
    name: 'greet',
    answer: async (args, context) => {
      context.mcpReq.signal.addEventListener('abort', () => {
        stopped += 1;
      });
      const greeting = await greeter.answer!(args, context);
      if (args.slow) await Bun.sleep(60_000);
      return greeting;
    },
  };
  const { path, id } = await begun([waiting, echo]);
  const post = posting(path, await (await f.t.user()).key());
  const many = await Promise.all(Array.from({ length: 17 }, () => post.call('greet')));
  expect(many.filter(({ answer }) => JSON.stringify(answer).includes('too many'))).toHaveLength(1);
  const [first] = many.filter(({ requestState }) => requestState !== '');
  f.clock.advance(11 * 60_000);
  const inputResponses = Object.fromEntries(Object.keys(first!.inputRequests).map((key) => [key, accepted('Ada')]));
  expect((await post.call('greet', {}, { ...first!, inputResponses })).answer).toMatchObject(nobodyWaits);
  const stranger = posting(path, await (await f.t.user()).key());
  const slow = await stranger.call('greet', { slow: true });
  const leaving = new AbortController();
  const back = Object.fromEntries(Object.keys(slow.inputRequests).map((key) => [key, accepted('Ada')]));
  const left = stranger.call('greet', { slow: true }, { ...slow, inputResponses: back }, leaving.signal);
  setTimeout(() => leaving.abort(), 300);
  await left.catch(() => {});
  await until('the server hears of it', () => stopped === 1);
  // Whoever may use the tool no more comes back in vain.
  const again = await stranger.call('greet');
  await f.admin.allow(id, ['echo']);
  const refused = await stranger.call('greet', {}, { ...again, inputResponses: back });
  expect(refused.answer).toMatchObject({ error: { message: expect.stringContaining('Unknown tool') } });
});
