import { afterAll, beforeAll, expect, test } from 'bun:test';
import { callback, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';
import { openOrigins } from './origins.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
  await t.client();
});
afterAll(() => t.app.close());

const { origin } = new URL(callback);

/** Behind the back of whoever keeps a copy. */
const move = (to: string) =>
  t.platform.database.db
    .updateTable('oauth_applications')
    .set({ redirect_uris: JSON.stringify([`${to}/callback`]) })
    .execute();

test('origins are cached until a message arrives, or for a second while messages are lost', async () => {
  let heard = true;
  let tell = (_: string) => {};
  let gap = () => {};
  const origins = openOrigins({
    db: t.platform.database.db,
    clock: t.clock,
    cacheSync: { heard: () => heard },
    announcements: {
      changed: async (tag) => tell(tag),
      onChanged: (listener, missed) => {
        tell = listener;
        gap = missed;
      },
      close: async () => {},
    },
  });
  const asked = await Promise.all([origins.has(origin), origins.has('https://other.example')]);
  expect(asked).toEqual([true, false]);
  await move('https://moved.example');
  t.clock.advance(60_000);
  expect(origins.has(origin)).toBe(true);
  tell('user:7');
  expect(origins.has(origin)).toBe(true);
  await origins.changed();
  expect(await origins.has(origin)).toBe(false);
  expect(origins.has('https://moved.example')).toBe(true);
  gap();
  const again = origins.has('https://moved.example');
  expect(again).toBeInstanceOf(Promise);
  expect(await again).toBe(true);
  await move(origin);
  heard = false;
  t.clock.advance(1_000);
  expect(await origins.has(origin)).toBe(true);
  expect(origins.has(origin)).toBe(true);
});
