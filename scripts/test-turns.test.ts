import { expect, test } from 'bun:test';
import { resolve } from 'node:path';
import { findTests } from './test-files.ts';
import { ofTurn, turnOfRun, turns } from './test-turns.ts';

const all = Array.from({ length: turns }, (_, index) => index + 1);
const files = [...(await findTests('server', [])), ...(await findTests('e2e', []))];

test.each(['sqlite', 'postgres'] as const)(
  'all turns together run every file on %s, and none by accident twice',
  (engine) => {
    const runs = all.map((turn) => ofTurn(files, turn, engine));
    expect([...new Set(runs.flat())].sort()).toEqual([...files].sort());
    const each = files.filter((file) => runs.every((run) => run.includes(file)));
    for (const run of runs) expect(run.length).toBeLessThan(files.length);
    expect(runs.flat().length).toBe(each.length * turns + (files.length - each.length));
  },
);

test('tests about money run every time, on both engines', () => {
  for (const turn of all)
    for (const engine of ['sqlite', 'postgres'] as const) {
      const run = ofTurn(files, turn, engine);
      for (const file of files)
        if (
          /\/(billing|topups|organisations|batches|video)\/|\/paid-once|\/credits-once|last-unit|books\.property/.test(
            file,
          )
        )
          expect(run).toContain(file);
    }
});

test('the turn follows the hour, or the requested one', () => {
  const seen = [0, 1, 14, 15, 16].map((hour) => turnOfRun('', hour * 3_600_000));
  expect(seen).toEqual([1, 2, 15, 16, 1]);
  expect(turnOfRun('2', 0)).toBe(2);
  expect(ofTurn([resolve('e2e/web-keys.test.ts')], turnOfRun('all'))).toHaveLength(1);
  for (const wrong of ['0', '17', '1.5', 'some']) expect(() => turnOfRun(wrong)).toThrow('SVC_TURN is 1 to 16');
});
