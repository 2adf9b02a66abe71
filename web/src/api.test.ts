import { expect, test } from 'bun:test';
import { ApiError, errorOf, messageOf } from './api.ts';

test('the message is found in each of the error shapes', () => {
  expect(messageOf({ success: false, message: 'Name is taken.' }, 'x')).toBe('Name is taken.');
  expect(messageOf({ error: { message: 'No such model.', code: 'model_not_found' } }, 'x')).toBe('No such model.');
  expect(messageOf({ type: 'error', error: { type: 'a', message: 'Too long.' } }, 'x')).toBe('Too long.');
  expect(messageOf({ error: 'invalid_grant', error_description: 'Code expired.' }, 'x')).toBe('Code expired.');
  expect(messageOf({ error: 'invalid_grant' }, 'x')).toBe('invalid_grant');
  for (const body of [undefined, null, 'text', {}, { message: '' }, { error: {} }])
    expect(messageOf(body, 'x')).toBe('x');
});

test('a failed answer becomes an error with status and request id', async () => {
  const response = Response.json(
    { success: false, message: 'No.' },
    { status: 403, headers: { 'x-request-id': 'r1' } },
  );
  const error = await errorOf(response);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 403, message: 'No.', requestId: 'r1' });
});

test('an answer that is no JSON still says something', async () => {
  const error = await errorOf(new Response('<html>', { status: 502, statusText: 'Bad Gateway' }));
  expect(error).toMatchObject({ status: 502, message: 'The server answered 502 Bad Gateway.', requestId: null });
});
