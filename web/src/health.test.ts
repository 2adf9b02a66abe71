import { expect, test } from 'bun:test';
import { healthOf } from './health.ts';

test('with a closed circuit, health follows the success rate', () => {
  const word = (rate: number, samples = 10) => healthOf('closed', rate, samples).label;
  expect([word(1), word(0.9), word(0.89), word(0.5), word(0.49), word(0)]).toEqual([
    'Healthy',
    'Healthy',
    'Unstable',
    'Unstable',
    'Failing',
    'Failing',
  ]);
  expect(word(1, 0)).toBe('Not measured');
});

test('a circuit that is not closed is shown as its state, whatever the success rate', () => {
  expect(healthOf('open', 1, 10).label).toBe('Circuit open');
  expect(healthOf('half_open', 0, 0).label).toBe('Probing');
  expect(healthOf('odd', 1, 10)).toEqual({ label: 'odd', color: 'gray' });
});
