import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from './app.fixture.ts';
import { openWorld, type World } from './organisations/organisations.fixture.ts';

let world: World;
let ann: Member;

beforeAll(async () => {
  world = await openWorld();
  ann = await world.t.user();
  await world.credit(ann.id, 10_000);
});
afterAll(() => world.close());

interface Figures {
  requests_last_hour: number;
  success_rate_last_hour: number;
}

const read = async <T>(path: string) => (await world.send<T>(ann, 'GET', path)).data;

test('a first request is visible right away', async () => {
  expect((await world.ask(await ann.key())).status).toBe(200);
  const seen = { requests_last_hour: 1, success_rate_last_hour: 1 };
  const { metrics } = await read<{ metrics: Figures[] }>('/api/routing/metrics?model_id=m');
  expect(metrics).toMatchObject([{ ...seen, total_requests: 1 }]);
  const { models } = await read<{ models: { id: string; health: Figures }[] }>('/api/models');
  expect(models.find(({ id }) => id === 'm')?.health).toMatchObject(seen);
});
