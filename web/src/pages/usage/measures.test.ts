import { expect, test } from 'bun:test';
import { axisOf } from './measures.ts';

test('where nothing was spent, the axis says so and no more', () => {
  expect(axisOf([0, 0])).toEqual({ ticks: [0], domain: [0, 1] });
  expect(axisOf([])).toEqual({ ticks: [0], domain: [0, 1] });
  expect(axisOf([0, 4])).toEqual({});
});
