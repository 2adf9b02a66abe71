import { expect, test } from 'bun:test';
import { readUpstreamError } from '../providers/kind/errors.ts';
import { appErrorOf } from './errors.ts';

test.each([
  [413, 'request_too_large'],
  [400, 'upstream_refused'],
  [422, 'upstream_refused'],
])('an upstream’s %i becomes %s with the same status', (status, code) => {
  const error = appErrorOf(readUpstreamError(status, new Headers(), '{"error":{"message":"no"}}'));
  expect(error).toMatchObject({ code, message: 'no', extras: { status } });
});
