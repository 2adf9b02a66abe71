import { expect, test } from 'bun:test';
import { portionOf } from './sources-queries.ts';

const file = (mebibytes: number): File => ({ size: mebibytes * 1_048_576 }) as File;
const files = (count: number, mebibytes = 0.001): File[] => Array.from({ length: count }, () => file(mebibytes));

test.each<[string, File[], number]>([
  ['no more than a request may have', files(25), 20],
  ['exactly as many', files(20), 20],
  ['as many as fit in its size', files(9, 9), 3],
  ['none of those that are too large count', [...files(15, 40), ...files(3, 10)], 18],
  ['a single one', files(1, 10), 1],
])('a portion has %s', (_, given, count) => expect(portionOf(given)).toHaveLength(count));
