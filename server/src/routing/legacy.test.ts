import { expect, test } from 'bun:test';
import { channelOf } from './candidate.fixture.ts';
import type { Candidate } from './candidate.ts';
import { legacyCandidate, orderByTiers } from './legacy.ts';

const free = { promptPrice: 0, completionPrice: 0, requestPrice: 0 };
const of = (id: number, priority: number, weight: number) =>
  legacyCandidate(channelOf(id, { priority, weight }), 'm', 'chat', free);
const tiers = (list: Candidate[], random: () => number) => orderByTiers(list, (one) => one.channel, random);
const ids = (list: { channel: { id: number } }[]) => list.map((one) => one.channel.id);

test('tiers by priority, weighted within a tier: 3 and 1 of 4', () => {
  const list = [of(1, 0, 1), of(2, 10, 3), of(3, 10, 1), of(4, -5, 1)];
  expect(ids(tiers(list, () => 0.74))).toEqual([2, 3, 1, 4]);
  expect(ids(tiers(list, () => 0.76))).toEqual([3, 2, 1, 4]);
});

test('a channel with weight 0 comes last in its tier; if all are 0, they are equally likely', () => {
  expect(ids(tiers([of(1, 0, 0), of(2, 0, 5)], () => 0))).toEqual([2, 1]);
  expect(ids(tiers([of(1, 0, 5), of(2, 0, 0)], () => 0.999))).toEqual([1, 2]);
  expect(ids(tiers([of(1, 0, 0), of(2, 0, 0)], () => 0.6))).toEqual([2, 1]);
});

test('every channel is in the list once', () => {
  const list = Array.from({ length: 30 }, (_, i) => of(i + 1, i % 4, i % 3));
  expect(ids(tiers(list, Math.random)).sort((a, b) => a - b)).toEqual(ids(list));
});
