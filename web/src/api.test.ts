import { expect, test } from 'bun:test';
import { ApiError, errorOf, messageOf } from './api.ts';

test('reads the message from every error shape', () => {
  expect(messageOf({ success: false, message: 'Name is taken.' }, 'x')).toBe('Name is taken.');
  expect(messageOf({ error: { message: 'No such model.', code: 'model_not_found' } }, 'x')).toBe('No such model.');
  expect(messageOf({ type: 'error', error: { type: 'a', message: 'Too long.' } }, 'x')).toBe('Too long.');
  expect(messageOf({ error: 'invalid_grant', error_description: 'Code expired.' }, 'x')).toBe('Code expired.');
  expect(messageOf({ error: 'invalid_grant' }, 'x')).toBe('invalid_grant');
  for (const body of [undefined, null, 'text', {}, { message: '' }, { error: {} }])
    expect(messageOf(body, 'x')).toBe('x');
});

test('a failed response becomes an error with status and request id', async () => {
  const response = Response.json(
    { success: false, message: 'No.' },
    { status: 403, headers: { 'x-request-id': 'r1' } },
  );
  const error = await errorOf(response);
  const openai = Response.json({ error: { message: 'No.', code: 'insufficient_user_quota' } }, { status: 403 });
  expect((await errorOf(openai)).code).toBe('insufficient_user_quota');
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 403, message: 'No.', requestId: 'r1' });
});

test.each([
  [404, 'Not Found', 'The server responded with 404 Not Found.'],
  [502, 'Bad Gateway', 'The service is not responding (502 Bad Gateway). Try again in a minute.'],
  // Over HTTP/2 a status has no words.
  [503, '', 'The service is not responding (503). Try again in a minute.'],
])('a response that is not JSON gets a message from its status: %s %s', async (status, statusText, message) => {
  const error = await errorOf(new Response('<html>', { status, statusText }));
  expect(error).toMatchObject({ status, message, requestId: null });
});

test.each([
  ['7', 7_000],
  [null, 0],
  ['-3', 0],
  ['Wed, 21 Oct 2026 07:28:00 GMT', 0],
  ['99999999999', 3_600_000],
])('reads the delay from Retry-After: %s', async (value, retryAfterMs) => {
  const headers = new Headers(value === null ? {} : { 'retry-after': value });
  expect(await errorOf(new Response('{}', { status: 429, headers }))).toMatchObject({ retryAfterMs });
});
