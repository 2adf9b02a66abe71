/** Long runs of one character, on which a parser could backtrack, do not block the event loop (see endpoints.test.ts). */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Case, readers } from './cases.ts';
import { runOf, runs } from './inputs.ts';
import { byKey, type MonitoredService, startMonitored } from './monitored-service.ts';

/** In characters: fits the context of every model, and of none. */
const runLengths = { with: [60_000, 1_000_000], without: [60_000] };
/**
 * The first length reveals quadratic reading; every reader gets every run. The second reveals long linear reading; to save
 * time every reader gets every third run, and every run goes to every third reader.
 */
const shareOfLongest = process.env.SVC_LONG ? 1 : 3;
let watched: MonitoredService;

beforeAll(async () => {
  watched = await startMonitored();
}, 300_000);
afterAll(() => watched?.service.stop());

test.each(['with', 'without'] as const)(
  'long runs of one character do not block the event loop (%s balance)',
  async (balance) => {
    const { service, findSlow } = watched;
    const user = await service.user(balance === 'with' ? 500_000_000 : 0);
    const headers = byKey(await user.key());
    const cases = Object.entries(readers).flatMap(([reader, make], turn) =>
      Object.keys(runs).flatMap((what, place) =>
        runLengths[balance]
          .filter((letters) => letters < 1_000_000 || (turn + place) % shareOfLongest === 0)
          .map((letters): Case => {
            const { path, body } = make(runOf(what, letters));
            const name = `${letters} ${what} as ${reader}`;
            return { name, method: 'POST', path, headers, body: JSON.stringify(body) };
          }),
      ),
    );
    expect(await findSlow(cases)).toEqual([]);
  },
  1_800_000,
);
