import { expect, test } from 'bun:test';
import { actDetails, actWords } from './act-words.ts';
import type { LevelNames } from './levels.ts';

const known: LevelNames = {
  organisation: { id: 3, name: 'Acme' },
  teams: [{ id: 7, name: 'Research' }],
  members: [{ user_id: 5, username: 'ann' }],
  keys: [],
};
const details = (metadata: Record<string, unknown>, action = '') =>
  actDetails({ action, metadata, after: null }, known);

test('audit entries are described in words', () => {
  const budget = {
    budget_id: 1,
    level: 'team',
    level_id: 7,
    window: 'month',
    amount: 250_000,
    hard: true,
    alerts: [1],
  };
  expect(details(budget)).toBe('Team Research, $0.50, per month, rejects requests over budget');
  expect(details({ invitation_id: 1, role: 'viewer', email: '', team_id: null })).toBe('as viewer, by link');
  expect(details({ team_id: 9, user_id: 5 })).toBe('Team 9, Member ann');
  expect(details({ requests_per_minute: 600, tokens_per_minute: 0, models: [], providers: ['x', 'y'] })).toBe(
    '600 requests per minute, providers: x, y',
  );
  expect(details({ team_id: 7, name: 'Research' }, 'team_created')).toBe('Research');
  expect(details({ team_id: 7, name: 'robot' }, 'organisation_key_created')).toBe('robot, Team Research');
  expect(
    actDetails(
      { action: 'mcp_server_created', metadata: {}, after: { mcp_server: 'files_3', name: 'files_3', enabled: true } },
      known,
    ),
  ).toBe('files_3, enabled');
  expect(details({ mcp_server: 'files_3', tools: [{ name: 'read' }, { name: 'find' }] }, 'mcp_tools_set')).toBe(
    'files_3, tools: read, find',
  );
  expect(details({})).toBe('');
  expect([actWords({ action: 'limits_set' }), actWords({ action: 'unheard_of' })]).toEqual([
    'Set limits',
    'unheard_of',
  ]);
});
