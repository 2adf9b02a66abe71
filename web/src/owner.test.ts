import { expect, test } from 'bun:test';
import { keyOwnerOptions, ownerBody, teamOptions } from './owner.ts';

const teams = [
  { id: 7, name: 'Research', created_at: 0 },
  { id: 8, name: 'Sales', created_at: 0 },
];
const values = (...given: Parameters<typeof keyOwnerOptions>) => keyOwnerOptions(...given).map(({ value }) => value);

test('possible owners of a key depend on role and teams', () => {
  expect(values('owner', teams, { teams: [7] })).toEqual(['me', 'me:7', 'team:7', 'team:8']);
  expect(values('member', teams, { teams: [7] })).toEqual(['me:7']);
  expect(values('member', teams, { teams: [] })).toEqual(['me']);
  expect(values('viewer', teams, { teams: [] })).toEqual([]);
  expect(teamOptions('member', teams)).toEqual([]);
  expect(teamOptions('admin', teams)).toHaveLength(2);
});

test('the chosen owner becomes a request body', () => {
  expect(['me', 'me:7', 'team:8'].map(ownerBody)).toEqual([
    { owner: 'user' },
    { owner: 'user', team_id: 7 },
    { owner: 'team', team_id: 8 },
  ]);
});
