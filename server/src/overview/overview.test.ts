import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { openWorld, price, type World } from '../organisations/organisations.fixture.ts';
import { widthOf } from './spans.ts';

interface Sums {
  requests: number;
  failures: number;
  quota: number;
  p50_ms: number | null;
}
interface Overview {
  width_seconds: number;
  total: Sums;
  series: { id: number | null; name: string | null; rest: boolean; total: Sums; points: (Sums & { at: number })[] }[];
}

let world: World;
let ann: Member;
let bob: Member;
let channelId: number;

const read = async (query = '', by = world.root) => {
  const { status, data } = await world.send<Overview>(by, 'GET', `/api/admin/overview${query}`);
  return { status, ...data };
};
/** Name, answered, failed, cost. */
const brief = ({ series }: Overview) =>
  series.map(({ name, total: { requests, failures, quota } }) => [name, requests, failures, quota]);

beforeAll(async () => {
  world = await openWorld();
  ann = await world.t.user();
  bob = await world.t.user();
  for (const { id } of [ann, bob]) await world.credit(id, 10_000);
  const [first, second] = [await ann.key(), await bob.key()];
  for (const model of ['m', 'm', 'other']) expect((await world.ask(first, model)).status).toBe(200);
  expect((await world.ask(second, 'm')).status).toBe(200);
  expect((await world.ask(second, 'made-up')).status).toBe(404);
  const { data } = await world.send<{ channels: { id: number }[] }>(world.root, 'GET', '/api/admin/channels');
  channelId = data.channels[0]!.id;
  await until('what failed is written', async () => (await read()).total.failures === 1);
});
afterAll(() => world.close());

test('sums by user, model and channel match the charges', async () => {
  const byModel = await read();
  expect(byModel.total).toMatchObject({ requests: 4, failures: 1, quota: 4 * price });
  expect(byModel.total.p50_ms).toBeGreaterThan(0);
  expect(brief(byModel)).toEqual([
    ['m', 3, 0, 3 * price],
    ['other', 1, 0, price],
    ['', 0, 1, 0],
  ]);
  const byUser = await read('?by=user');
  expect(brief(byUser)).toEqual([
    [ann.username, 3, 0, 3 * price],
    [bob.username, 1, 1, price],
  ]);
  expect(byUser.series.map(({ id }) => id)).toEqual([ann.id, bob.id]);
  const byChannel = await read('?by=channel');
  expect(byChannel.series.map(({ id, total }) => [id, total.requests])).toEqual([
    [channelId, 4],
    [0, 0],
  ]);
  for (const { series } of [byModel, byUser, byChannel])
    for (const { total, points } of series)
      expect(points.reduce((sum, { requests }) => sum + requests, 0)).toBe(total.requests);
});

test('filters apply to every grouping', async () => {
  expect(brief(await read(`?user_id=${ann.id}`))).toEqual([
    ['m', 2, 0, 2 * price],
    ['other', 1, 0, price],
  ]);
  expect(brief(await read('?by=user&model=m'))).toEqual([
    [ann.username, 2, 0, 2 * price],
    [bob.username, 1, 0, price],
  ]);
  expect(brief(await read(`?by=user&channel_id=${channelId}&user_id=${bob.id}`))).toEqual([
    [bob.username, 1, 0, price],
  ]);
  expect((await read('?by=user&measure=failures')).series.map(({ name }) => name)).toEqual([bob.username, null]);
  expect((await read('?model=none')).series).toEqual([]);
});

test('invalid ranges are rejected, and other users are refused', async () => {
  const now = Math.floor(Date.now() / 1000);
  for (const query of ['?from=9&to=8', '?from=0', '?by=key', `?from=${now + 10_000}`, '?from=x'])
    expect([query, (await read(query)).status]).toEqual([query, 400]);
  expect((await read('', ann)).status).toBe(403);
  expect((await read(`?from=${now - 7_200}&to=${now - 3_700}`)).total.requests).toBe(0);
});

test('the width of a point fits the range and the stored resolution', () => {
  const now = 1_800_000_000;
  const hour = 3_600;
  const width = (hoursAgo: number, hours: number) =>
    widthOf(now - hoursAgo * hour, now - (hoursAgo - hours) * hour, now);
  expect(width(1, 1)).toBe(300);
  expect(width(24, 24)).toBe(hour);
  expect(width(24, 1)).toBe(hour);
  expect(width(7 * 24, 7 * 24)).toBe(6 * hour);
  expect(width(30 * 24, 30 * 24)).toBe(24 * hour);
  expect(width(30 * 24, 1)).toBe(24 * hour);
});
