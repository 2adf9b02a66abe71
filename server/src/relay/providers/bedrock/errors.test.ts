import { describe, expect, test } from 'bun:test';
import { appErrorOf } from '../../wire/errors.ts';
import { readEmbeddedError } from '../kind/errors.ts';
import { bedrockError, exceptionEvent } from './errors.ts';

const docs = 'http://internal.amazon.com/coral/com.amazon.bedrock/';
const refusals: [name: string, status: number, message: string, kind: string, told: number][] = [
  ['ThrottlingException', 429, 'Too many tokens, please wait before trying again.', 'busy', 429],
  ['ThrottlingException', 400, 'Too many requests', 'busy', 429],
  ['ServiceQuotaExceededException', 400, 'Your request exceeds the service quota', 'busy', 429],
  ['ModelNotReadyException', 429, 'Model is not ready for inference.', 'busy', 429],
  ['AccessDeniedException', 403, "You don't have access to the model with the specified model ID.", 'auth', 502],
  ['UnrecognizedClientException', 403, 'The security token included in the request is invalid.', 'auth', 502],
  ['ExpiredTokenException', 403, 'The security token included in the request is expired', 'auth', 502],
  ['InvalidSignatureException', 403, 'Signature not yet current', 'auth', 502],
  ['ValidationException', 400, 'messages.0.content.0.image.source: too large', 'caller', 400],
  ['ValidationException', 400, 'The provided model identifier is invalid.', 'failure', 502],
  [
    'ValidationException',
    400,
    'Invocation of model ID anthropic.claude-x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
    'failure',
    502,
  ],
  ['ResourceNotFoundException', 404, 'Could not resolve the foundation model from the provided id.', 'failure', 502],
  ['ModelTimeoutException', 408, 'Model has timed out in processing the request.', 'failure', 502],
  ['ModelErrorException', 424, 'The system encountered an unexpected error.', 'failure', 502],
  ['InternalServerException', 500, 'The system encountered an unexpected error', 'failure', 502],
  ['ServiceUnavailableException', 503, 'Bedrock is unable to process your request.', 'failure', 502],
];

describe('error responses', () => {
  test.each(refusals)('%s, %d: %s', (name, status, message, kind, told) => {
    const headers = new Headers({ 'x-amzn-errortype': `${name}:${docs}` });
    for (const body of [{ message }, { Message: message }]) {
      const error = bedrockError(status, headers, JSON.stringify(body));
      expect(error).toMatchObject({ kind, message } as object);
      expect(appErrorOf(error).status).toBe(told);
    }
    const typed = { __type: `com.amazon.coral.service#${name}`, message };
    expect(bedrockError(status, new Headers(), JSON.stringify(typed)).kind).toBe(kind as never);
  });

  test.each([
    'Input is too long for requested model.',
    'The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum',
    'Too many input tokens. Max input tokens: 8192, request input token count: 9001',
    'input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000',
  ])('a prompt that is too long is an error of the caller: %s', (message) => {
    const headers = new Headers({ 'x-amzn-errortype': 'ValidationException' });
    expect(bedrockError(400, headers, JSON.stringify({ message }))).toMatchObject({
      kind: 'caller',
      code: 'context_length_exceeded',
    });
  });

  test('without an error name or message the status decides', () => {
    expect(bedrockError(503, new Headers(), '<html>').kind).toBe('failure');
    expect(bedrockError(429, new Headers({ 'retry-after': '3' }), '')).toMatchObject({
      kind: 'busy',
      headers: { 'retry-after': '3' },
    });
  });
});

test.each([
  ['throttlingException', 'rate_limit_error', 'busy'],
  ['validationException', 'invalid_request_error', 'caller'],
  ['internalServerException', 'api_error', 'failure'],
  ['modelStreamErrorException', 'api_error', 'failure'],
  ['modelTimeoutException', 'timeout_error', 'failure'],
  ['serviceUnavailableException', 'overloaded_error', 'failure'],
  ['somethingNewException', 'api_error', 'failure'],
])('in a stream, %s becomes an error of type %s', (name, type, kind) => {
  const event = exceptionEvent(name, '{"message":"why"}');
  expect(event).toEqual({ type: 'error', error: { type, message: 'why' } });
  expect(readEmbeddedError(event).kind).toBe(kind as never);
  expect(exceptionEvent(name, '')).toMatchObject({ error: { message: name } });
});
