import { SQL } from 'bun';
import type { z } from 'zod';
import { StartFault } from '../../platform/start-fault.ts';
import { firstFault } from '../first-fault.ts';
import { channelRow, optionRow, type Rows, redemptionRow, tokenRow, userRow } from './rows.ts';

const servers = /^(postgres|postgresql|mysql):\/\//;
/** The format of Go's MySQL driver, which these programs use: `user:password@tcp(host:port)/name?…`. */
const goAddress = /^([^:@/]+):(.*)@tcp\(([^)]+)\)\/([^?]+)/;

/** The other program's SQL_DSN as a URL; null for a file. */
export function addressOf(source: string): string | null {
  if (servers.test(source)) return source;
  const [, user, password, host, name] = goAddress.exec(source) ?? [];
  return host ? `mysql://${encodeURIComponent(user!)}:${encodeURIComponent(password!)}@${host}/${name}` : null;
}

function open(source: string): SQL {
  const address = addressOf(source);
  if (address === null) return new SQL({ adapter: 'sqlite', filename: source, readonly: true, create: false });
  // Other errors would include the password.
  if (!URL.canParse(address)) throw new StartFault('The database address is not valid.');
  return new SQL(address, { max: 1 });
}

/** Reads a SQLite file, or a PostgreSQL or MySQL server; never writes to it. */
export async function readRows(source: string): Promise<Rows> {
  const db = open(source);
  const all = async <T>(table: string, row: z.ZodType<T>): Promise<T[]> => {
    const found: unknown[] = await db.unsafe(`select * from ${table}`);
    return found.map((one) => {
      const { data, error } = row.safeParse(one);
      if (data !== undefined) return data;
      throw new Error(firstFault(error!, [table]));
    });
  };
  try {
    const [channels, users, tokens] = [
      await all('channels', channelRow),
      await all('users', userRow),
      await all('tokens', tokenRow),
    ];
    const options = new Map((await all('options', optionRow)).map(({ key, value }) => [key, value]));
    const redemptions = await all('redemptions', redemptionRow);
    const byId = <T extends { id: number }>(rows: T[]): T[] => rows.toSorted((a, b) => a.id - b.id);
    const there = <T extends { id: number; deleted_at?: unknown }>(rows: T[]): T[] =>
      byId(rows.filter(({ deleted_at }) => deleted_at == null));
    return {
      ...{ channels: byId(channels), users: there(users), tokens: there(tokens) },
      ...{ redemptions: there(redemptions), options },
    };
  } catch (error) {
    // The address may contain a password, the message does not.
    const why = error instanceof Error ? error.message : error;
    throw new StartFault(`This is not a readable new-api or one-api database: ${why}`);
  } finally {
    await db.close().catch(() => {});
  }
}
