import { expect, test } from 'bun:test';
import { type LevelNames, placeChoices, placeName, placeText, readPlace } from './levels.ts';

const known: LevelNames = {
  organisation: { id: 3, name: 'Acme' },
  teams: [{ id: 7, name: 'Research' }],
  members: [{ user_id: 5, username: 'ann' }],
  keys: [],
};

test('reads a place from its text form; null for anything else', () => {
  expect(readPlace(placeText({ level: 'team', level_id: 7 }))).toEqual({ level: 'team', level_id: 7 });
  for (const wrong of ['', 'team', 'team:', 'team:x', 'team:-1', 'team:1.5', 'planet:1'])
    expect(readPlace(wrong)).toBeNull();
});

test('a place is named by level and name, a deleted one by its id', () => {
  expect(placeName(known, { level: 'organisation', level_id: 3 })).toBe('The whole organisation');
  expect(placeName(known, { level: 'member', level_id: 5 })).toBe('Member ann');
  expect(placeName(known, { level: 'team', level_id: 8 })).toBe('Team 8');
});

test('offers only levels that have entries', () => {
  expect(placeChoices(known).map(({ group, items }) => [group, items.map(({ value }) => value)])).toEqual([
    ['Organisation', ['organisation:3']],
    ['Teams', ['team:7']],
    ['Members', ['member:5']],
  ]);
});
