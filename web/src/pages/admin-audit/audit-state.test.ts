import { expect, test } from 'bun:test';
import { auditDefaults, csvAddress, filterOf } from './audit-state.ts';

test('only what is set, and makes sense, filters', () => {
  expect(filterOf(auditDefaults)).toEqual({});
  expect(filterOf({ ...auditDefaults, event: 'app_created', application: 'x', user: '7', from: '2026-01-31' })).toEqual(
    {
      event_type: 'app_created',
      user_id: 7,
      from: 1_769_817_600,
    },
  );
});

test('the download has the same filter', () => {
  const state = { ...auditDefaults, application: '3', to: '2026-01-31', page: '4' };
  expect(csvAddress(state)).toBe('/api/oauth2/admin/audit?format=csv&application_id=3&to=1769903999');
});
