import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasWrk, run } from '../kit/load.ts';
import { startUpstream } from '../kit/peers.ts';
import { cpuSeconds } from '../kit/process.ts';
import { goal, median, type Row, report, round } from '../kit/report.ts';
import { addChannel, chatBody, type Service, startService } from '../kit/service.ts';

const few = 1_000;
const many = 1_000_000;
const rounds = 5;
const seconds = 3;
/** Long enough for the JIT compilers to finish, which would otherwise dominate the measurement. */
const warmUpSeconds = 12;

/** CPU µs per request with few rows, with many, and their ratio. */
interface Compared {
  small: number;
  large: number;
  ratio: number;
}

interface Grown {
  service: Service;
  client: { basic: string; token: string };
  folder: string;
}

type Act = Omit<Parameters<typeof run>[0], 'connections' | 'seconds' | 'pid'>;

/**
 * The same requests on a nearly empty and on a grown database, alternating: CPU time per request must hardly differ.
 */
export async function growth(): Promise<void> {
  if (!hasWrk()) return console.log('growth: wrk is not installed (Debian package wrk); skipped');
  const upstream = await startUpstream();
  const small = await grow(few, upstream.url);
  const large = await grow(many, upstream.url);
  const introspect = await compare(small, large, ({ service, client }) => ({
    url: `${service.url}/api/oauth2/introspect`,
    method: 'POST',
    headers: { authorization: client.basic, 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${client.token}`,
  }));
  const relay = await compare(small, large, ({ service }) => ({
    url: `${service.url}/v1/chat/completions`,
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: chatBody(),
  }));
  const keys = await compareKeys(small.service, large.service);
  for (const { service, folder } of [small, large]) {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  await upstream.stop();
  report(
    'growth',
    [
      rowOf('introspect', introspect),
      rowOf('key lookup (GET /v1/models, keys never seen before)', keys),
      rowOf('relay', relay),
    ],
    [
      goal('introspection within 1.3 ×', introspect.ratio <= 1.3),
      goal('key lookup within 1.3 ×', keys.ratio <= 1.3),
      goal('relay with as many usage, ledger, decision and audit rows within 1.3 ×', relay.ratio <= 1.3),
    ],
  );
}

const rowOf = (what: string, { small, large, ratio }: Compared): Row => ({
  what,
  figures: {
    [`CPU µs with ${few.toLocaleString('en')} rows`]: round(small, 1),
    [`CPU µs with ${many.toLocaleString('en')} rows`]: round(large, 1),
    ratio: round(ratio),
  },
});

/** A service whose tables have this many rows. */
async function grow(rows: number, upstreamUrl: string): Promise<Grown> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-growth-'));
  const first = await startService({ DATA_DIR: folder });
  const client = await makeClient(first);
  await leaveTraces(first);
  await stopKeeping(first);
  fill(join(folder, 'svc.db'), rows);
  const service = await startService({ DATA_DIR: folder });
  await addChannel(service, upstreamUrl);
  return { service, client, folder };
}

async function compare(small: Grown, large: Grown, actOf: (grown: Grown) => Act): Promise<Compared> {
  const cost = async (grown: Grown, seconds: number) =>
    (await run({ ...actOf(grown), connections: 32, pid: grown.service.pid, seconds })).cpuMicrosPerRequest;
  for (const grown of [small, large]) await cost(grown, warmUpSeconds);
  const pairs: [number, number][] = [];
  for (let i = 0; i < rounds; i += 1) pairs.push([await cost(small, seconds), await cost(large, seconds)]);
  return comparedOf(pairs);
}

const comparedOf = (pairs: [number, number][]): Compared => ({
  small: median(pairs.map(([small]) => small)),
  large: median(pairs.map(([, large]) => large)),
  ratio: median(pairs.map(([small, large]) => large / small)),
});

/** Keys that the processes have not cached: each causes a read from the database. */
async function compareKeys(small: Service, large: Service): Promise<Compared> {
  const asked = 80;
  const cost = async (service: Service, first: number) => {
    const ask = (i: number) =>
      fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer sk-grown-${i}` } }).then((r) => r.text());
    const before = cpuSeconds(service.pid);
    for (let i = first; i < first + asked; i += 8) await Promise.all(Array.from({ length: 8 }, (_, k) => ask(i + k)));
    return ((cpuSeconds(service.pid) - before) * 1e6) / asked;
  };
  const pairs: [number, number][] = [];
  for (let first = 0; first < 12 * asked; first += asked)
    pairs.push([await cost(small, first), await cost(large, first)]);
  // The first ones are warm-up.
  return comparedOf(pairs.slice(4));
}

