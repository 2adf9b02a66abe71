import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../../app.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { type RedisServer, startRedis } from '../../platform/shared/redis-server.fixture.ts';
import { administration, type McpTestServer, type ScriptedTool, startMcp } from '../mcp.fixture.ts';
import { accepted, askableClient, curious, newestPost, twoNames } from './between.fixture.ts';
import { ask, isQuestion, isResult, named, rawClient, said } from './speaks.fixture.ts';

const unkind: ScriptedTool = {
  name: 'unkind',
  answer: async (_, context) => {
    const given = await ask(context, 'elicitation/create', { message: 'Who?', requestedSchema: {} });
    throw new Error(`not for ${(given as { content: { name: string } }).content.name}`);
  },
};

// Two processes share PostgreSQL; a SQLite file has one.
describe.skipIf(process.env.SVC_TEST_ENGINE !== 'postgres')('a call that asks a question, with two processes', () => {
  let redis: RedisServer;
  let one: TestApp;
  let other: TestApp;
  let key: string;
  const servers: McpTestServer[] = [];
  const start = async (server: McpTestServer, name: string) => {
    servers.push(server);
    const admin = administration(await one.root());
    const { id } = await admin.connect(name, server.url);
    await admin.allow(id);
    return server;
  };
  beforeAll(async () => {
    redis = await startRedis();
    const shared = { REDIS_URL: redis.url, REDIS_PREFIX: 'between:', ENCRYPTION_KEY: '7'.repeat(64) };
    const env = { ...shared, ALLOW_PRIVATE_WEBHOOKS: '1' };
    one = await openTestApp({ env });
    other = await openTestApp({ env: { ...env, DATABASE_URL: one.config.databaseUrl! } });
    key = await (await one.user()).key();
    await start(startMcp([twoNames, unkind], 'sessions', false), 'before');
    await start(startMcp([curious], 'modern'), 'newest');
  });
  afterAll(async () => {
    for (const server of servers) server.stop();
    await other.close();
    await one.close();
    await redis.stop();
  });

  const answers: Record<string, string> = { 'First?': 'Ada', 'Last?': 'Lovelace', 'Title?': 'Countess' };

  test('continues as one call when a 2026-07-28 client returns to the other process', async () => {
    const server = servers[0]!;
    const says = (message: string) => accepted(answers[message]!);
    const client = await askableClient([one, other], { path: '/mcp/before', key, mode: 'auto' }, says);
    for (const calls of [1, 2]) {
      const { content } = await client.callTool({ name: 'names', arguments: {} });
      expect(content).toEqual([{ type: 'text', text: 'Countess Ada Lovelace' }]);
      expect(server.calls).toHaveLength(calls);
    }
    await client.close();
  });

  test('accepts one answer through any process, and none from other callers', async () => {
    const server = servers[0]!;
    const before = server.calls.length;
    const [here, there] = [newestPost(one, '/mcp/before', key), newestPost(other, '/mcp/before', key)];
    const first = await here.call('names');
    const given = Object.fromEntries(Object.keys(first.inputRequests).map((name) => [name, accepted('Ada')]));
    const stranger = newestPost(other, '/mcp/before', await (await one.user()).key());
    const refused = { error: { code: -32_602, message: expect.stringContaining('Call the tool again') } };
    const back = { ...first, inputResponses: given };
    expect((await stranger.call('names', {}, back)).answer).toMatchObject(refused);
    expect((await there.call('names', { else: 1 }, back)).answer).toMatchObject(refused);
    const both = await Promise.all([there.call('names', {}, back), there.call('names', {}, back)]);
    const states = both.map(({ requestState }) => requestState).filter((state) => state !== '');
    expect(states).toHaveLength(1);
    expect(both.map(({ answer }) => answer)).toContainEqual(expect.objectContaining(refused));
    expect(server.calls).toHaveLength(before + 1);
  });

  test("reports the server's own error through any process", async () => {
    const first = await newestPost(one, '/mcp/before', key).call('unkind');
    const given = Object.fromEntries(Object.keys(first.inputRequests).map((name) => [name, accepted('Ada')]));
    const back = { ...first, inputResponses: given };
    const { answer } = await newestPost(other, '/mcp/before', key).call('unkind', {}, back);
    expect(answer).toMatchObject({ error: { code: -32_603, message: 'not for Ada' } });
  });

  test('accepts answers of a 2025 client that arrive at the other process', async () => {
    const client = await rawClient(one, '/mcp/newest', key);
    const call = await client.call('curious');
    await until('it is asked twice', () => call.messages.filter(isQuestion).length === 2);
    for (const { id, params } of call.messages.filter(isQuestion)) {
      const given = named(answers[String(params?.message)]!);
      const told = await Promise.all([client.answer(id, given, other), client.answer(id, given, one)]);
      expect(told.map(({ status }) => status).toSorted()).toEqual([202, 400]);
    }
    await until('it is asked once more', () => call.messages.filter(isQuestion).length === 3);
    await client.answer(call.messages.filter(isQuestion)[2]!.id, named('Countess'), other);
    expect(await call.find('it is answered', isResult)).toMatchObject(said('Countess Ada Lovelace (begun)'));
  });

  test('ends with its process, and the client is told to call again', async () => {
    const third = await openTestApp({
      env: {
        ...{ REDIS_URL: redis.url, REDIS_PREFIX: 'between:', ENCRYPTION_KEY: '7'.repeat(64) },
        ...{ ALLOW_PRIVATE_WEBHOOKS: '1', DATABASE_URL: one.config.databaseUrl! },
      },
    });
    const first = await newestPost(third, '/mcp/before', key).call('names');
    await third.close();
    const given = Object.fromEntries(Object.keys(first.inputRequests).map((name) => [name, accepted('Ada')]));
    const late = await newestPost(one, '/mcp/before', key).call('names', {}, { ...first, inputResponses: given });
    expect(late.answer).toMatchObject({ error: { message: expect.stringContaining('Call the tool again') } });
  });
});
