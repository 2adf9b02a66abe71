import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from './app.fixture.ts';
import { until } from './lib/until.fixture.ts';
import { addUpstream, scriptedUpstream } from './relay/scripted-upstream.fixture.ts';

/** Streams that last as long as work in the background: one account must not hold any number of connections. */
let service: TestApp;
const released = Promise.withResolvers<void>();
const upstream = scriptedUpstream(async () => {
  await released.promise;
  return new Response(null, { status: 500 });
});

beforeAll(async () => {
  service = await openTestApp({ env: { DEMO_PROVIDER: 'off' } });
  await service.setOption('RateLimitEnabled', false);
  await service.app.start();
  await addUpstream(service, upstream.url, [{ model_id: 'slow/one', type: 'chat' }]);
});
afterAll(async () => {
  released.resolve();
  await service.close();
  await upstream.close();
});

type Send = (path: string, body?: unknown) => Promise<Response>;

/** Begins work that goes on for long; returns the address of its events, and how many may follow it at once. */
const followed: Record<string, { most: number; begin(send: Send): Promise<string> }> = {
  'a run': {
    most: 1_500,
    begin: async (send) => {
      const begun = await send('/api/svc-ms/autonomous/execute', { message: 'tea' });
      return ((await begun.json()) as { events_url: string }).events_url;
    },
  },
  'a response in the background': {
    most: 1_000,
    begin: async (send) => {
      const begun = await send('/v1/responses', { model: 'slow/one', input: 'tea', background: true });
      return `/v1/responses/${((await begun.json()) as { id: string }).id}?stream=true`;
    },
  },
};

const caller = async (): Promise<Send> => {
  const headers = { authorization: `Bearer ${await (await service.user()).key()}` };
  return (path, body) => service.call(path, { headers, ...(body !== undefined && { method: 'POST', body }) });
};

test.each(Object.entries(followed))(
  '%s has a limited number of followers per user',
  async (_what, { most, begin }) => {
    const one = await caller();
    const path = await begin(one);
    const open: Response[] = [];
    for (let i = 0; i < most; i += 1) open.push(await one(path));
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await one(path);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain(`${most} open streams`);
    // Another user is not concerned, and whoever leaves makes room.
    const other = await caller();
    open.push(await other(await begin(other)));
    expect(open.at(-1)!.status).toBe(200);
    await open.shift()!.body!.cancel();
    await until('there is room again', async () => {
      const again = await one(path);
      open.push(again);
      return again.status === 200;
    });
    for (const { body } of open) await body?.cancel();
  },
  120_000,
);
