import { expect, test } from 'bun:test';
import { systemClock } from '../../lib/clock.ts';
import { openSealer } from '../../lib/seal.ts';
import { until } from '../../lib/until.fixture.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import { CallTimeout } from '../call-timeout.ts';
import {
  canBeAsked,
  capabilitiesOfHolder,
  decodeCapabilities,
  encodeCapabilities,
  isSessionName,
  sessionName,
} from '../client-capabilities.ts';
import type { McpServer } from '../store/servers.ts';
import { Peers } from './peers.ts';
import { Questions } from './questions.ts';

// Of a server only where it is matters here.
const server = { id: 7, name: 'one', url: 'https://one.example/mcp' } as McpServer;
const holder = `1 key:2 ${'s'.repeat(32)}-r`;
const sealer = openSealer({ keys: [{ id: 'k', key: new Uint8Array(32) }] });
const shared = memoryShared();
const open = () => {
  const peers = new Peers({ sealer, shared, clock: systemClock });
  return new Questions({ sealer, shared, clock: systemClock, peers });
};

function call(at: Questions, fields: object = {}) {
  const state = { said: [] as { id?: unknown }[], waits: 0 };
  const time = {
    wait: () => {
      state.waits += 1;
    },
    goOn: () => {
      state.waits -= 1;
    },
  };
  const say = (message: object) => void state.said.push(message);
  const asking = at.asking({ server, holder, secrets: () => [], say, call: time, tooMuch: () => {}, ...fields });
  return { state, asking };
}
const question = { id: 0, method: 'roots/list', params: {}, session: 'behind' };

test.each([
  ['https://bank.example/sign-in', true],
  ['http://localhost:3000/', true],
  ['javascript:fetch("//x")', false],
  ['file:///etc/passwd', false],
  ['data:text/html,<form>', false],
  ['no address', false],
  [undefined, false],
])('a URL question to %s is passed on only if it is a web page', (url, isAsked) => {
  const params = { mode: 'url', message: 'Go', url };
  expect(canBeAsked('eu', { method: 'elicitation/create', params })).toBe(isAsked);
});

test('a call continues when one other process accepts the answer to its question', async () => {
  const [here, there] = [open(), open()];
  const { state, asking } = call(here);
  expect(asking.ask(question)).toBeUndefined();
  expect(state.waits).toBe(1);
  const [{ id }] = state.said as [{ id: string }];
  const taken = await Promise.all([there.take(holder, id), here.take(holder, id), there.take(holder, id)]);
  expect(taken.filter((one) => one !== null)).toHaveLength(1);
  await there.answered(id);
  await until('it goes on', () => state.waits === 0);
  asking.end();
  expect(state.waits).toBe(0);
  for (const one of [here, there]) await one.stop();
});

test("a question on the listening stream pauses the timeouts of that client's calls in all processes", async () => {
  const [here, there] = [open(), open()];
  const running = call(there);
  const strange = call(there, { holder: `2 key:3 ${'s'.repeat(32)}-r` });
  const listening = call(here, { call: undefined });
  listening.asking.ask(question);
  await until('it stands still', () => running.state.waits === 1);
  expect(strange.state.waits).toBe(0);
  await there.answered((listening.state.said[0] as { id: string }).id);
  await until('it goes on', () => running.state.waits === 0);
  for (const { asking } of [running, strange, listening]) asking.end();
  for (const one of [here, there]) await one.stop();
});

test('invalid and reused ids are rejected', async () => {
  const at = open();
  const { state, asking } = call(at);
  for (const id of ['x'.repeat(257), Number.NaN, Number.POSITIVE_INFINITY])
    expect(asking.ask({ ...question, id })).toMatchObject({ code: -32_600 });
  expect(asking.ask({ ...question, id: '\u0001'.repeat(256), session: 's'.repeat(5_000) })).toBeUndefined();
  expect(asking.ask({ ...question, id: '\u0001'.repeat(256) })).toMatchObject({ code: -32_600 });
  for (const method of ['constructor', 'elicitation/create', 'tools/call'])
    expect(asking.ask({ ...question, id: method, method })).toMatchObject({ code: -32_601 });
  // The longest that is given out is still taken.
  expect(await at.take(holder, (state.said[0] as { id: string }).id)).toMatchObject({ id: '\u0001'.repeat(256) });
  asking.end();
  await at.stop();
});

test('what a client can be asked is stored only in its session id', () => {
  const all = { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} };
  for (const capabilities of [all, { roots: {} }, { elicitation: {} }, { sampling: { tools: {} } }, {}]) {
    const name = sessionName('a'.repeat(32), encodeCapabilities(capabilities));
    expect(isSessionName(name)).toBe(true);
    expect(decodeCapabilities(capabilitiesOfHolder(`1 key:2 ${name}`))).toEqual(capabilities);
  }
  for (const odd of [null, 'all', [], { roots: true }, { constructor: {} }, { elicitation: [] }])
    expect(encodeCapabilities(odd)).toBe('');
  for (const odd of ['', 'a'.repeat(31), `${'a'.repeat(32)}-`, `${'a'.repeat(32)}-x`, `${'a'.repeat(32)}-eeeeeeeee`])
    expect(isSessionName(odd)).toBe(false);
  expect(capabilitiesOfHolder('1 key:2-r')).toBe('');
});

test('waiting for answers ends after ten minutes in total, and a finished call is not cancelled', async () => {
  let nowMs = 0;
  const patience = new CallTimeout(60_000, () => nowMs);
  patience.wait();
  nowMs = 10 * 60_000;
  patience.goOn();
  const over = new CallTimeout(1, () => nowMs);
  over.end();
  over.wait();
  over.goOn();
  await Bun.sleep(20);
  expect([patience.signal.aborted, over.signal.aborted]).toEqual([false, false]);
  patience.wait();
  await until('it is given up', () => patience.signal.aborted);
  expect(patience.signal.reason.message).toBe('no one answered its question');
  patience.end();
});
