import { SQL } from 'bun';
import type { OwnServer } from '../servers.ts';

/** As during a failover. Connections opened meanwhile stay read-only, so the service must drop them. */
export const refuseWrites = (server: OwnServer): Promise<void> =>
  order(
    server,
    'alter database postgres set default_transaction_read_only = on',
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'postgres'`,
  );

export const takeWrites = (server: OwnServer): Promise<void> =>
  order(server, 'alter database postgres reset default_transaction_read_only');

/** Runs statements in another database of the server, which the outage does not affect. */
async function order(server: OwnServer, ...statements: string[]): Promise<void> {
  const url = new URL(server.url);
  url.pathname = '/template1';
  const admin = new SQL(url.href, { max: 1 });
  for (const statement of statements) await admin.unsafe(statement);
  await admin.close();
}
