import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { type ManualClock, manualClock } from '../lib/clock.ts';
import { randomString } from '../lib/ids.ts';
import { until } from '../lib/until.fixture.ts';
import { openLink, type RedisServer, startRedis } from '../platform/shared/redis-server.fixture.ts';
import { statuses } from './user.ts';

/** What was cached is not believed for longer than this while nobody can say that it has changed. */
const unheardMs = 2_000;
const redirectUri = 'https://client.example/callback';

interface Scene {
  one: TestApp;
  other: TestApp;
  root: Member;
}

/** Something that works at both processes until it is ended at one. */
interface Way {
  works(at: TestApp): Promise<boolean>;
  end(): Promise<unknown>;
}

const ok = async (answer: Promise<Response>): Promise<Response> => {
  const response = await answer;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
};
const dataOf = async <T>(answer: Promise<Response>): Promise<T> =>
  ((await (await ok(answer)).json()) as { data: T }).data;

const withKey = (key: string) => async (at: TestApp) =>
  (await at.call('/v1/models', { headers: { authorization: `Bearer ${key}` } })).ok;
const withCookie = (cookie: string) => async (at: TestApp) =>
  (await at.call('/api/user/self', { headers: { cookie } })).ok;
const withToken = (token: string) => async (at: TestApp) =>
  (await at.call('/api/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } })).ok;

async function newKey(member: Member): Promise<{ id: number; key: string }> {
  return dataOf(member.call('/api/tokens', { method: 'POST', body: { name: 'test' } }));
}

interface Application {
  id: number;
  client_id: string;
  client_secret_plain: string;
}

async function authorized({ one }: Scene): Promise<{ owner: Member; application: Application; token: string }> {
  const [owner, user] = [await one.user(), await one.user()];
  const body = { name: 'Unheard', redirect_uris: [redirectUri], scopes: 'openid profile' };
  const application = await dataOf<Application>(owner.call('/api/oauth2/applications', { method: 'POST', body }));
  const { client_id, client_secret_plain: client_secret } = application;
  const asked = { client_id, redirect_uri: redirectUri, scope: 'openid profile', approved: true };
  const { redirect_url } = await dataOf<{ redirect_url: string }>(
    user.call('/api/oauth2/authorize', { method: 'POST', body: asked }),
  );
  const code = new URL(redirect_url).searchParams.get('code');
  const grant = { grant_type: 'authorization_code', redirect_uri: redirectUri, client_id, client_secret, code };
  const answer = await ok(one.call('/api/oauth2/token', { method: 'POST', body: grant }));
  return { owner, application, token: ((await answer.json()) as { access_token: string }).access_token };
}

const ways: Record<string, (scene: Scene) => Promise<Way>> = {
  'a deleted key': async ({ one }) => {
    const member = await one.user();
    const { id, key } = await newKey(member);
    return { works: withKey(key), end: () => ok(member.call(`/api/tokens/${id}`, { method: 'DELETE' })) };
  },
  'a disabled key': async ({ one }) => {
    const member = await one.user();
    const { id, key } = await newKey(member);
    const body = { status: 2 };
    return { works: withKey(key), end: () => ok(member.call(`/api/tokens/${id}`, { method: 'PUT', body })) };
  },
  'a key of a disabled user': async ({ one, root }) => {
    const member = await one.user();
    const { key } = await newKey(member);
    return { works: withKey(key), end: () => disable(root, member) };
  },
  'a session of a disabled user': async ({ one, root }) => {
    const member = await one.user();
    return { works: withCookie(member.cookie), end: () => disable(root, member) };
  },
  'an ended session': async ({ one }) => {
    const member = await one.user();
    const [session] = await dataOf<{ id: number }[]>(member.call('/api/user/sessions'));
    const end = () => ok(member.call(`/api/user/sessions/${session!.id}`, { method: 'DELETE' }));
    return { works: withCookie(member.cookie), end };
  },
  'a revoked token': async (scene) => {
    const { application, token } = await authorized(scene);
    const { client_id, client_secret_plain: client_secret } = application;
    const body = { token, client_id, client_secret };
    return { works: withToken(token), end: () => ok(scene.one.call('/api/oauth2/revoke', { method: 'POST', body })) };
  },
  'a token of a deleted application': async (scene) => {
    const { owner, application, token } = await authorized(scene);
    const path = `/api/oauth2/applications/${application.id}`;
    return { works: withToken(token), end: () => ok(owner.call(path, { method: 'DELETE' })) };
  },
  'registration after the option is turned off': async ({ one, root }) => {
    const register = (at: TestApp) =>
      at.call('/api/user/register', {
        method: 'POST',
        body: { username: `user_${randomString(10)}`, password: 'a fine password' },
      });
    const body = { key: 'RegistrationEnabled', value: false };
    expect((await register(one)).status).toBe(200);
    return {
      works: async (at) => (await register(at)).ok,
      end: () => ok(root.call('/api/admin/options', { method: 'PUT', body })),
    };
  },
};

const disable = (root: Member, member: Member) =>
  ok(root.call(`/api/admin/users/${member.id}`, { method: 'PUT', body: { status: statuses.disabled } }));

// Two processes share PostgreSQL; a SQLite file has one.
describe.skipIf(process.env.SVC_TEST_ENGINE !== 'postgres')(
  'access ended by one process while another receives no messages',
  () => {
    let clock: ManualClock;
    let redis: RedisServer | undefined;
    let scene: Scene;
    let made: Record<string, Way>;

    /** Two processes, and every way as known to both as it can be. `through`: how the first reaches Redis. */
    const open = async (withRedis: boolean, through = (url: string) => url) => {
      clock = manualClock(Date.now());
      redis = withRedis ? await startRedis() : undefined;
      const env = { REDIS_URL: redis?.url ?? '', REDIS_PREFIX: 'unheard:', ENCRYPTION_KEY: '7'.repeat(64) };
      const one = await openTestApp({ clock, env: { ...env, REDIS_URL: redis ? through(redis.url) : '' } });
      const other = await openTestApp({ clock, env: { ...env, DATABASE_URL: one.config.databaseUrl! } });
      await one.setOption('RateLimitEnabled', false);
      await other.app.identity.options.reload();
      scene = { one, other, root: await one.root() };
      made = {};
      for (const [name, make] of Object.entries(ways)) {
        made[name] = await make(scene);
        expect(await made[name]!.works(other)).toBe(true);
      }
    };
    const close = async () => {
      await scene.other.close();
      await scene.one.close();
      await redis?.stop();
    };
    const bothHear = (heard: boolean) => () =>
      scene.one.platform.shared.healthy() === heard && scene.other.platform.shared.healthy() === heard;
    const names = Object.keys(ways);

    describe('because Redis is away', () => {
      beforeAll(async () => {
        await open(true);
        await redis!.stop();
        await until('both have noticed', bothHear(false));
      });
      afterAll(close);

      test.each(names)('%s works for at most two seconds', async (name) => {
        const { works, end } = made[name]!;
        expect(await works(scene.other)).toBe(true);
        await end();
        expect(await works(scene.one)).toBe(false);
        clock.advance(unheardMs);
        await until('the other knows', async () => !(await works(scene.other)));
      });
    });

    describe('because Redis was away', () => {
      beforeAll(async () => {
        await open(true);
        await redis!.stop();
        await until('both have noticed', bothHear(false));
        for (const { end } of Object.values(made)) await end();
        await redis!.start();
        await until('both hear again', bothHear(true));
      });
      afterAll(close);

      test.each(names)('%s stops working once it is back', async (name) => {
        await until('the other knows', async () => !(await made[name]!.works(scene.other)));
      });
    });

    describe('because the first process cannot reach Redis', () => {
      beforeAll(async () => {
        const link = openLink();
        await open(true, link.to);
        link.cut();
        await until('the other knows of it', () => !scene.other.platform.cacheSync.heard());
        expect(scene.other.platform.shared.healthy()).toBe(true);
      });
      afterAll(close);

      test.each(names)('%s works for at most two seconds', async (name) => {
        const { works, end } = made[name]!;
        await end();
        clock.advance(unheardMs);
        await until('the other knows', async () => !(await works(scene.other)));
      });
    });

    describe('because there is no Redis', () => {
      beforeAll(() => open(false));
      afterAll(close);

      test.each(names)('%s works for at most two seconds', async (name) => {
        const { works, end } = made[name]!;
        await end();
        clock.advance(unheardMs);
        await until('the other knows', async () => !(await works(scene.other)));
      });
    });
  },
);
