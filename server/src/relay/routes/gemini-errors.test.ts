import { afterAll, beforeAll, expect, test } from 'bun:test';
import { AppError, type ErrorCode, errorTable } from '../../lib/errors.ts';
import { renderError } from '../../platform/http/renderers.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { geminiErrorEvent } from '../wire/gemini/stream.ts';

/* Whatever goes wrong below /v1beta is told in Google's shape, with its name for the status. */

let relay: RelayTest;
beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
});
afterAll(() => relay.close());

const model = '/v1beta/models/demo/chat';
const body = { contents: [{ parts: [{ text: 'hi' }] }] };
const post =
  (path: string, given: unknown = body) =>
  () =>
    relay.post(path, given);

/** Its libraries say who they are, and speak Google's format below `/v1` too. */
const ofGoogle = { headers: { 'x-goog-api-client': 'google-genai-sdk/3.1.0 gl-node/v24.21.0' } };

const faults: [string, number, string, () => Promise<Response>][] = [
  ['invalid JSON', 400, 'INVALID_ARGUMENT', post(`${model}:generateContent`, '{')],
  ['no contents', 400, 'INVALID_ARGUMENT', post(`${model}:streamGenerateContent?alt=sse`, {})],
  ['a body that is not an object', 400, 'INVALID_ARGUMENT', post(`${model}:countTokens`, '[]')],
  ['an invalid page token', 400, 'INVALID_ARGUMENT', () => relay.get('/v1beta/models?pageToken=x')],
  ['an unknown model', 404, 'NOT_FOUND', post('/v1beta/models/no/body:generateContent')],
  ['counting for an unknown model', 404, 'NOT_FOUND', post('/v1beta/models/no:body:countTokens')],
  ['getting an unknown model', 404, 'NOT_FOUND', () => relay.get('/v1beta/models/no/body')],
  ['a model of another type', 404, 'NOT_FOUND', post('/v1beta/models/demo/image:generateContent')],
  ['an unknown method', 405, 'UNIMPLEMENTED', post(`${model}:generateSomething`)],
  ['an unknown method in v1', 405, 'UNIMPLEMENTED', post('/v1/models/demo/chat:generateSomething')],
  ['an unknown path', 404, 'NOT_FOUND', post('/v1beta/nothing')],
  [
    'an unknown path, requested by a browser',
    404,
    'NOT_FOUND',
    () => relay.get('/v1beta/nothing', { headers: { accept: 'text/html' } }),
  ],
  ['an OpenAI list, requested by Google’s library', 404, 'NOT_FOUND', () => relay.get('/v1/batches', ofGoogle)],
  ['a file upload by Google’s library', 404, 'NOT_FOUND', () => relay.post('/upload/v1/files', {}, ofGoogle)],
  ['getting an unknown model with Google’s library', 404, 'NOT_FOUND', () => relay.get('/v1/models/no/body', ofGoogle)],
  ['an unsupported HTTP method', 405, 'UNIMPLEMENTED', () => relay.get('/v1beta/models', { method: 'DELETE' })],
  [
    'a body that is too large',
    413,
    'INVALID_ARGUMENT',
    post(`${model}:generateContent`, `"${'x'.repeat(33 * 1024 * 1024)}"`),
  ],
];

test.each(faults)('%s', async (_, code, status, act) => {
  const answer = await act();
  expect(answer.status).toBe(code);
  expect(await answer.json()).toEqual({
    error: { code, status, message: expect.any(String), details: expect.any(Array) },
  });
});

test('a key without access to a model, and one over its rate limit', async () => {
  const key = await relay.member.key({ models: ['demo/embed'] });
  const asked = await relay.test.call(`${model}:generateContent`, {
    method: 'POST',
    body,
    headers: { 'x-goog-api-key': key },
  });
  expect(await asked.json()).toMatchObject({ error: { code: 403, status: 'PERMISSION_DENIED' } });
  await relay.test.setOption('RateLimitV1', 1);
  let last = await relay.get('/v1beta/models');
  for (let i = 0; i < 3 && last.status === 200; i++) last = await relay.get('/v1beta/models');
  expect(last.headers.get('retry-after')).toBeString();
  expect(await last.json()).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
});

const codes = Object.keys(errorTable) as ErrorCode[];
test.each(codes)('%s has the same google.rpc.Code in a stream and in a body', async (code) => {
  const fault = new AppError(code, 'It went wrong.', { param: 'contents' });
  const told = await renderError('google', fault, 'req_1', {}).json();
  expect(JSON.parse(geminiErrorEvent(fault).slice('data: '.length))).toEqual(told);
  expect((told as { error: { status: string } }).error.status).toMatch(/^[A-Z_]+$/);
  expect(JSON.stringify(told)).not.toContain('NO_ELIGIBLE_PROVIDER');
});

test.each([
  ['POST', '/upload/v1beta/files', 404, 'inlineData'],
  ['GET', '/v1beta/files', 404, 'inlineData'],
  ['DELETE', '/v1beta/files/abc', 404, 'inlineData'],
  ['POST', '/v1beta/cachedContents', 404, 'with each request'],
  ['POST', `${model}:batchGenerateContent`, 405, '/v1/batches'],
  ['GET', '/v1beta/batches', 404, '/v1/batches'],
  ['POST', '/v1beta/models/veo:predictLongRunning', 405, '/v1/videos'],
  ['POST', '/v1beta/models/imagen:predict', 405, '/v1/images/generations'],
  ['POST', '/v1beta/interactions', 404, '/v1/responses'],
  ['GET', '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent', 404, '/v1/realtime'],
])('%s %s, which is not offered, says what is', async (method, path, status, instead) => {
  const answer = await relay.get(path, { method });
  expect(answer.status).toBe(status);
  expect(await answer.text()).toContain(instead);
});

test('a file upload with Google’s library says what to use', async () => {
  const answer = await relay.post('/upload/v1/files', {}, ofGoogle);
  expect(await answer.text()).toContain('inlineData');
});
