import { expect, test } from 'bun:test';
import { dotsOf, letterHeight, letterWidth, simulationLabel } from './pixel-letters.ts';

const drawn = (text: string): string[] => {
  const dots = new Set(dotsOf(text).map(({ x, y }) => `${x},${y}`));
  return Array.from({ length: letterHeight }, (_, y) =>
    Array.from({ length: text.length * letterWidth }, (_, x) => (dots.has(`${x},${y}`) ? '#' : '.')).join(''),
  );
};

test('letters are drawn side by side, with a gap between', () => {
  expect(drawn('LT')).toEqual([
    '#.....#####.',
    '#.......#...',
    '#.......#...',
    '#.......#...',
    '#.......#...',
    '#.......#...',
    '#####...#...',
  ]);
});

test('every letter of the label is known; an unknown one leaves its place empty', () => {
  for (const letter of simulationLabel) expect(dotsOf(letter).length).toBeGreaterThan(0);
  expect(dotsOf('?')).toEqual([]);
  expect(dotsOf('?I')).toEqual(dotsOf('I').map(({ x, y }) => ({ x: x + letterWidth, y })));
});
