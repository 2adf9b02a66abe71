/** PostgreSQL stops under load (cleanly or by a crash) or becomes read-only, and recovers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startUpstream } from '../../server/src/video/upstream.fixture.ts';
import { NoServer, type OwnServer, ownPostgres } from '../servers.ts';
import { type Service, startService, until } from '../service.ts';
import { account, inOrder, startLoad, tally } from './load.ts';
import { refuseWrites, takeWrites } from './read-only.ts';
import { printSeen, saw } from './table.ts';
import { expectUnavailable, expectUnready, message } from './without-database.ts';

const outageMs = process.env.SVC_LONG ? 10_000 : 4_000;

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
}, 300_000);
afterAll(async () => {
  await service?.stop();
  await postgres?.remove();
  printSeen();
});

interface Outage {
  what: string;
  begin(server: OwnServer): Promise<void>;
  seen(): Promise<void>;
  end(server: OwnServer): Promise<void>;
}

const outages: Outage[] = [
  ...(['crash', 'orderly'] as const).map((how) => ({
    what: `is gone (${how})`,
    begin: (server: OwnServer) => server.stop(how),
    seen: () => expectUnavailable(service),
    end: (server: OwnServer) => server.start(),
  })),
  {
    what: 'takes no writes',
    begin: refuseWrites,
    seen: () =>
      until('it is told', () =>
        expectUnready(service).then(
          () => true,
          () => false,
        ),
      ),
    end: takeWrites,
  },
];

/** A video that its upstream accepts while the service cannot record it. */
async function orderFilm(takenWhen: Promise<undefined>) {
  const upstream = startUpstream('openai', { status: 'completed', onSubmit: () => takenWhen });
  const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, type: 'video', requestPrice: 0.1 });
  const key = await (await service.user(1_000_000)).key();
  const created = await service.post('/v1/videos', { model: modelId, prompt: 'x' }, { key });
  const { id } = (await created.json()) as { id: string };
  await until('the video is asked for', () => upstream.submits.length === 1);
  const isMade = async () => {
    const answer = await fetch(`${service.url}/v1/videos/${id}`, { headers: { authorization: `Bearer ${key}` } });
    return ((await answer.json()) as { status: string }).status === 'completed';
  };
  return { upstream, isMade };
}

describe.each(outages)('while the database $what', ({ what, begin, seen, end }) => {
  test('answers 503 in the endpoint’s error format, recovers by itself and loses no charge', async () => {
    if (!postgres) return console.log(`SKIPPED: the database ${what} (${missing})`);
    const load = await startLoad(service, { pauseMs: 5 });
    await until('the load runs', () => load.total() > 50, 60_000);
    const away = Promise.withResolvers<undefined>();
    const film = await orderFilm(away.promise);
    await begin(postgres);
    away.resolve(undefined);
    await Bun.sleep(outageMs / 2);
    await seen();
    await Bun.sleep(outageMs / 2);
    await end(postgres);
    const before = load.total();
    await until('requests are answered again', () => load.total() > before + 50, 60_000);
    await until('the video is made', film.isMade, 60_000);
    await load.end();
    await until('nothing is held any more', async () => (await account(load, service)).astray === 0, 60_000);
    const sums = await account(load, service);
    for (const upstream of [load.upstream, film.upstream]) upstream.stop();
    const failed = tally(load.failures);
    saw(
      `database ${what} for ${outageMs / 1000} s under load`,
      'requests that need it fail with 503 and a clear message; recovers by itself; no charge lost',
      `failed meanwhile: ${JSON.stringify(failed)}; then ${load.total() - before} answers without a restart; ` +
        `${sums.answered} answered, ${sums.charged} charged, ${sums.served} served`,
    );
    // Requests between answer and settlement wait instead of failing, and that may be the whole load; the requests above
    // were certainly refused. All failures are of this kind.
    for (const kind of Object.keys(failed)) expect(kind).toBe('503 unavailable');
    for (const failure of load.failures) expect(failure.message).toBe(message);
    expect(load.broken).toBe(0);
    expect(film.upstream.submits).toHaveLength(1);
    inOrder(sums);
  }, 300_000);
});
