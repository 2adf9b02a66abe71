import { afterEach, expect, test } from 'bun:test';
import { holdTime, passUntil } from '../../lib/held-time.fixture.ts';
import { type StallDeps, StalledError, StallWatch } from './stall-watch.ts';

holdTime();

const open: StallWatch[] = [];
afterEach(() => {
  for (const watch of open.splice(0)) watch.stop();
});

function watchOf(deps: StallDeps): StallWatch {
  const watch = new StallWatch({ patienceMs: 20, graceMs: 60_000, everyMs: 5, ...deps });
  open.push(watch);
  return watch;
}

const never = () => {
  throw new Error('connections were replaced');
};

/** The error a promise rejects with, however long that takes. */
async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  let outcome: unknown;
  promise.then(
    () => (outcome = 'no error'),
    (error) => (outcome = error),
  );
  await passUntil('it ends', () => outcome !== undefined);
  return outcome;
}

test('a statement may take any time while the server responds to others', async () => {
  let asked = 0;
  const watch = watchOf({ answers: async () => ++asked > 0, replaceConnections: never });
  const slow = Promise.withResolvers<string>();
  const answer = watch.run(() => slow.promise);
  await passUntil('it was asked three times', () => asked >= 3);
  slow.resolve('at last');
  expect(await answer).toBe('at last');
  expect(watch.stalled).toBe(false);
});

test('while the server is stalled, waiting callers fail and new ones are refused', async () => {
  const watch = watchOf({ answers: async () => false, replaceConnections: never });
  const stuck = Promise.withResolvers<string>();
  const error = (await errorOf(watch.run(() => stuck.promise))) as StalledError;
  expect(error).toBeInstanceOf(StalledError);
  let sent = false;
  const turnedAway = (await errorOf(watch.run(async () => (sent = true)))) as StalledError;
  expect([turnedAway.outcome, sent]).toEqual([null, false]);
  stuck.resolve('carried out after all');
  expect(await error.outcome).toBe('carried out after all');
});

test('nothing is sent before every abandoned statement has ended', async () => {
  let alive = false;
  let asked = 0;
  const watch = watchOf({ answers: async () => ++asked > 0 && alive, replaceConnections: never });
  const stuck = Promise.withResolvers<string>();
  const cleaned = Promise.withResolvers<void>();
  let late = '';
  const error = await errorOf(
    watch.run(
      () => stuck.promise,
      (value) => {
        late = value;
        return cleaned.promise;
      },
    ),
  );
  expect(error).toBeInstanceOf(StalledError);
  const rollback = Promise.withResolvers<void>();
  watch.leave(rollback.promise);
  alive = true;
  const stillShut = async () => {
    const before = asked;
    await passUntil('it was asked again', () => asked > before + 2);
    expect(watch.stalled).toBe(true);
  };
  await stillShut();
  stuck.resolve('a connection');
  await stillShut();
  expect(late).toBe('a connection');
  cleaned.resolve();
  await stillShut();
  rollback.reject(new Error('the connection is gone'));
  await passUntil('it goes on', () => !watch.stalled);
  expect(await watch.run(async () => 'again')).toBe('again');
});

test('connections that stay dead are replaced once the server responds to others', async () => {
  let alive = false;
  let replaced = 0;
  const watch = watchOf({ answers: async () => alive, replaceConnections: () => replaced++, graceMs: 30 });
  expect(await errorOf(watch.run(() => new Promise(() => {})))).toBeInstanceOf(StalledError);
  alive = true;
  await passUntil('it goes on', () => !watch.stalled);
  expect(replaced).toBe(1);
  expect(await watch.run(async () => 'again')).toBe('again');
});
