import { SQL } from 'bun';
import { type DatabaseWatch, databaseUrl, redisUrl, watchDatabase } from '../kit/database.ts';
import { hasWrk, type Measured, run } from '../kit/load.ts';
import { startUpstream } from '../kit/peers.ts';
import { goal, median, type Row, report, round, spread } from '../kit/report.ts';
import { addChannel, addUsers, chatBody, type Service, startService } from '../kit/service.ts';

const rounds = 5;
const seconds = 4;
/** Per process: compilers work during the first hundred thousand requests, and a service runs for months. */
const warmUpRequests = 120_000;
const warmUpSeconds = 5;
const connections = 64;
const users = 16;

/** Results of one setup, per round. */
interface Seen extends Measured {
  /** Service, PostgreSQL and Redis together. */
  cpuOfAll: number;
  /** Backends waiting for another's row lock, on average. */
  waiting: number;
}

interface Setting {
  name: string;
  service: Service;
  /** All on the same two cores, sharing the requests. */
  processes: number;
  keys: string[];
  rounds: Seen[];
  /** Transactions per request. */
  commits?: number;
}

const names = {
  sqlite: 'SQLite',
  one: 'PostgreSQL + Redis',
  two: 'PostgreSQL + Redis, 2 processes',
  four: 'PostgreSQL + Redis, 4 processes',
};

/**
 * The same relay load of several users on SQLite, and on PostgreSQL with Redis with one, two and four processes on one
 * port. All setups run at once and take turns, so that a machine with varying speed treats them alike; the others are
 * idle meanwhile.
 */
export async function scale(): Promise<void> {
  if (!hasWrk()) return console.log('scale: wrk is not installed (Debian package wrk); skipped');
  const admin = new SQL(databaseUrl, { max: 1 });
  const made: string[] = [];
  const ownDatabase = async (): Promise<Record<string, string>> => {
    const name = `svc_bench_${Date.now()}_${made.length}`;
    await admin.unsafe(`create database ${name}`);
    made.push(name);
    const url = new URL(databaseUrl);
    url.pathname = `/${name}`;
    return { DATABASE_URL: url.href, REDIS_URL: redisUrl, REDIS_PREFIX: `${name}:` };
  };
  const upstream = await startUpstream();
  const settings: Setting[] = [];
  const watches = new Map<Setting, DatabaseWatch>();
  const open = async (name: string, env: Record<string, string>): Promise<void> => {
    const service = await startService(env, name);
    await addChannel(service, upstream.url);
    const processes = Number(env.WORKERS ?? 1);
    const setting: Setting = { name, service, processes, keys: await addUsers(service, users), rounds: [] };
    settings.push(setting);
    if (env.DATABASE_URL) watches.set(setting, await watchDatabase(env.DATABASE_URL, redisUrl));
  };
  try {
    await open(names.sqlite, {});
    await open(names.one, await ownDatabase());
    await open(names.two, { ...(await ownDatabase()), WORKERS: '2' });
    await open(names.four, { ...(await ownDatabase()), WORKERS: '4' });
    for (const setting of settings) await warmUp(setting, watches.get(setting));
    for (let i = 0; i < rounds; i += 1)
      for (const setting of settings) await measure(setting, watches.get(setting), seconds);
  } catch (error) {
    if (made.length > 0) throw error;
    return console.log('scale: no PostgreSQL at DATABASE_URL_TEST or 127.0.0.1:5432; skipped');
  } finally {
    for (const watch of watches.values()) await watch.close();
    for (const { service } of settings) await service.stop();
    await upstream.stop();
    for (const name of made) await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  }
  print(settings);
}

async function warmUp(setting: Setting, watch: DatabaseWatch | undefined): Promise<void> {
  const served = () => setting.rounds.reduce((sum, one) => sum + one.requestsPerSecond * warmUpSeconds, 0);
  while (served() < warmUpRequests * setting.processes) await measure(setting, watch, warmUpSeconds);
  setting.rounds = [];
  delete setting.commits;
}

async function measure(setting: Setting, watch: DatabaseWatch | undefined, forSeconds: number): Promise<void> {
  const { service, keys } = setting;
  const first = setting.commits === undefined && watch !== undefined && setting.rounds.length === 1;
  const commitsBefore = first ? await watch.commits() : 0;
  const before = watch?.cpu() ?? 0;
  watch?.waiting();
  const measured = await run({
    url: `${service.url}/v1/chat/completions`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    keys,
    body: chatBody(),
    connections,
    pid: service.pid,
    seconds: forSeconds,
  });
  const requests = measured.requestsPerSecond * forSeconds;
  const besides = watch ? ((watch.cpu() - before) * 1e6) / requests : 0;
  setting.rounds.push({
    ...measured,
    cpuOfAll: measured.cpuMicrosPerRequest + besides,
    waiting: watch?.waiting() ?? 0,
  });
  if (first) setting.commits = ((await watch.commits()) - commitsBefore) / requests;
}

function print(settings: Setting[]): void {
  const of = (name: string) => settings.find((setting) => setting.name === name)!.rounds;
  const medianOf = (name: string, figure: keyof Seen) => median(of(name).map((round) => round[figure]));
  /** Compared round by round, which are adjacent in time. */
  const ratio = (name: string, to: string, figure: keyof Seen) =>
    median(of(name).map((round, i) => round[figure] / of(to)[i]![figure]));
  const rows: Row[] = settings.map(({ name, rounds, commits }) => ({
    what: name,
    figures: {
      'req/s': Math.round(medianOf(name, 'requestsPerSecond')),
      spread: spread(rounds.map((round) => round.requestsPerSecond)),
      '× SQLite': round(ratio(name, names.sqlite, 'requestsPerSecond')),
      'CPU µs/req': round(medianOf(name, 'cpuMicrosPerRequest'), 0),
      'with database': round(medianOf(name, 'cpuOfAll'), 0),
      'commits/req': commits === undefined ? '–' : round(commits, 3),
      'waiting backends': name === names.sqlite ? '–' : round(medianOf(name, 'waiting'), 2),
      failures: rounds.reduce((sum, one) => sum + one.failures, 0),
    },
  }));
  const failures = rows.reduce((sum, row) => sum + Number(row.figures.failures), 0);
  const rate = 'requestsPerSecond';
  report('scale', rows, [
    goal('no request failed', failures === 0),
    goal(
      `one process at least 0.6 × SQLite: ${round(ratio(names.one, names.sqlite, rate))}`,
      ratio(names.one, names.sqlite, rate) >= 0.6,
    ),
    goal(`two at least 1.0 × one: ${round(ratio(names.two, names.one, rate))}`, ratio(names.two, names.one, rate) >= 1),
    goal(
      `CPU of everything, two at most 1.15 × one: ${round(ratio(names.two, names.one, 'cpuOfAll'))}`,
      ratio(names.two, names.one, 'cpuOfAll') <= 1.15,
    ),
    goal(
      `four at least 0.9 × two: ${round(ratio(names.four, names.two, rate))}`,
      ratio(names.four, names.two, rate) >= 0.9,
    ),
  ]);
}
