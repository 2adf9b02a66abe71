import { expect, test } from 'bun:test';
import { faultsOf } from './check-figures.ts';

test('names each broken rule', () => {
  expect(faultsOf('server/src/a.ts', 'export const a = 1;\n')).toEqual([]);
  expect(faultsOf('server/src/a.ts', 'x\n'.repeat(351))).toHaveLength(1);
  expect(faultsOf('server/src/a.test.ts', 'x\n'.repeat(351))).toEqual([]);
  expect(faultsOf('web/src/utils/a.ts', '')).toHaveLength(1);
  expect(faultsOf('server/src/lib/a.ts', 'process.env.X')).toHaveLength(1);
  expect(faultsOf('server/src/config.ts', 'process.env.X')).toEqual([]);
  expect(faultsOf('web/src/Button.tsx', '')).toHaveLength(1);
});
