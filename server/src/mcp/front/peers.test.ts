import { expect, test } from 'bun:test';
import { systemClock } from '../../lib/clock.ts';
import { holdTime, moment, pass, untilHeld } from '../../lib/held-time.fixture.ts';
import { openSealer } from '../../lib/seal.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import { Peers } from './peers.ts';

holdTime();

const sealer = openSealer({ keys: [{ id: 'k', key: new Uint8Array(32) }] });
const shared = memoryShared();
const open = (through: Pick<typeof shared, 'publish' | 'subscribe'> = shared) =>
  new Peers({ sealer, shared: through, clock: systemClock });
const staying = () => new AbortController().signal;

/** Asks, and says what came of it so far. */
function asking(from: Peers, to: string, what: unknown, signal = staying()) {
  const state: { came?: { of: unknown } } = {};
  void from.ask(to, 'add', what, signal).then((of) => {
    state.came = { of };
  });
  return state;
}

test('a request to another process may take any time while it reports progress', async () => {
  const [here, there] = [open(), open()];
  let finish: (value: unknown) => void = () => {};
  there.serve(
    'add',
    (what) =>
      new Promise((resolve) => {
        finish = () => resolve({ sum: (what as number[])[0]! + 1 });
      }),
  );
  there.listen();
  const asked = asking(here, there.own, [1]);
  await moment();
  await pass(60_000, 1_000);
  expect(asked.came).toBeUndefined();
  finish(null);
  await untilHeld('it is answered', () => asked.came !== undefined);
  expect(asked.came!.of).toEqual({ sum: 2 });
  for (const one of [here, there]) await one.stop();
});

test('a request to a missing, unknowing, silent or failing process gets no answer', async () => {
  const [here, deaf] = [open(), open()];
  let quiet = false;
  const silent = open({ ...shared, publish: async (...said) => void (quiet || (await shared.publish(...said))) });
  silent.serve('add', () => new Promise(() => {}));
  const broken = open();
  broken.serve('add', () => Promise.reject(new Error('no')));
  for (const one of [deaf, silent, broken]) one.listen();
  const asked = ['nobody', deaf.own, silent.own].map((to) => asking(here, to, [1]));
  const failed = asking(here, broken.own, [1]);
  await moment();
  expect(failed.came).toEqual({ of: undefined });
  quiet = true;
  await pass(5_100, 100);
  expect(asked.map(({ came }) => came)).toEqual([{ of: undefined }, { of: undefined }, undefined]);
  await pass(6_000, 100);
  expect(asked[2]!.came).toEqual({ of: undefined });
  for (const one of [here, deaf, silent, broken]) await one.stop();
});

test('a request is not awaited after its caller leaves, and late or foreign requests are ignored', async () => {
  const [here, there] = [open(), open()];
  const begun: AbortSignal[] = [];
  there.serve('add', (_, signal) => {
    begun.push(signal);
    return new Promise(() => {});
  });
  there.listen();
  const leaving = new AbortController();
  const asked = asking(here, there.own, [1], leaving.signal);
  await untilHeld('it has begun', () => begun.length === 1);
  leaving.abort();
  await untilHeld('it was heard', () => begun[0]!.aborted && asked.came !== undefined);
  const request = { is: 'request', id: 'x', from: here.own, kind: 'add', what: 1 };
  const channel = `mcp-peer-${there.own}`;
  await shared.publish(channel, sealer.seal(JSON.stringify({ ...request, until: systemClock.nowMs() - 1 })));
  await shared.publish(channel, JSON.stringify({ ...request, until: systemClock.nowMs() + 9_000 }));
  await moment();
  expect(begun).toHaveLength(1);
  await shared.publish(channel, sealer.seal(JSON.stringify({ ...request, until: systemClock.nowMs() + 9_000 })));
  await untilHeld('it is done', () => begun.length === 2);
  for (const one of [here, there]) await one.stop();
});
