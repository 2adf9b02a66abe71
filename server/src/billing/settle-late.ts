import type { Db } from '../platform/db/tables.ts';
import type { HoldStore, SettleRow } from './store/port.ts';
import { isLogged } from './store/usage.ts';
import type { Settled } from './types.ts';

/**
 * A process that stood still for seconds was taken for dead: its holds were given back, and it goes on answering. What it
 * settles then is charged all the same, through an empty hold, so that this too happens once. A request that is in the usage
 * log has been charged already.
 */
export function settleLate(db: Db, store: HoldStore, owner: () => string): HoldStore['settle'] {
  const chargeAnew = async ({ log, ...row }: SettleRow): Promise<Settled | undefined> => {
    if (log === null || (await isLogged(db, log))) return undefined;
    const empty = { ...row, amount: 0, key_amount: Math.min(row.key_amount, 0) };
    const rest = { model_id: log.model_id, estimate: '{}', owner: owner(), expires_at: 0, created_at: log.created_at };
    const [outcome] = await store.hold([{ ...empty, ...rest }]);
    return outcome === 'held' ? (await store.settle([{ ...empty, log }]))[0] : undefined;
  };
  const finish = (rows: SettleRow[], settled: Settled[]): Settled[] | Promise<Settled[]> =>
    settled.every((one, i) => one.settled || rows[i]!.log === null)
      ? settled
      : Promise.all(settled.map(async (one, i) => (one.settled ? one : ((await chargeAnew(rows[i]!)) ?? one))));
  return (rows) => {
    const settled = store.settle(rows);
    return settled instanceof Promise ? settled.then((all) => finish(rows, all)) : finish(rows, settled);
  };
}
