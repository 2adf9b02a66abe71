import { expect, test } from 'bun:test';
import { openTestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { administration } from '../mcp.fixture.ts';
import { startSignedIn } from '../signed-in.fixture.ts';
import { rawClient } from './speaks.fixture.ts';

test('listening continues with a new token when the server no longer accepts the old one', async () => {
  const clock = manualClock(Date.UTC(2026, 0, 15, 12));
  const t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  const server = startSignedIn();
  server.byHand = { app: 'secret' };
  try {
    const admin = administration(await t.root());
    const client = { auth: 'client_credentials', client_id: 'app', client_secret: 'secret' };
    const { id } = await admin.connect('own', server.url, client);
    await admin.allow(id);
    const listener = await rawClient(t, '/mcp/own', await (await t.user()).key());
    clock.advance(11_000);
    const asked = server.asked.length;
    server.valid.clear();
    const leaving = new AbortController();
    expect((await listener.listen(t, leaving.signal)).status).toBe(200);
    expect(server.asked).toHaveLength(asked + 1);
    expect(server.behind.heard.some((headers) => headers.get('accept') === 'text/event-stream')).toBe(true);
    leaving.abort();
    // One that takes none at all is not asked for ever.
    server.valid.has = () => false;
    clock.advance(11_000);
    expect((await listener.listen()).status).toBe(405);
    expect(server.asked).toHaveLength(asked + 2);
  } finally {
    server.stop();
    await t.close();
  }
});
