import { expect, test } from 'bun:test';
import { describeSoak, faultsOf, soak } from './soak.ts';

test('mixed full load leaks no memory, file descriptors or other resources', async () => {
  const soaked = await soak(({ requests }) => requests < 15_000);
  console.log(describeSoak(soaked));
  expect(faultsOf(soaked)).toEqual([]);
}, 1_800_000);
