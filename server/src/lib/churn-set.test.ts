import { edenGC, fullGC } from 'bun:jsc';
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ChurnMap } from './churn-map.ts';
import { ChurnSet } from './churn-set.ts';

test('contains what was added and not deleted', () => {
  const items = Array.from({ length: 8 }, (_, n) => ({ n }));
  const step = fc.record({ add: fc.boolean(), at: fc.nat({ max: 7 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const set = new ChurnSet<{ n: number }>();
      let plain: { n: number }[] = [];
      for (const { add, at } of steps) {
        const item = items[at]!;
        if (add) {
          set.add(item);
          plain.push(item);
        } else {
          set.delete(item);
          plain = plain.toSpliced(plain.lastIndexOf(item), plain.includes(item) ? 1 : 0);
        }
        const inOrder = (all: Iterable<{ n: number }>) => [...all].map(({ n }) => n).sort();
        expect(inOrder(set)).toEqual(inOrder(plain));
      }
    }),
  );
});

test('deleting items during iteration does not disturb the iteration', () => {
  const set = new ChurnSet<{ n: number }>();
  const [one, two, three] = [{ n: 1 }, { n: 2 }, { n: 3 }] as const;
  for (const item of [one, two, three]) set.add(item);
  const seen: number[] = [];
  for (const item of set) {
    seen.push(item.n);
    set.delete(one);
    set.delete(two);
  }
  expect(seen).toEqual([1, 2, 3]);
  expect([...set]).toEqual([three]);
});

/** Of 5,000 that come, and go when 32 others have come, how many outlast rounds of the collector that look at what is new alone. */
async function leftOver(add: (item: object) => () => void): Promise<number> {
  const came: WeakRef<object>[] = [];
  const here: (() => void)[] = [];
  fullGC();
  for (let round = 0; round < 10; round += 1) {
    for (let i = 0; i < 500; i += 1) {
      const item = { i };
      came.push(new WeakRef(item));
      here.push(add(item));
      if (here.length > 32) here.shift()!();
    }
    // What a WeakRef was made of stays until the turn is over.
    await Bun.sleep(0);
    edenGC();
  }
  return came.filter((item) => item.deref()).length;
}

test('few deleted items survive minor garbage collections', async () => {
  const set = new ChurnSet<object>();
  const map = new ChurnMap<object>();
  let count = 0;
  const ofSet = await leftOver((item) => {
    set.add(item);
    return () => set.delete(item);
  });
  const ofMap = await leftOver((item) => {
    count += 1;
    const name = `${count}`;
    map.set(name, item);
    return () => map.delete(name);
  });
  expect(Math.max(ofSet, ofMap)).toBeLessThan(1_000);
});
