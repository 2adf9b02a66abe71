import { afterAll, expect, test } from 'bun:test';
import { openDirectory } from './directory.fixture.ts';

const { directory, world } = await openDirectory();
afterAll(() => world.close());

test('discovery lists the supported features, resource types and schemas', async () => {
  expect((await directory('GET', '/ServiceProviderConfig')).body).toMatchObject({ patch: { supported: true } });
  for (const [path, ids] of [
    ['/ResourceTypes', ['User', 'Group']],
    ['/Schemas', ['urn:ietf:params:scim:schemas:core:2.0:User', 'urn:ietf:params:scim:schemas:core:2.0:Group']],
  ] as const) {
    const { body } = await directory('GET', path);
    expect(body.Resources.map((one) => one.id)).toEqual([...ids]);
    for (const one of ids) expect((await directory('GET', `${path}/${one}`)).body.id).toBe(one);
  }
  expect((await directory('GET', '/Schemas?filter=id eq "a"')).status).toBe(403);
});

test('a directory over its rate limit gets 429', async () => {
  await world.t.setOption('RateLimitEnabled', true);
  await world.t.setOption('RateLimitScim', 1);
  await directory('GET', '/Users');
  const { status, body } = await directory('GET', '/Users');
  await world.t.setOption('RateLimitEnabled', false);
  expect(status).toBe(429);
  expect(body.status).toBe('429');
});
