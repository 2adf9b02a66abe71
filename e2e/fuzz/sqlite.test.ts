import { afterEach, test } from 'bun:test';
import { type Service, startService } from '../service.ts';
import { env, expectNoFault, requestsOnSqlite } from './no-fault.ts';
import { sqliteOf } from './storage.ts';

let service: Service | undefined;
afterEach(() => service?.stop());

test('no request causes a server error on SQLite', async () => {
  service = await startService({ env });
  await expectNoFault(service, sqliteOf(service), requestsOnSqlite);
}, 1_800_000);
