import { expect, test } from 'bun:test';
import { distinctIds, findNames } from './find-names.ts';

/** Applications 1 to 12 without the deleted 5, newest first, three a page. */
function list() {
  const ids = [12, 11, 10, 9, 8, 7, 6, 4, 3, 2, 1];
  const asked: number[] = [];
  const read = async (page: number) => {
    asked.push(page);
    const shown = ids.slice((page - 1) * 3, page * 3);
    return { names: Object.fromEntries(shown.map((id) => [id, `app ${id}`])), last: page * 3 >= ids.length };
  };
  return { read, asked };
}

test('reads no further than the ids that are asked for', async () => {
  const { read, asked } = list();
  expect(await findNames([9, 12], read, 10)).toEqual({ 9: 'app 9', 12: 'app 12' });
  expect(asked).toEqual([1, 2]);
});

test('what is not there is given up once its place has been passed', async () => {
  const { read, asked } = list();
  expect(await findNames([5], read, 10)).toEqual({});
  expect(asked).toEqual([1, 2, 3]);
});

test('never reads more pages than allowed, nor beyond the last', async () => {
  const few = list();
  expect(await findNames([1, 12], few.read, 2)).toEqual({ 12: 'app 12' });
  expect(few.asked).toEqual([1, 2]);
  const all = list();
  await findNames([-1], all.read, 99);
  expect(all.asked).toEqual([1, 2, 3, 4]);
});

test('nothing asked, nothing read; an empty list ends it', async () => {
  const { read, asked } = list();
  expect(await findNames([], read, 10)).toEqual({});
  expect(asked).toEqual([]);
  expect(await findNames([3], async () => ({ names: {}, last: true }), 10)).toEqual({});
});

test('ids are asked for once each', () => {
  expect(distinctIds([7, null, 3, 7, null])).toEqual([3, 7]);
});
