import { SQL } from 'bun';
import { hasWrk, type Measured, run } from '../kit/load.ts';
import { startUpstream } from '../kit/peers.ts';
import { goal, median, type Row, report, round, spread } from '../kit/report.ts';
import { addChannel, addUsers, chatBody, type Service, startService } from '../kit/service.ts';

const rounds = 3;
const seconds = 4;
const connections = 64;
/** A single user's requests would wait for each other: the row with the balance is locked while a batch is flushed to disk. */
const users = 16;
const databaseUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const redisUrl = process.env.REDIS_URL_TEST ?? 'redis://127.0.0.1:6379';

/** The same relay load of some users on SQLite, on PostgreSQL with Redis, and there with two processes on one port. */
export async function scale(): Promise<void> {
  if (!hasWrk()) return console.log('scale: wrk is not installed (Debian package wrk); skipped');
  const name = `svc_bench_${Date.now()}`;
  const admin = new SQL(databaseUrl, { max: 1 });
  const made = await admin.unsafe(`create database ${name}`).then(
    () => true,
    () => false,
  );
  if (!made) return console.log('scale: no PostgreSQL at DATABASE_URL_TEST or 127.0.0.1:5432; skipped');
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const shared = { DATABASE_URL: url.href, REDIS_URL: redisUrl, REDIS_PREFIX: `${name}:` };
  const upstream = await startUpstream();
  const results = new Map<string, Measured[]>();
  try {
    await measure('SQLite', {}, upstream.url, results);
    await measure('PostgreSQL + Redis', shared, upstream.url, results);
    await measure('PostgreSQL + Redis, 2 processes', { ...shared, WORKERS: '2' }, upstream.url, results);
  } finally {
    await upstream.stop();
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  }
  print(results);
}

async function measure(
  name: string,
  env: Record<string, string>,
  upstream: string,
  results: Map<string, Measured[]>,
): Promise<void> {
  const service = await startService(env, name);
  // A second service on the same database finds the channel of the first.
  if (!(await hasModel(service))) await addChannel(service, upstream);
  await Bun.sleep(1_000);
  const load = {
    url: `${service.url}/v1/chat/completions`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    keys: await addUsers(service, users),
    body: chatBody(),
    connections,
    pid: service.pid,
  };
  await run({ ...load, seconds: 8 });
  const runs: Measured[] = [];
  for (let i = 0; i < rounds; i += 1) runs.push(await run({ ...load, seconds }));
  results.set(name, runs);
  await service.stop();
}

async function hasModel(service: Service): Promise<boolean> {
  const response = await fetch(`${service.url}/v1/models/bench/model`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  return response.ok;
}

function print(results: Map<string, Measured[]>): void {
  const rate = (name: string) => median(results.get(name)!.map((m) => m.requestsPerSecond));
  const cpu = (name: string) => median(results.get(name)!.map((m) => m.cpuMicrosPerRequest));
  const rows: Row[] = [...results.keys()].map((name) => ({
    what: name,
    figures: {
      'req/s': Math.round(rate(name)),
      spread: `±${Math.round(spread(results.get(name)!.map((m) => m.requestsPerSecond)) * 100)} %`,
      '× SQLite': round(rate(name) / rate('SQLite')),
      'CPU µs/req': round(cpu(name), 0),
      failures: results.get(name)!.reduce((sum, m) => sum + m.failures, 0),
    },
  }));
  const failures = rows.reduce((sum, row) => sum + Number(row.figures.failures), 0);
  report('scale', rows, [goal('no request failed', failures === 0)]);
}
