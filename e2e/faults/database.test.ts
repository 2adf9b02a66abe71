/** PostgreSQL goes away in the middle of the work, orderly and not, and comes back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { NoServer, type OwnServer, ownPostgres } from '../servers.ts';
import { type Service, startService, until } from '../service.ts';
import { account, inOrder, startLoad, tally } from './load.ts';
import { printSeen, saw } from './table.ts';

const outageMs = process.env.SVC_LONG ? 10_000 : 4_000;
// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;

let postgres: OwnServer | undefined;
let service: Service;
let missing = '';

beforeAll(async () => {
  try {
    postgres = await ownPostgres();
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    missing = error.message;
    return;
  }
  service = await startService({ env: { DATABASE_URL: postgres.url } });
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await postgres?.remove();
  printSeen();
});

const message = 'The database cannot be reached right now. Try again in a moment.';

/** One endpoint of each shape, and the answer it must give while there is no database. */
const shapes: { path: string; body?: string; type?: string; shape: Loose }[] = [
  {
    path: '/v1/chat/completions',
    body: '{"model":"x","messages":[]}',
    shape: { error: { message, type: 'server_error', param: null, code: 'unavailable' } },
  },
  {
    path: '/v1/messages',
    body: '{"model":"x","messages":[]}',
    shape: { type: 'error', error: { type: 'overloaded_error', message }, request_id: expect.any(String) },
  },
  { path: '/v1/videos', body: '{"model":"x","prompt":"y"}', shape: { error: { message } } },
  { path: '/api/user/self', shape: { success: false, message } },
  {
    path: '/api/oauth2/token',
    body: 'grant_type=authorization_code&code=x&redirect_uri=https://a.example&client_id=svc_0123456789abcdef',
    type: 'application/x-www-form-urlencoded',
    shape: { success: false, error_description: message },
  },
];

async function askWithout({ path, body, type = 'application/json' }: (typeof shapes)[number]): Promise<Loose> {
  const headers = {
    ...(path.startsWith('/api/user') && { cookie: service.root.cookie }),
    ...(path.startsWith('/v1') && { authorization: `Bearer sk-${'0'.repeat(48)}` }),
    ...(body && { 'content-type': type }),
  };
  const answer = await fetch(service.url + path, { headers, ...(body && { method: 'POST', body }) });
  return { status: answer.status, body: await answer.json() };
}

describe.each(['crash', 'orderly'] as const)('the database is gone for a while (%s)', (how) => {
  test('503 in the endpoint’s shape meanwhile, recovery by itself, no charge lost', async () => {
    if (!postgres) return console.log(`SKIPPED: the database outage (${missing})`);
    const load = await startLoad(service, { pauseMs: 5 });
    await until('the load runs', () => load.total() > 50, 30_000);
    await postgres.stop(how);
    await Bun.sleep(outageMs / 2);
    for (const one of shapes) {
      const answer = await askWithout(one);
      expect([one.path, answer.status]).toEqual([one.path, 503]);
      expect(answer.body).toMatchObject(one.shape);
    }
    const readyz = await fetch(`${service.url}/readyz`);
    expect([readyz.status, ((await readyz.json()) as Loose).failing]).toEqual([503, ['database']]);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await Bun.sleep(outageMs / 2);
    await postgres.start();
    const before = load.total();
    await until('requests are answered again', () => load.total() > before + 50, 30_000);
    await load.end();
    await until('nothing is held any more', async () => (await account(load, service)).astray === 0, 60_000);
    const sums = await account(load, service);
    load.upstream.stop();
    const failed = tally(load.failures);
    saw(
      `database gone for ${outageMs / 1000} s under load (${how})`,
      'requests that need it fail with 503 and a clear message; it recovers by itself; no charge lost',
      `failed meanwhile: ${JSON.stringify(failed)}; then ${load.total() - before} answers without a restart; ` +
        `${sums.answered} answered, ${sums.charged} charged, ${sums.served} served`,
    );
    // Whoever was between answer and settlement waits instead of failing, and that may be the whole load; the requests above
    // were surely refused. What did fail, failed in no other way.
    for (const kind of Object.keys(failed)) expect(kind).toBe('503 unavailable');
    for (const failure of load.failures) expect(failure.message).toBe(message);
    expect(load.broken).toBe(0);
    inOrder(sums);
  }, 120_000);
});
