import { describe, expect, test } from 'bun:test';
import { appErrorOf } from '../../wire/errors.ts';
import { readEmbeddedError, readUpstreamError } from './errors.ts';

const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  readUpstreamError(status, new Headers(headers), typeof body === 'string' ? body : JSON.stringify(body));

describe('readUpstreamError', () => {
  test('context length errors of every vendor are the caller’s', () => {
    const messages = [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      'prompt is too long: 210000 tokens > 200000 maximum',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      'Please reduce the length of the messages or completion.',
    ];
    for (const message of messages) {
      const error = read(400, { error: { message, type: 'invalid_request_error' } });
      expect(error).toMatchObject({ kind: 'caller', code: 'context_length_exceeded' });
      expect(appErrorOf(error)).toMatchObject({ code: 'context_length_exceeded', status: 400, message });
    }
  });

  test('a content filter is the caller’s error, with the upstream’s message and field', () => {
    const error = read(400, { error: { message: 'filtered', code: 'content_filter', param: 'prompt' } });
    expect(error).toMatchObject({ kind: 'caller', code: 'content_filter', param: 'prompt' });
    expect(appErrorOf(error)).toMatchObject({ status: 400, message: 'filtered' });
    expect(read(403, { error: { message: 'Your input was flagged', code: 403 } }).kind).toBe('caller');
  });

  test('forwards only the retry headers of an error', () => {
    const error = read(
      429,
      { error: { message: 'slow down' } },
      { 'retry-after': '7', 'retry-after-ms': '7000', 'x-should-retry': 'true', server: 'x' },
    );
    expect(error.kind).toBe('busy');
    expect(error.headers).toEqual({ 'retry-after': '7', 'retry-after-ms': '7000', 'x-should-retry': 'true' });
    expect(appErrorOf(error)).toMatchObject({
      status: 429,
      code: 'capacity_exhausted',
      extras: { headers: error.headers },
    });
  });

  test('forwards no wait that no limit needs, with a refusal of the request, too', () => {
    const far = { 'retry-after': '99999999999', 'retry-after-ms': '99999999999999' };
    const { kind, headers } = read(400, { error: { message: 'no' } }, far);
    expect({ kind, headers }).toEqual({
      ...{ kind: 'caller', headers: { 'retry-after': '86400', 'retry-after-ms': '86400000' } },
    });
  });

  test('an upstream failure is never the caller’s error, and its details are hidden', () => {
    const cases: [number, unknown, string][] = [
      [500, 'Internal', 'failure'],
      [503, '<html>', 'failure'],
      [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'failure'],
      [404, { error: { message: 'The model `x` does not exist', code: 'model_not_found' } }, 'failure'],
      [408, {}, 'failure'],
      [302, '', 'failure'],
      [401, { error: { message: 'Incorrect API key provided: sk-abc*****def' } }, 'auth'],
      [402, { error: { message: 'Insufficient credits' } }, 'auth'],
      [403, { error: { message: 'Country not supported' } }, 'auth'],
      [
        400,
        {
          error: {
            code: 400,
            message: 'API key not valid.',
            status: 'INVALID_ARGUMENT',
            details: [{ reason: 'API_KEY_INVALID' }],
          },
        },
        'auth',
      ],
      [
        400,
        { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
        'auth',
      ],
    ];
    for (const [status, body, kind] of cases) {
      const error = read(status, body);
      expect(error.kind).toBe(kind as never);
      const shown = appErrorOf(error);
      expect(shown.status).toBe(502);
      expect(shown.message).not.toContain('sk-');
      expect(shown.message).toBe('The provider could not answer this request.');
    }
    expect(appErrorOf({ kind: 'failure', status: 504, message: 'slow', headers: {} })).toMatchObject({
      code: 'timeout',
      status: 504,
    });
  });

  test('words of the request that resemble a channel problem do not change the kind of error', () => {
    const message = "Invalid schema for function 'get_billing_api_key'";
    expect(read(400, { error: { message } }).kind).toBe('caller');
    expect(read(422, { detail: [{ loc: ['body', 'x'], msg: 'bad' }] })).toMatchObject({ kind: 'caller' });
  });

  test('credentials are redacted from messages', () => {
    expect(read(400, { error: { message: 'bad sk-proj-abcdefgh1234 and AIzaSyD1234567890' } }).message).toBe(
      'bad [redacted] and [redacted]',
    );
  });

  test('error bodies of any shape are read', () => {
    expect(read(400, { message: 'm' }).message).toBe('m');
    expect(read(400, { error: 'e' }).message).toBe('e');
    expect(read(400, [{ error: { message: 'l' } }]).message).toBe('l');
    expect(read(400, '').message).toBe('the upstream returned 400');
  });
});

test('errors in answers with status 200 are failures unless they say otherwise', () => {
  expect(readEmbeddedError({ error: { message: 'x' } })).toMatchObject({ kind: 'failure', status: 502 });
  expect(readEmbeddedError({ error: { message: 'x', code: 429 } }).kind).toBe('busy');
  expect(readEmbeddedError({ error: { message: 'x', type: 'invalid_request_error' } }).kind).toBe('caller');
  expect(readEmbeddedError({ error: 'boom' })).toMatchObject({ kind: 'failure', message: 'boom' });
});
