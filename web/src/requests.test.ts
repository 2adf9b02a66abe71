import { expect, test } from 'bun:test';
import { callsOf, endingOf, groupRequests, sumOf, type UsageLog } from './requests.ts';

const log = (id: number, parent: string | null = null, more: Partial<UsageLog> = {}) =>
  ({ id, parent_request_id: parent, quota: id, status: 'ok', ...more }) as UsageLog;

test('calls of one turn or run are grouped at the position of the newest', () => {
  const rows = groupRequests([log(5), log(4, 'req_a'), log(3), log(2, 'req_a'), log(1, 'exec-b')]);
  expect(rows.map(({ parent, logs }) => [parent, logs.map(({ id }) => id)])).toEqual([
    [null, [5]],
    ['req_a', [4, 2]],
    [null, [3]],
    ['exec-b', [1]],
  ]);
  expect(sumOf(rows[1]!, 'quota')).toBe(6);
  expect(rows.filter(({ parent }) => parent).map(callsOf)).toEqual(['2 calls of one turn', '1 call of one run']);
});

test('a group with a failed call is shown as failed', () => {
  expect(endingOf({ logs: [log(2), log(1, null, { status: 'interrupted' })] })).toEqual({
    label: 'Interrupted',
    ok: false,
  });
  expect(endingOf({ logs: [log(2)] }).ok).toBe(true);
});
