import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic, { BadRequestError } from '@anthropic-ai/sdk';
import { openRelayTest, type RelayTest, sdkOptions } from './endpoints/relay.fixture.ts';
import { addUpstream, chatPiece, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';
import type { Json } from './wire/conversation.ts';

let relay: RelayTest;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  upstream = scriptedUpstream();
  const one = (kind: string, provider: string, prompt_price = 0) =>
    addUpstream(relay.test, upstream.url, [{ model_id: `${provider}/m`, model_name: 'm-1', prompt_price }], {
      kind,
      provider,
    });
  await one('openai', 'acme');
  await one('anthropic', 'anthropic');
  await one('anthropic', 'copy');
  await one('anthropic', 'paid', 1);
  await one('gemini', 'google');
  await relay.credit(1_000_000);
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const messages = [{ role: 'user' as const, content: 'hi' }];
const refusing = (status: number, body: Json) => upstream.answer(() => Response.json(body, { status }));
const ask = async (path: string, model: string, more: Json = {}) => {
  const answer = await relay.post(path, { model, max_tokens: 5, messages, ...more });
  const text = await answer.text();
  return { status: answer.status, text, error: (JSON.parse(text) as { error: Json }).error };
};

describe('error codes', () => {
  test.each([
    ['content_filter', 400],
    ['invalid_image_url', 400],
    ['string_above_max_length', 400],
    ['unsupported_value', 400],
    ['context_length_exceeded', 400],
    ['content_policy_violation', 400],
  ])('%s is forwarded, whole and streamed', async (code, status) => {
    refusing(status, { error: { message: 'No.', code, param: 'messages', type: 'invalid_request_error' } });
    for (const stream of [false, true]) {
      const told = await ask('/v1/chat/completions', 'acme/m', { stream });
      expect(told.status).toBe(status);
      expect(told.error).toEqual({ message: 'No.', type: 'invalid_request_error', param: 'messages', code });
    }
  });

  test.each(['internal_shard_17', 'sk-proj-abcdefgh12345678', 'insufficient_user_quota', ''])(
    '%p is hidden from the caller',
    async (code) => {
      refusing(422, { error: { message: 'No.', code } });
      const told = await ask('/v1/chat/completions', 'acme/m');
      expect(told.error.code).toBe('upstream_refused');
      expect(told.text).not.toContain('shard');
      expect(told.text).not.toContain('sk-');
    },
  );
});

describe('an error beside `error`', () => {
  const written = (message: string, code: number) => ({
    vllm: `data: ${JSON.stringify({ object: 'error', message, type: 'X', param: null, code })}\n\n`,
    named: `event: error\ndata: ${JSON.stringify({ message, code })}\n\n`,
  });
  const kinds = ['vllm', 'named'] as const;
  const tooLong = 'This model’s maximum context length is 10 tokens.';

  /** Each event after the client has seen the one before. */
  const streamed = (...events: string[]) =>
    upstream.answer(() => {
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const event = events.shift();
          if (event === undefined) return controller.close();
          controller.enqueue(Buffer.from(event));
          await Bun.sleep(20);
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    });

  test.each(kinds)('is the caller’s if it says so: %s', async (kind) => {
    streamed(written(tooLong, 400)[kind], 'data: [DONE]\n\n');
    const told = await ask('/v1/chat/completions', 'acme/m', { stream: true });
    expect(told.status).toBe(400);
    expect(told.error).toMatchObject({ code: 'context_length_exceeded', message: tooLong });
  });

  test.each(kinds)('is not shown after text: %s', async (kind) => {
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      streamed(chatPiece({ content: 'Well' }), written('Worker 7 died.', 500)[kind], 'data: [DONE]\n\n');
      const answer = await relay.post(path, { model: 'acme/m', max_tokens: 5, messages, stream: true });
      const text = await answer.text();
      expect(text).toContain('Well');
      expect(text).toContain('"error"');
      expect(text).not.toContain('Worker');
    }
  });

  test('is found in a whole answer', async () => {
    refusing(200, { object: 'error', message: tooLong, type: 'BadRequestError', param: null, code: 400 });
    expect(await ask('/v1/chat/completions', 'acme/m')).toMatchObject({ status: 400, error: { message: tooLong } });
  });
});

describe('Anthropic’s error details', () => {
  const refusal = (details: unknown) => ({
    type: 'error',
    error: { type: 'invalid_request_error', message: 'No.', details },
  });

  test('are forwarded to its clients, without keys', async () => {
    refusing(400, refusal({ error_code: 'thread_already_continued', seen: 'sk-ant-abcdefgh12345678' }));
    const { error } = await ask('/v1/messages', 'anthropic/m');
    expect(error).toEqual({
      type: 'invalid_request_error',
      message: 'No.',
      details: { error_code: 'thread_already_continued', seen: '[redacted]' },
    });
  });

  test.each([
    ['a list', [1]],
    ['a text', 'x'],
    ['an object that is too large', { x: 'y'.repeat(9_000) }],
  ])('%s is dropped', async (_, details) => {
    refusing(400, refusal(details));
    expect(await ask('/v1/messages', 'anthropic/m')).toMatchObject({
      status: 400,
      error: { type: 'invalid_request_error', message: 'No.' },
    });
    expect((await ask('/v1/messages', 'anthropic/m')).error).not.toContainKey('details');
  });

  test('are hidden if the error is not the caller’s', async () => {
    refusing(401, refusal({ error_code: 'organization_disabled' }));
    const told = await ask('/v1/messages', 'anthropic/m');
    expect(told.status).toBe(502);
    expect(told.text).not.toContain('organization');
  });
});

describe('message threads', () => {
  const threads = [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }];

  test.each(['acme/m', 'google/m', 'copy/m', 'paid/m', 'demo/chat', 'svc/svc-ms'])(
    '%s does not support them and says so in the way clients expect',
    async (model) => {
      const before = upstream.seen.length;
      for (const thread of threads)
        for (const stream of [false, true]) {
          const told = await ask('/v1/messages', model, { thread, stream });
          expect(told.status).toBe(400);
          expect(told.error).toMatchObject({
            type: 'invalid_request_error',
            details: { error_code: 'thread_unsupported_request' },
          });
        }
      expect(upstream.seen.length).toBe(before);
    },
  );

  test('Anthropic’s client recognises the error', async () => {
    const client = new Anthropic({ ...sdkOptions(relay), baseURL: relay.test.config.baseUrl });
    const body = { model: 'acme/m', max_tokens: 5, messages, thread: { type: 'create' } };
    const error = await client.messages.create(body as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect((error as Error).constructor.name).toBe('ThreadUnsupportedRequestError');
  });

  test('Anthropic’s own channel gets them unchanged', async () => {
    upstream.answer(() =>
      Response.json({
        id: 'msg_2',
        type: 'message',
        role: 'assistant',
        model: 'm-1',
        content: [{ type: 'text', text: 'ok' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
    for (const thread of threads) {
      const answer = await relay.post('/v1/messages', { model: 'anthropic/m', max_tokens: 5, messages, thread });
      expect(answer.status).toBe(200);
      expect((upstream.seen.at(-1)!.body as Json).thread).toEqual(thread);
    }
  });
});
