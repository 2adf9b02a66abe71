import { afterEach, test } from 'bun:test';
import { NoServer, type OwnServer, ownPostgres } from '../servers.ts';
import { type Service, startService } from '../service.ts';
import { env, expectNoFault, requestsOnPostgres } from './no-fault.ts';
import { postgresOf } from './storage.ts';

let service: Service | undefined;
let postgres: OwnServer | undefined;
afterEach(async () => {
  await service?.stop();
  await postgres?.remove();
});

test('no request causes a server error on PostgreSQL', async () => {
  try {
    postgres = await ownPostgres();
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    return console.log(`SKIPPED: fuzzing on PostgreSQL (${error.message})`);
  }
  service = await startService({ env: { ...env, DATABASE_URL: postgres.url } });
  await expectNoFault(service, postgresOf(postgres.url), requestsOnPostgres);
}, 1_800_000);
