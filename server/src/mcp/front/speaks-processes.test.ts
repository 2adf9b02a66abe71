import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../../app.fixture.ts';
import { type RedisServer, startRedis } from '../../platform/shared/redis-server.fixture.ts';
import { administration, type McpTestServer, startMcp } from '../mcp.fixture.ts';
import { greeter, isQuestion, isResult, named, rawClient, said } from './speaks.fixture.ts';

// Two processes share PostgreSQL; a SQLite file has one.
describe.skipIf(process.env.SVC_TEST_ENGINE !== 'postgres')('a call in one process', () => {
  let redis: RedisServer;
  let one: TestApp;
  let other: TestApp;
  let server: McpTestServer;
  beforeAll(async () => {
    redis = await startRedis();
    const shared = { REDIS_URL: redis.url, REDIS_PREFIX: 'speaks:', ENCRYPTION_KEY: '7'.repeat(64) };
    const env = { ...shared, ALLOW_PRIVATE_WEBHOOKS: '1' };
    one = await openTestApp({ env });
    other = await openTestApp({ env: { ...env, DATABASE_URL: one.config.databaseUrl! } });
    server = startMcp([{ ...greeter }], 'sessions', false);
  });
  afterAll(async () => {
    server.stop();
    await other.close();
    await one.close();
    await redis.stop();
  });

  test('is answered once through another process, in the same upstream session', async () => {
    const admin = administration(await one.root());
    const { id } = await admin.connect('greeter', server.url, { timeout_ms: 2_000 });
    await admin.allow(id);
    const user = await one.user();
    const client = await rawClient(one, '/mcp/greeter', await user.key());
    const call = await client.call('greet');
    const question = await call.find('it is asked', isQuestion);
    const opened = server.opened;
    await Bun.sleep(2_500);
    const answers = await Promise.all([
      client.answer(question.id, named('Ada'), other),
      client.answer(question.id, named('Ada'), one),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 400]);
    expect(await call.find('it is answered', isResult)).toMatchObject(said('Hello, Ada!'));
    expect(server.opened).toBe(opened);
    // The session is as good in the other as where it began.
    const there = await client.call('greet', {}, { at: other });
    await client.answer((await there.find('it is asked', isQuestion)).id, named('Bob'), one);
    expect(await there.find('it is answered', isResult)).toMatchObject(said('Hello, Bob!'));
  });
});