/** Creates one row in each table that grows with every request, as a template for the copies. */
async function leaveTraces(service: Service): Promise<void> {
  await service.call('/api/admin/users/1/credits', 'POST', { quota: 1, note: 'benchmark' });
  // The copied keys belong to another user, since a user may have 500.
  await service.call('/api/user/register', 'POST', { username: 'grower', password: 'benchmark password' });
  await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/chat', messages: [{ role: 'user', content: 'hello' }] }),
  });
}

/** Stops the process but keeps its folder. */
async function stopKeeping(service: Service): Promise<void> {
  process.kill(service.pid, 'SIGTERM');
  while (
    await fetch(`${service.url}/healthz`).then(
      () => true,
      () => false,
    )
  )
    await Bun.sleep(50);
  await Bun.sleep(300);
}

async function makeClient(service: Service): Promise<{ basic: string; token: string }> {
  const redirect_uri = 'https://client.example/callback';
  const { data } = (await service.call('/api/oauth2/applications', 'POST', {
    name: 'bench',
    redirect_uris: [redirect_uri],
    scopes: 'openid',
  })) as { data: { client_id: string; client_secret_plain: string } };
  const approved = (await service.call('/api/oauth2/authorize', 'POST', {
    client_id: data.client_id,
    redirect_uri,
    scope: 'openid',
    approved: true,
  })) as { data: { redirect_url: string } };
  const basic = `Basic ${btoa(`${data.client_id.replace('_', '%5F')}:${data.client_secret_plain.replace('_', '%5F')}`)}`;
  const code = new URL(approved.data.redirect_url).searchParams.get('code')!;
  const response = await fetch(`${service.url}/api/oauth2/token`, {
    method: 'POST',
    headers: { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri }).toString(),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return { basic, token: access_token };
}

/** Multiplies the existing rows under other names: a million through the API would take an hour. */
function fill(file: string, rows: number): void {
  const db = new Database(file);
  db.run('pragma journal_mode = wal');
  db.run('pragma synchronous = off');
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})`;
  db.run('begin');
  for (const [table, changed] of Object.entries(grown)) db.run(copy(db, numbers, table, changed));
  const hash = db.prepare('update api_keys set key_hash = ?1 where key_hash = ?2');
  for (let i = 0; i < Math.min(rows, 1_000); i += 1) hash.run(sha256(`sk-grown-${i}`), `grown-${i + 1}`);
  db.run('commit');
  db.run('pragma wal_checkpoint(truncate)');
  db.close();
}

const sha256 = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex');

/** Per table: the columns that must differ, as SQL over the number `n.i`. */
const grown: Record<string, Record<string, string>> = {
  api_keys: { key_hash: "'grown-' || n.i", user_id: '2' },
  oauth_tokens: { access_hash: "'a-' || n.i", refresh_hash: "'r-' || n.i" },
  audit_log: {},
  usage_logs: { request_id: "'u-' || n.i" },
  credits: {},
  routing_decisions: { request_id: "'u-' || n.i" },
};

function copy(db: Database, numbers: string, table: string, changed: Record<string, string>): string {
  const columns = (db.query(`pragma table_info(${table})`).all() as { name: string; pk: number }[]).filter(
    ({ name }) => name !== 'id',
  );
  const names = columns.map(({ name }) => `"${name}"`);
  const values = columns.map(({ name }) => changed[name] ?? `source."${name}"`);
  return `${numbers} insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from n, (select * from ${table} limit 1) source`;
}
