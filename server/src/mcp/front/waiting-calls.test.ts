import { expect, test } from 'bun:test';
import { systemClock } from '../../lib/clock.ts';
import { holdTime, moment, pass } from '../../lib/held-time.fixture.ts';
import { openSealer } from '../../lib/seal.ts';
import { openLog } from '../../platform/log.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import type { Params } from '../connection.ts';
import type { McpServer } from '../store/servers.ts';
import type { Exchange } from './endpoint.ts';
import { Peers } from './peers.ts';
import { WaitingCalls } from './waiting-calls.ts';

holdTime();

const sealer = openSealer({ keys: [{ id: 'k', key: new Uint8Array(32) }] });
const deps = { sealer, shared: memoryShared(), clock: systemClock };
const open = () => new WaitingCalls({ ...deps, log: openLog('silent'), peers: new Peers(deps) });

/** A call that asks one thing, and what became of it behind. */
function asking(calls: WaitingCalls, holder = '1 key:2 any-e') {
  const behind = Promise.withResolvers<Params>();
  const state = { told: [] as Params[], gaveUp: null as unknown, end: behind.resolve };
  // Of a server only where it is matters here, and of an exchange who is there.
  const called = { server: { id: 7, url: 'https://one.example/mcp' } as McpServer, what: 'greet' };
  const exchange = { holder, signal: new AbortController().signal } as Exchange;
  const making = {
    work: (given: Exchange) => {
      given.say!({ id: 'name', method: 'elicitation/create', params: { message: 'Who?' } });
      given.signal.addEventListener('abort', () => {
        state.gaveUp = given.signal.reason;
        behind.reject(given.signal.reason);
      });
      return behind.promise;
    },
    tell: async (_: string, result: Params) => {
      state.told.push(result);
      return true;
    },
  };
  const call = (params: Params = {}) => calls.answer({ ...called, params }, exchange, making);
  return { state, call };
}

/** What the call is answered with when it has asked. */
async function asked(call: (params?: Params) => Promise<Params>): Promise<Params> {
  const answer = call();
  await moment();
  await pass(50);
  return answer;
}
const given = { inputResponses: { q1: { action: 'accept' } } };

test('a call whose client does not return is cancelled, and later answers are rejected', async () => {
  const { state, call } = asking(open());
  const { requestState } = await asked(call);
  await pass(10 * 60_000 + 1_000, 1_000);
  expect(state.gaveUp).toBeNull();
  await expect(call({ requestState, ...given })).rejects.toThrow('Call the tool again');
  await pass(60_000, 1_000);
  expect(state.gaveUp).toMatchObject({ message: 'no answers were received in time' });
  expect(state.told).toEqual([]);
});

test('the outcome of a call is kept for its returning client, once', async () => {
  const { state, call } = asking(open());
  const first = await asked(call);
  expect(first).toMatchObject({
    resultType: 'input_required',
    inputRequests: { q1: { method: 'elicitation/create' } },
  });
  const { requestState } = first;
  state.end({ content: ['done'] });
  await moment();
  expect(await call({ requestState })).toEqual({ content: ['done'] });
  await expect(call({ requestState, ...given })).rejects.toThrow('Call the tool again');
});

test('a stopping process cancels calls without an attached client and keeps the others', async () => {
  const calls = open();
  const [waiting, attached] = [asking(calls), asking(calls)];
  await asked(waiting.call);
  const { requestState } = await asked(attached.call);
  const back = attached.call({ requestState, ...given });
  await moment();
  calls.stop();
  expect(waiting.state.gaveUp).toMatchObject({ message: 'the service is shutting down' });
  expect([attached.state.gaveUp, attached.state.told]).toEqual([null, [{ action: 'accept' }]]);
  attached.state.end({ content: [] });
  expect(await back).toEqual({ content: [] });
});

test.each([
  ['at most a thousand calls wait per process, across users', 1_000, (at: number) => `${at} key:2 any-e`],
  ['at most a hundred calls wait per user, across keys', 100, (at: number) => `1 key:${at} any-e`],
])('%s', async (_, most, holderOf) => {
  const calls = open();
  const many = Array.from({ length: most + 1 }, (_, at) => asking(calls, holderOf(at)));
  const answers = many.map(({ call }) =>
    call().then(
      () => 'waits',
      (error: Error) => error.message,
    ),
  );
  await moment();
  await pass(50);
  const came = await Promise.all(answers);
  expect(came.filter((one) => one === 'waits')).toHaveLength(most);
  expect(came.at(-1)).toContain('too many calls are already waiting');
  calls.stop();
});
