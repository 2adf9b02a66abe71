import { quotaPerUsd } from '../../lib/money.ts';
import { disabled } from '../../routing/catalog/store/tables.ts';
import type { ImportedData } from '../imported-data.ts';
import { channelsOf } from './channels.ts';
import { codesOf, isThere, keyOf, ownersOf, personOf } from './people.ts';
import { priceOptions, readPrices, unitsPerUsd } from './prices.ts';
import type { Rows } from './rows.ts';
import { readRows } from './source.ts';

/** Everything in a database of new-api or one-api that has a counterpart here. */
export const readNewApi = async (source: string): Promise<ImportedData> => intakeOf(await readRows(source));

export function intakeOf(found: Rows): ImportedData {
  const rows = inOurUnits(found);
  const notes: string[] = [];
  const prices = readPrices(rows.options);
  const users = rows.users.filter(isThere);
  const owners = ownersOf(users);
  const channels = rows.channels.flatMap((row) => channelsOf(row, prices, notes));
  for (const name of new Set(channels.flatMap(({ models }) => models.map(({ modelId }) => modelId)))) {
    const why = prices.noteOf(name);
    const priced = channels.some(({ models }) => models.some((one) => one.modelId === name && one.status !== disabled));
    const listed = priced && !prices.priceOf(name, 'default') ? '; the price list here applies' : '';
    if (why) notes.push(`model ${name}: ${why}${listed}`);
  }
  const keys = rows.tokens.map((token) => keyOf(token, owners.get(token.user_id) ?? '', notes));
  noteOptions(rows.options, notes);
  return {
    ...{ source: 'new-api', channels, aliases: [], people: users.map(personOf), keys },
    ...{ codes: codesOf(rows.redemptions, owners), notes },
  };
}

function noteOptions(options: ReadonlyMap<string, string>, notes: string[]): void {
  const known: readonly string[] = priceOptions;
  const rest = [...options.keys()].filter((name) => !known.includes(name)).toSorted();
  if (rest.length > 0) notes.push(`settings not imported: ${rest.join(', ')}`);
}

/** Converts balances to our units. */
function inOurUnits({ options, ...rows }: Rows): Rows {
  const ours = (quota: number): number => Math.floor((quota * quotaPerUsd) / unitsPerUsd(options));
  const people = rows.users.map((user) => ({ ...user, quota: ours(user.quota) }));
  const tokens = rows.tokens.map((token) => ({ ...token, remain_quota: ours(token.remain_quota) }));
  const redemptions = rows.redemptions.map((code) => ({ ...code, quota: ours(code.quota) }));
  return { ...rows, users: people, tokens, redemptions, options };
}
