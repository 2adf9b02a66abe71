import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { silent } from '../billing/engines.fixture.ts';
import { systemClock } from '../lib/clock.ts';
import { hmacSha256Hex } from '../lib/hashing.ts';
import type { Sealer } from '../lib/seal.ts';
import { until } from '../lib/until.fixture.ts';
import { jsonOf, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';
import { openWebhooks } from './webhooks.ts';

interface Received {
  path: string;
  headers: Headers;
  text: string;
}

const received: Received[] = [];
const { promise: held, resolve: release } = Promise.withResolvers<void>();
const receiver = Bun.serve({
  port: 0,
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    received.push({ path: pathname, headers: request.headers, text: await request.text() });
    if (pathname === '/redirect') return new Response(null, { status: 307, headers: { location: '/followed' } });
    if (pathname === '/slow') await Bun.sleep(300);
    if (pathname === '/held') await held;
    return new Response('ok', { status: pathname === '/fails' ? 500 : 200 });
  },
});
const at = (path: string) => `http://127.0.0.1:${receiver.port}${path}`;
const waitFor = async (path: string, count = 1): Promise<Received[]> => {
  const found = () => received.filter((hit) => hit.path === path);
  await until(`something came to ${path}`, () => found().length >= count);
  return found();
};

let open: OAuthTest;
let guarded: OAuthTest;
beforeAll(async () => {
  open = await openOAuthTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  // At home on loopback, which is no reason to call others there.
  guarded = await openOAuthTest({ env: { BASE_URL: 'http://127.0.0.1:3000' } });
});
afterAll(async () => {
  await open.close();
  await guarded.close();
  await receiver.stop(true);
});

describe('webhooks', () => {
  test('report granted and revoked consents, signed with the application’s secret', async () => {
    const client = await open.client({ webhook_url: at('/hook') });
    await open.code(client, { scope: 'email' });
    const [granted] = await waitFor('/hook');
    const body = JSON.parse(granted!.text);
    expect(body).toEqual({
      event: 'consent_granted',
      application_id: client.id,
      user_id: open.member.id,
      timestamp: Math.floor(open.clock.nowMs() / 1000),
      data: { scopes: 'openid email' },
    });
    expect(granted!.headers.get('content-type')).toBe('application/json');
    expect(granted!.headers.get('x-svc-event')).toBe('consent_granted');
    expect(granted!.headers.get('x-svc-timestamp')).toBe(`${body.timestamp}`);
    const path = `/api/oauth2/applications/${client.id}`;
    const { webhook_secret } = (await jsonOf(open.owner.call(`${path}/webhook-secret`))).data;
    const signature = hmacSha256Hex(webhook_secret, `${body.timestamp}.${granted!.text}`);
    expect(granted!.headers.get('x-svc-signature')).toBe(`t=${body.timestamp},v1=${signature}`);

    const rotated = (await jsonOf(open.owner.call(`${path}/webhook-secret`, { method: 'POST' }))).data.webhook_secret;
    expect(rotated).not.toBe(webhook_secret);
    await open.member.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' });
    const [, revoked] = await waitFor('/hook', 2);
    expect(JSON.parse(revoked!.text)).toMatchObject({ event: 'consent_revoked', data: { scopes: 'openid email' } });
    const stamp = revoked!.headers.get('x-svc-timestamp');
    expect(revoked!.headers.get('x-svc-signature')).toBe(
      `t=${stamp},v1=${hmacSha256Hex(rotated, `${stamp}.${revoked!.text}`)}`,
    );
  });

  test('report a consent when it is granted or extended, with all its scopes, not each approval', async () => {
    const client = await open.client({ webhook_url: at('/grows') });
    const told = async (count: number) => {
      const all = await waitFor('/grows', count);
      return all.map(({ text }) => JSON.parse(text).data.scopes.split(' ').toSorted().join(' ')).toSorted();
    };
    const first = ['email openid'];
    await open.code(client, { scope: 'email' });
    for (const scope of ['email', 'openid', undefined]) await open.code(client, { scope });
    expect(await told(1)).toEqual(first);
    await open.code(client, { scope: 'profile' });
    expect(await told(2)).toEqual([...first, 'email openid profile']);
    await open.act('suspend', client.id);
    await open.act('activate', client.id);
    await open.code(client, { scope: 'profile' });
    expect(await told(3)).toEqual([...first, 'email openid profile', 'openid profile']);
    // Nothing is on its way any more once another application has heard of a later one.
    const later = await open.client({ webhook_url: at('/later') });
    await open.code(client, { scope: 'profile' });
    await open.code(later, { scope: 'profile' });
    await waitFor('/later');
    expect(await told(3)).toHaveLength(3);
  });

  test('report one user’s consents in order, without delaying other users', async () => {
    const client = await open.client({ webhook_url: at('/held') });
    const other = await open.user();
    const revoke = (by = open.member) => by.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' });
    const heard = () =>
      received.flatMap(({ path, text }) => {
        const { event, user_id } = JSON.parse(text);
        return path === '/held' ? [`${event} ${user_id === other.id ? 'other' : 'member'}`] : [];
      });
    await open.code(client);
    await revoke();
    await open.code(client);
    await open.code(client, {}, other);
    await waitFor('/held', 2);
    // The first is not answered yet.
    expect(heard()).toEqual(['consent_granted member', 'consent_granted other']);
    release();
    await waitFor('/held', 4);
    expect(heard().slice(2)).toEqual(['consent_revoked member', 'consent_granted member']);
  });

  test('follow no redirects and are not retried', async () => {
    const redirecting = await open.client({ webhook_url: at('/redirect') });
    const failing = await open.client({ webhook_url: at('/fails') });
    await open.code(redirecting);
    await open.code(failing);
    await waitFor('/redirect');
    await waitFor('/fails');
    await Bun.sleep(200);
    expect(received.filter((hit) => hit.path === '/followed')).toEqual([]);
    expect(received.filter((hit) => hit.path === '/fails')).toHaveLength(1);
  });

  test('do not delay the flow, and are finished before the service stops', async () => {
    const own = await openOAuthTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
    const client = await own.client({ webhook_url: at('/slow') });
    await own.code(client);
    await own.close();
    expect(received.filter((hit) => hit.path === '/slow')).toHaveLength(1);
  });

  test('are not sent to private, loopback or link-local addresses', async () => {
    const before = received.length;
    for (const url of [
      at('/private'),
      `http://localhost:${receiver.port}/private`,
      `http://[::1]:${receiver.port}/private`,
      `http://[::ffff:127.0.0.1]:${receiver.port}/private`,
      `http://2130706433:${receiver.port}/private`,
      'http://169.254.169.254/latest/meta-data',
    ]) {
      const client = await guarded.client({ webhook_url: url });
      expect((await guarded.decide(client)).status).toBe(200);
    }
    await Bun.sleep(200);
    expect(received.length).toBe(before);
  });
});

