import { usersAfter } from '../identity/store/names.ts';
import { accountName, type User } from '../identity/user.ts';
import { csvLine } from '../lib/csv.ts';
import type { Db } from '../platform/db/tables.ts';
import { type AccountSums, type Span, sumAccounts } from './store/accounting.ts';

/** Users per read: SQLite reads synchronously, so larger pages would stall open streams. */
const pageUsers = 200;

const header = [
  'month',
  'user_id',
  'username',
  'requests',
  'prompt_tokens',
  'completion_tokens',
  ...['used', 'credited', 'taken'].flatMap((name) => [`${name}_quota`, `${name}_usd`]),
  // Last, because consumers may read the other columns by position.
  'account_name',
];

/** Exact: a unit of quota is two millionths of a dollar. */
export function usdText(quota: number): string {
  const millionths = `${BigInt(Math.abs(quota)) * 2n}`.padStart(7, '0');
  return `${quota < 0 ? '-' : ''}${millionths.slice(0, -6)}.${millionths.slice(-6)}`;
}

/** Months as numbers, so that they can be counted: January of the year 1 is 12. */
export type Month = number;

export function readMonth(text: string): Month {
  const [year, month] = text.split('-').map(Number) as [number, number];
  return year * 12 + month - 1;
}

const startOf = (month: Month): number => Date.UTC(Math.floor(month / 12), month % 12) / 1000;
const spanOf = (month: Month): Span => ({ from: startOf(month), upTo: startOf(month + 1) });
const nameOf = (month: Month): string => new Date(startOf(month) * 1000).toISOString().slice(0, 7);

/** One line per month (UTC) and user with usage or grants, generated as the client reads. */
export async function* accountingCsv(db: Db, first: Month, last: Month): AsyncGenerator<string> {
  yield csvLine(header);
  for (let month = first; month <= last; month += 1) {
    for (let after = 0; ; ) {
      const users = await usersAfter(db, after, pageUsers);
      const sums = await sumAccounts(
        db,
        users.map(({ id }) => id),
        spanOf(month),
      );
      yield users
        .flatMap((user) => {
          const sum = sums.get(user.id);
          return sum ? [lineOf(nameOf(month), user, sum)] : [];
        })
        .join('');
      if (users.length < pageUsers) break;
      after = users.at(-1)!.id;
    }
  }
}

type Named = Pick<User, 'id' | 'username' | 'display_name'>;

const lineOf = (month: string, user: Named, sum: AccountSums): string =>
  csvLine([
    ...[month, user.id, user.username, sum.requests, sum.promptTokens, sum.completionTokens],
    ...[sum.used, sum.credited, sum.taken].flatMap((quota) => [quota, usdText(quota)]),
    accountName(user),
  ]);
