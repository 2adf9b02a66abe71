import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { AppError, type ErrorCode, errorTable } from './lib/errors.ts';
import { chat } from './orchestra/chat.ts';
import { request, type Stage, stage } from './orchestra/scripted.fixture.ts';
import { renderError } from './platform/http/renderers.ts';
import type { Call } from './platform/http/route.ts';
import { toAppError } from './platform/http/to-app-error.ts';
import { openLog } from './platform/log.ts';
import { followMeta } from './relay/routes/meta-models.ts';
import { chatErrorChunk } from './relay/wire/chat/stream.ts';
import type { WireFormat } from './relay/wire/conversation.ts';
import { messagesErrorEvent } from './relay/wire/messages/stream.ts';
import { newRenderer } from './relay/wire/renderers.ts';

const codes = Object.keys(errorTable) as ErrorCode[];
const faults = [
  ...codes.map((code) => new AppError(code, `What ${code} means.`, { param: 'messages' })),
  new AppError('upstream_refused', 'An upstream said so.', { status: 422, type: 'invalid_request_error' }),
  new AppError('upstream_refused', 'An upstream said so.', { status: 429 }),
];
const cases = faults.map((fault) => [`${fault.code} ${fault.status}`, fault] as const);

const bodyOf = async (format: 'openai' | 'anthropic' | 'google', fault: AppError) =>
  (await renderError(format, fault, 'req_1', {}).json()) as { error: Record<string, unknown> };

const dataOf = (events: string) => JSON.parse(events.trim().split('\n').at(-1)!.slice('data: '.length));

let engine: Stage;
let next: Error;
beforeAll(async () => {
  engine = await stage(() => next);
});
afterAll(() => engine.close());

async function toldByEngine(fault: Error, client: WireFormat = 'chat') {
  next = fault;
  const { conversation, caller, signal } = request('What is it?', {}, { stream: true });
  const call = { headers: {}, signal, requestId: 'req_1' } as unknown as Call<'apiKey'>;
  const renderer = newRenderer({
    client,
    model: 'svc/svc-ms',
    id: 'a',
    created: 1,
    includeUsage: false,
    requestId: 'req_1',
  });
  const answered = await followMeta(
    { log: openLog('silent') },
    call,
    (_, given, left, onDelta) => chat(engine.deps, { caller, conversation: given, signal: left }, onDelta),
    conversation,
    renderer,
  );
  return dataOf(await answered.text());
}

describe('an error has the same form in a stream and in a body', () => {
  test.each(cases)('chat: %s', async (_, fault) => {
    const { error } = await bodyOf('openai', fault);
    expect(dataOf(chatErrorChunk(fault, { id: 'a', model: 'm', created: 1 })).error).toEqual(error);
  });

  test.each(cases)('messages: %s', async (_, fault) => {
    expect(dataOf(messagesErrorEvent(fault, 'req_1'))).toEqual(await bodyOf('anthropic', fault));
  });

  test.each(cases)('the orchestration model: %s', async (_, fault) => {
    expect((await toldByEngine(fault)).error).toEqual((await bodyOf('openai', fault)).error);
  });

  test.each(cases)('the orchestration model, in messages: %s', async (_, fault) => {
    expect(await toldByEngine(fault, 'messages')).toEqual(await bodyOf('anthropic', fault));
  });

  test.each(cases)('the orchestration model, in responses: %s', async (_, fault) => {
    const { code, message } = (await bodyOf('openai', fault)).error;
    expect((await toldByEngine(fault, 'responses')).response.error).toEqual({ code, message });
  });

  test.each(cases)('the orchestration model, in Gemini’s format: %s', async (_, fault) => {
    expect(await toldByEngine(fault, 'gemini')).toEqual(await bodyOf('google', fault));
  });
});

test.each(['openai', 'anthropic', 'google', 'cohere', 'video', 'mcp', 'oauth', 'management'] as const)(
  'no internal code leaks: %s',
  async (as) => {
    const text = await renderError(as, new AppError('no_eligible_provider', 'None fits.'), 'req_1', {}).text();
    expect(text).not.toContain('no_eligible_provider');
  },
);

test('an unexpected error has the same form from the engine as elsewhere', async () => {
  const { error } = await toldByEngine(new TypeError('secret'));
  expect(error).toEqual((await bodyOf('openai', toAppError(new TypeError('secret')))).error);
});
