import { expect, test } from 'bun:test';
import { callsOf, endingOf, groupRequests, leastMark, sumOf, type UsageLog } from './requests.ts';

const log = (id: number, parent: string | null = null, more: Partial<UsageLog> = {}) =>
  ({ id, parent_request_id: parent, quota: id, status: 'ok', ...more }) as UsageLog;

test('calls of one turn or run are grouped at the position of the newest', () => {
  const logs = [log(5), log(4, 'req_a'), log(3), log(2, 'req_a'), log(1, 'exec-b')];
  const rows = groupRequests(logs, { newer: false, older: false });
  expect(rows.map(({ parent, calls }) => [parent, calls.map(({ id }) => id)])).toEqual([
    [null, [5]],
    ['req_a', [4, 2]],
    [null, [3]],
    ['exec-b', [1]],
  ]);
  expect(sumOf(rows[1]!, 'quota')).toBe(6);
  expect(rows.filter(({ parent }) => parent).map(callsOf)).toEqual(['2 calls of one turn', '1 call of one run']);
});

test('what other pages may have more of is counted as at least', () => {
  const logs = [log(9, 'req_new'), log(8, 'exec-b'), log(7, 'req_mid'), log(6), log(5, 'exec-b'), log(4, 'req_old')];
  const partial = (newer: boolean, older: boolean) =>
    groupRequests(logs, { newer, older }).flatMap((row) => (row.partial ? row.parent : []));
  expect(partial(false, false)).toEqual([]);
  expect(partial(false, true)).toEqual(['exec-b', 'req_old']);
  expect(partial(true, false)).toEqual(['req_new', 'exec-b']);
  const run = groupRequests(logs, { newer: false, older: true })[1]!;
  expect([callsOf(run), leastMark(run)]).toEqual(['At least 2 calls of one run', '≥\u00a0']);
});

test('a group with a failed call is shown as failed', () => {
  expect(endingOf({ calls: [log(2), log(1, null, { status: 'interrupted' })] })).toEqual({
    label: 'Interrupted',
    ok: false,
  });
  expect(endingOf({ calls: [log(2)] }).ok).toBe(true);
});
