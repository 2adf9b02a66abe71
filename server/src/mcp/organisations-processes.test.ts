import { expect, test } from 'bun:test';
import { openTestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { openWorld } from '../organisations/organisations.fixture.ts';
import { startRedis } from '../platform/shared/redis-server.fixture.ts';
import { administration, connectClient, startMcp } from './mcp.fixture.ts';

// Two processes share PostgreSQL; a SQLite file has one.
test.skipIf(process.env.SVC_TEST_ENGINE !== 'postgres')(
  'a member who leaves through one process loses access in all',
  async () => {
    const redis = await startRedis();
    const server = startMcp([{ name: 'note', answer: () => 'noted' }]);
    const shared = { REDIS_URL: redis.url, REDIS_PREFIX: 'left:', ENCRYPTION_KEY: '7'.repeat(64) };
    const env = { ...shared, ALLOW_PRIVATE_WEBHOOKS: '1' };
    const one = await openWorld({ env });
    const other = await openTestApp({ env: { ...env, DATABASE_URL: one.t.config.databaseUrl! } });
    try {
      await one.t.setOption('McpUserServers', true);
      const boss = await one.t.user();
      const { data: made } = await one.send(boss, 'POST', '/api/organisations', { name: 'Two' });
      const body = { name: 'both', url: server.url, organisation_id: made.id };
      const { data } = await one.send<{ id: number; name: string }>(boss, 'POST', '/api/mcp/servers', body);
      await administration(boss).allow(data.id);
      const leaving = await one.join(boss, made.id, 'member');
      const { client } = await connectClient(other, `/mcp/${data.name}`, await leaving.key());
      const call = () => client.callTool({ name: 'note', arguments: {} });
      for (let times = 0; times < 2; times += 1) expect(await call()).toMatchObject({ content: [{ text: 'noted' }] });
      await one.send(boss, 'DELETE', `/api/organisations/${made.id}/members/${leaving.id}`);
      // Sooner than what is kept would be doubted by itself.
      await until(
        'the other has heard',
        () =>
          call().then(
            () => false,
            () => true,
          ),
        5_000,
      );
    } finally {
      await other.close();
      await one.close();
      await redis.stop();
      server.stop();
    }
  },
);