describe('the delivery queue', () => {
  /** Deliveries that end only if they are told to, by application. */
  function openStalled() {
    const begun: number[] = [];
    const end: (() => void)[] = [];
    const webhooks = openWebhooks({
      ...{ clock: systemClock, log: silent, allowPrivate: false },
      sealer: { seal: (text) => text, open: (text) => text } as Sealer,
      send: ({ url }) => {
        begun.push(Number(new URL(url).pathname.slice(1)));
        return new Promise((resolve) =>
          end.push(() => resolve({ status: 200, headers: {}, body: new Uint8Array(), truncated: false })),
        );
      },
    });
    const tell = (id: number, userId: number) =>
      webhooks.notify(
        { id, webhook_url: `https://apps.example/${id}`, webhook_secret: 's' },
        ...(['consent_granted', userId, {}] as const),
      );
    return { begun, end, tell };
  }

  test('an application that never responds leaves slots to others', () => {
    const { begun, tell } = openStalled();
    for (let user = 0; user < 100; user += 1) tell(1, user);
    expect(begun.length).toBeGreaterThan(0);
    tell(2, 1);
    expect(begun).toContain(2);
  });

  test('one end lets all begin that waited for it: of its application, and of its user', async () => {
    const { begun, end, tell } = openStalled();
    for (let user = 1; user <= 8; user += 1) tell(1, user);
    for (const application of [2, 3, 4]) tell(application, 1);
    tell(1, 20);
    tell(9, 1);
    expect(begun).toEqual([...Array(8).fill(1), 2, 3, 4]);
    end[0]!();
    await until('both have begun', () => begun.length === 13);
    expect(begun.slice(11)).toEqual([1, 9]);
  });

  test('one user or application cannot fill the queue', () => {
    for (const [app, user] of [
      [() => 1, (i: number) => i],
      [(i: number) => 100 + (i % 50), () => 1],
    ] as const) {
      const { begun, tell } = openStalled();
      for (let i = 0; i < 10_000; i += 1) tell(app(i), user(i));
      tell(2, 20_000);
      expect(begun).toContain(2);
    }
  });
});
