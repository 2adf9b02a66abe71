import { usdText } from '../billing/accounting-csv.ts';
import { billParts } from '../billing/cost-parts.ts';
import { type Account, addDays, addUsage, emptyAccount } from '../billing/key-account.ts';
import type { LevelName } from '../billing/levels.ts';
import { fileUsage } from '../billing/store/filing.ts';
import { secondsPerDay } from '../billing/store/port.ts';
import { oldestDay } from '../billing/store/usage.ts';
import { accountColumns, type KeySpan, keysUsed } from '../billing/store/usage-of-key.ts';
import { accountNamesOf } from '../identity/store/names.ts';
import { type Cell, csvLine } from '../lib/csv.ts';
import type { Db } from '../platform/db/tables.ts';
import { monthCalled } from './calendar.ts';
import { type GroupedKey, keysInGroups } from './store/keys.ts';
import type { OrganisationRow } from './store/tables.ts';
import { findTeam } from './store/teams.ts';

/** Keys per read. */
const pageKeys = 200;

const money = ['quota', 'shortfall'] as const;
const counts = accountColumns.filter((name) => !money.some((one) => one === name));
const header = [
  ...['month', 'time_zone', 'level', 'id', 'name', 'requests', ...counts],
  ...billParts.map((part) => `${part}_usd`),
  ...['unknown_usd', 'shortfall_usd', 'quota', 'usd'],
];

/**
 * How a month is summed: entry by entry in the organisation's time zone or, if those entries are gone, from daily sums.
 */
interface Counting {
  timeZone: string;
  span: KeySpan;
  add: typeof addUsage;
}

async function countingOf(db: Db, { time_zone }: OrganisationRow, month: string): Promise<Counting> {
  const own = monthCalled(time_zone, month);
  const kept = (await oldestDay(db)) * secondsPerDay;
  if (own.startsAt >= kept)
    return { timeZone: time_zone, span: { from: own.startsAt, upTo: own.endsAt }, add: addUsage };
  const { startsAt: from, endsAt: upTo } = monthCalled('UTC', month);
  return { timeZone: 'UTC', span: { from, upTo }, add: addDays };
}

/** The name of a line. Deleted teams have none, and team keys have no member. */
async function nameOf(db: Db, { id, name }: OrganisationRow, level: LevelName, key: GroupedKey): Promise<string> {
  if (level === 'organisation') return name;
  if (level === 'key') return key.name;
  if (key.group === 0) return `no ${level}`;
  if (level === 'team') return (await findTeam(db, id, key.group))?.name ?? '';
  return (await accountNamesOf(db, [key.group])).get(key.group) ?? '';
}

/**
 * One line per team, member or key with usage in a month, or one for the whole organisation. Generated while it is
 * read, key by key, so that never more than one account is in memory.
 */
export async function* accountingCsv(
  db: Db,
  organisation: OrganisationRow,
  month: string,
  level: LevelName,
): AsyncGenerator<string> {
  const { timeZone, span, add } = await countingOf(db, organisation, month);
  yield csvLine(header);
  await fileUsage(db);
  let account = emptyAccount();
  let of: GroupedKey | undefined;
  const line = async (key: GroupedKey): Promise<string> => {
    const first: Cell[] = [month, timeZone, level, key.group || null, await nameOf(db, organisation, level, key)];
    return csvLine([...first, ...cellsOf(account)]);
  };
  let after: Pick<GroupedKey, 'group' | 'key_id'> = { group: -1, key_id: 0 };
  for (;;) {
    const keys = await keysInGroups(db, organisation.id, level, after, pageKeys);
    const used = await keysUsed(
      db,
      keys.map(({ key_id }) => key_id),
      span,
    );
    for (const key of keys) {
      if (!used.has(key.key_id)) continue;
      if (of && of.group !== key.group) {
        if (account.requests > 0) yield await line(of);
        account = emptyAccount();
      }
      of = key;
      await add(db, account, key.key_id, span);
    }
    if (keys.length < pageKeys) break;
    after = keys.at(-1)!;
  }
  if (of && account.requests > 0) yield await line(of);
}

/** As precise as units are charged: tenths of a minute added up would end in digits that nobody used. */
const inMillionths = (count: number): number => Math.round(count * 1e6) / 1e6;

const cellsOf = (account: Account): Cell[] => [
  account.requests,
  ...counts.map((name) => inMillionths(account[name])),
  ...account.costs.map(usdText),
  ...[usdText(account.unknown), usdText(account.shortfall), account.quota, usdText(account.quota)],
];
