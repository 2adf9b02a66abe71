import { afterAll, beforeAll, expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import type { RelayDeps } from '../deps.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';
import { parseChatRequest } from '../wire/chat/request.ts';
import { parseMessagesRequest } from '../wire/messages/request.ts';
import { answer } from './answer.ts';

/** A connection on which nothing comes is closed after a while; whoever is made to wait for an answer is spared that. */
const lifted: number[] = [];
let relay: RelayTest;
let upstream: ScriptedUpstream;
let answerNow = () => {};
const server = { timeout: (_: Request, seconds: number) => void lifted.push(seconds), requestIP: () => null };

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  const held = new Promise<void>((resolve) => {
    answerNow = resolve;
  });
  const choice = { index: 0, message: { role: 'assistant', content: 'late' }, finish_reason: 'stop' };
  upstream = scriptedUpstream(() => held.then(() => Response.json({ id: 'c', choices: [choice] })));
  await addUpstream(relay.test, upstream.url, [{ model_id: 'slow/model' }]);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const ask = (body: object): Promise<Response> =>
  relay.test.app.fetch(
    new Request('http://localhost:3000/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    server as never,
  ) as Promise<Response>;

test('the idle timeout is lifted for a slow whole answer until it arrives', async () => {
  const answer = ask({ model: 'slow/model', messages: [{ role: 'user', content: 'hi' }] });
  await until('the wait is noticed', () => lifted.includes(0));
  answerNow();
  expect((await answer).status).toBe(200);
  // What follows on the connection has to come soon again.
  expect(lifted.at(-1)).toBeGreaterThan(0);
});

test('the idle timeout is lifted for a stream from its beginning', async () => {
  lifted.length = 0;
  const answer = await ask({ model: 'demo/chat', stream: true, messages: [{ role: 'user', content: 'hi' }] });
  expect(await answer.text()).toContain('[DONE]');
  // Pings begin it anew; without them the connection would stay for good once the stream is over.
  expect(lifted).toEqual([0, 240]);
});

test('the idle timeout is not lifted for a rejected request', async () => {
  lifted.length = 0;
  const answer = await ask({ model: 'no/model', stream: true, messages: [{ role: 'user', content: 'hi' }] });
  expect(answer.status).toBe(404);
  expect(lifted.at(-1) ?? 30).toBeGreaterThan(0);
});

test('the idle timeout is lifted for orchestration models', async () => {
  let arrived = 0;
  const call = { arrived: () => (arrived += 1), headers: {}, signal: new AbortController().signal } as never;
  const meta = async () => ({ id: '', model: 'm', parts: [], finish: 'stop' as const });
  const deps = { clock: manualClock() } as unknown as RelayDeps;
  const body = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
  for (const conversation of [parseChatRequest(body), parseMessagesRequest(body)])
    await answer(deps, { m: meta }, call, '', conversation);
  expect(arrived).toBe(2);
  for (const conversation of [parseChatRequest(body), parseMessagesRequest(body)])
    await answer(deps, { m: meta }, call, '', { ...conversation, stream: true });
  expect(arrived).toBe(4);
});
