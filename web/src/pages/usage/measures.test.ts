import { expect, test } from 'bun:test';
import { axisOf } from './measures.ts';

test('without usage the axis shows only zero', () => {
  expect(axisOf([0, 0])).toEqual({ ticks: [0], domain: [0, 1] });
  expect(axisOf([])).toEqual({ ticks: [0], domain: [0, 1] });
  expect(axisOf([0, 4])).toEqual({});
});
