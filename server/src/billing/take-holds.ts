import { mayPass } from '../platform/durable/errors.ts';
import type { Settler } from './settle.ts';
import type { HoldOutcome, HoldRow, HoldStore } from './store/port.ts';

/** Long enough for a pool to replace a connection the server dropped, short enough for the caller not to notice. */
const pauseMs = 50;

/**
 * Holds of one batch, with one more try when the connection was lost: a hold written twice is still one. If that fails too,
 * nobody knows whether the first commit went through, so the rows are given back as soon as the database answers.
 */
export function takeHolds(
  store: HoldStore,
  settler: Settler,
): (rows: HoldRow[]) => HoldOutcome[] | Promise<HoldOutcome[]> {
  const again = async (rows: HoldRow[], error: unknown): Promise<HoldOutcome[]> => {
    if (!mayPass(error)) throw error;
    await Bun.sleep(pauseMs);
    try {
      return await store.hold(rows);
    } catch (second) {
      settler.owe(rows.map((row) => ({ ...row, log: null })));
      throw second;
    }
  };
  return (rows) => {
    try {
      const taken = store.hold(rows);
      return taken instanceof Promise ? taken.catch((error) => again(rows, error)) : taken;
    } catch (error) {
      return again(rows, error);
    }
  };
}
