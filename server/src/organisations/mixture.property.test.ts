import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import type { Member } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { addUpstream } from '../relay/scripted-upstream.fixture.ts';
import { answerOf, checkBooks, models, openScene, type Step, step, take } from './mixture.fixture.ts';
import { openWorld, type World } from './organisations.fixture.ts';

/**
 * Money of an organisation over the real endpoints: whatever members ask, and owners change meanwhile, what was credited to each
 * account is its balance, what it used and what videos hold, and of each budget the same is true.
 */
setDefaultTimeout(600_000);
const usual = process.env.SVC_TEST_ENGINE === 'postgres' ? 15 : 40;
const runs = process.env.SVC_LONG ? 500 : usual;

const clock = manualClock(Date.UTC(2026, 9, 24, 20));
let world: World;
let owner: Member;
beforeAll(async () => {
  world = await openWorld({ clock });
  owner = await world.t.user();
  world.upstream.answer(answerOf);
  await addUpstream(world.t, world.upstream.url, models);
});
afterAll(() => world.close());

const daily: Step = { kind: 'budget', level: 'organisation', window: 'day', amount: 0, hard: false };
const asking: Step = { kind: 'ask', who: 0, model: 'm', stream: false, text: 'fine 1' };
const film: Step = { kind: 'film', who: 0 };
const moved = ['Asia/Kolkata', 'UTC'].map((zone): Step => ({ kind: 'zone', zone }));
/** A window began, or moved, while another call moved it. */
const examples: Step[][][] = [
  [[daily], [asking, moved[0]!]],
  [[daily], [film], [...moved, asking]],
];

test('credits are balance, usage and holds, and so are budgets, after any mixture of requests and changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 8 }), async (rounds) => {
      const at = await openScene(world, owner, clock);
      for (const round of rounds) {
        await Promise.all(round.map((one) => take(at, one)));
        await checkBooks(at);
      }
      expect((await world.send(owner, 'DELETE', at.path(''))).status).toBe(200);
      await checkBooks({ ...at, budgets: async () => [] });
    }),
    { numRuns: runs, examples: examples.map((rounds) => [rounds]) },
  );
});
