import { expect, test } from 'bun:test';
import { sumOf } from '../../requests.ts';
import { groupLines, type RequestLine, singleLines, worstOf } from './request-lines.ts';

const whole = { newer: false, older: false };

const line = (request_id: string, parent_request_id: string | null, more: Partial<RequestLine> = {}): RequestLine => ({
  ...{ request_id, parent_request_id, status: 'ok', user_id: 1, token_id: null, application: null, model: 'm' },
  ...{ endpoint: '/v1/chat/completions', provider: 'p', prompt_tokens: 2, completion_tokens: 1, quota: 3 },
  ...{ saved_quota: 0, stream: false, duration_ms: 1, error: null, created_at: 1, ...more },
});

test('calls of one turn are grouped at the position of the newest', () => {
  const groups = groupLines([line('a', 'req_1'), line('b', null), line('c', 'req_1'), line('d', null)], whole);
  expect(groups.map(({ calls }) => calls.map(({ request_id }) => request_id))).toEqual([['a', 'c'], ['b'], ['d']]);
  expect(groups.map(({ parent }) => parent)).toEqual(['req_1', null, null]);
  expect(sumOf(groups[0]!, 'quota')).toBe(6);
});

test('two entries with the same id get different keys', () => {
  for (const together of [groupLines, singleLines]) {
    const groups = together([line('a', null), line('a', null, { status: 'failed' })], whole);
    expect(new Set(groups.map(({ key }) => key)).size).toBe(2);
  }
});

test('a group shows a failed call first, then an aborted one, then a successful one', () => {
  const [ok, aborted, failed] = [
    line('a', 'p'),
    line('b', 'p', { status: 'aborted' }),
    line('c', 'p', { status: 'failed' }),
  ];
  expect(worstOf({ calls: [ok, aborted, failed] }).request_id).toBe('c');
  expect(worstOf({ calls: [ok, aborted] }).request_id).toBe('b');
  expect(worstOf({ calls: [ok] }).request_id).toBe('a');
});
