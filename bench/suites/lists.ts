import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { databaseUrl, redisUrl } from '../kit/database.ts';
import { goal, median, type Row, report, round } from '../kit/report.ts';
import { type Service, startService } from '../kit/service.ts';
import { type Amounts, amountsFor } from '../lists/amounts.ts';
import { fillFile, fillServer } from '../lists/fill.ts';
import { type ListQuery, listQueriesOf } from '../lists/list-queries.ts';

const few = 1_000;
const many = Number(process.env.LISTS_ROWS ?? 10_000_000);
/** Both, unless one is named. */
const engines = process.env.LISTS_ENGINES ?? 'sqlite, postgres';
/** Only lists whose path contains this; all by default. */
const only = process.env.LISTS_ONLY ?? '';
/** Odd, so that the median is an actual measurement. */
const rounds = Number(process.env.LISTS_ROUNDS ?? 41);
/** For the JIT compilers, and to have the database pages of a list in memory. */
const warmUps = Math.ceil(rounds / 3);
const most = 1.5;

/** A service with this many rows, and its cleanup. */
interface Grown {
  amounts: Amounts;
  service: Service;
  /** Objects of the Responses API that can only be read with the key that created them. */
  own: Own;
  remove(): Promise<void>;
}

interface Own {
  response_id: string;
  conversation_id: string;
}

async function makeOwn({ url, key }: Service): Promise<Own> {
  const send = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { id } = (await response.json()) as { id: string };
    return id;
  };
  const items = Array.from({ length: 20 }, () => ({ type: 'message', role: 'user', content: 'Good morning' }));
  return {
    response_id: await send('/v1/responses', { model: 'demo/chat', input: items }),
    conversation_id: await send('/v1/conversations', { items }),
  };
}

/**
 * Every list on a nearly empty service and on one that has run for a year, alternating: response times must hardly
 * differ.
 */
export async function lists(): Promise<void> {
  const rows = [
    ...(engines.includes('sqlite') ? await compare('SQLite', growFile) : []),
    ...(engines.includes('postgres') ? await compareServers() : []),
  ];
  const slow = rows.filter(({ figures }) => Number(figures.ratio) > most);
  report('lists', rows, [
    goal(`every list within ${most} ×`, slow.length === 0),
    ...slow.map(({ what, figures }) => goal(`${what}: ${figures.ratio} ×`, false)),
  ]);
}

async function compareServers(): Promise<Row[]> {
  const admin = new SQL(databaseUrl, { max: 1, connectionTimeout: 3 });
  try {
    await admin.unsafe('select 1');
  } catch {
    console.log('lists: no PostgreSQL at DATABASE_URL_TEST or 127.0.0.1:5432; skipped');
    return [];
  }
  const rows = await compare('PostgreSQL', (amounts) => growServer(admin, amounts));
  await admin.close();
  return rows;
}

async function compare(engine: string, grow: (amounts: Amounts) => Promise<Grown>): Promise<Row[]> {
  const small = await grow(amountsFor(few));
  const beganMs = performance.now();
  const large = await grow(amountsFor(many));
  console.log(
    `lists: ${engine} with ${many.toLocaleString('en')} rows in ${round((performance.now() - beganMs) / 1000, 0)} s`,
  );
  const asked = listQueriesOf(small.amounts);
  await refuseMissing(large.service, asked);
  const rows: Row[] = [];
  for (const [i, there] of listQueriesOf(large.amounts).entries()) {
    if (!there.path.includes(only)) continue;
    const [ms, msGrown] = await inTurns(await askerOf(small, asked[i]!), await askerOf(large, there));
    rows.push({
      what: `${engine}: ${nameOf(there)}`,
      figures: {
        [`ms with ${few.toLocaleString('en')} rows`]: round(ms, 3),
        [`ms with ${many.toLocaleString('en')} rows`]: round(msGrown, 3),
        ratio: round(msGrown / ms),
      },
    });
  }
  for (const { remove } of [small, large]) await remove();
  return rows;
}

/** A readable name, without the specific day or user. */
const nameOf = ({ path, query, begins }: ListQuery): string =>
  `${path}${query && `?${query.replace(/(from|to|user_id)=\d+/g, '$1').replace(/cursor=.*/, 'cursor (middle)')}`}${begins ? ' (first byte)' : ''}`;

async function growFile(amounts: Amounts): Promise<Grown> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lists-'));
  await (await startService({ DATA_DIR: folder })).stop();
  fillFile(join(folder, 'svc.db'), amounts);
  const service = await startService({ DATA_DIR: folder });
  const remove = async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { amounts, service, own: await makeOwn(service), remove };
}

async function growServer(admin: SQL, amounts: Amounts): Promise<Grown> {
  const name = `svc_lists_${amounts.usage}_${Date.now()}`;
  await admin.unsafe(`create database ${name}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const ENCRYPTION_KEY = 'ab'.repeat(32);
  const env = { DATABASE_URL: url.href, REDIS_URL: redisUrl, REDIS_PREFIX: `${name}:`, ENCRYPTION_KEY };
  await (await startService(env)).stop();
  await fillServer(url.href, amounts);
  const service = await startService(env);
  const remove = async () => {
    await service.stop();
    await admin.unsafe(`drop database ${name} with (force)`);
  };
  return { amounts, service, own: await makeOwn(service), remove };
}

type Ask = () => Promise<number>;

/** Requests one list; resolves to the milliseconds until the response, or its first bytes. */
async function askerOf({ service, own }: Grown, { path: template, query, byKey, begins }: ListQuery): Promise<Ask> {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => own[name as keyof Own]);
  const headers: Record<string, string> = byKey
    ? { authorization: `Bearer ${service.key}` }
    : { cookie: service.cookie };
  const asked = query === 'cursor' ? `cursor=${await firstCursor(service, path)}` : query;
  const url = `${service.url}${path}${asked && `?${asked}`}`;
  return async () => {
    const before = performance.now();
    const response = await fetch(url, { headers });
    const reader = begins ? response.body!.getReader() : undefined;
    const read = await (reader ? reader.read() : response.text());
    const ms = performance.now() - before;
    await reader?.cancel();
    if (!response.ok) throw new Error(`${url}: ${response.status} ${JSON.stringify(read)}`);
    return ms;
  };
}

async function firstCursor(service: Service, path: string): Promise<string> {
  const { data } = (await service.call(path, 'GET')) as { data: { next_cursor: string | null } };
  if (!data.next_cursor) throw new Error(`${path} has one page only`);
  return data.next_cursor;
}

async function inTurns(one: Ask, other: Ask): Promise<[number, number]> {
  const pairs: [number, number][] = [];
  for (let i = 0; i < warmUps + rounds; i += 1) pairs.push([await one(), await other()]);
  const seen = pairs.slice(warmUps);
  return [median(seen.map(([ms]) => ms)), median(seen.map(([, ms]) => ms))];
}

interface Described {
  paths: Record<string, { get?: { parameters?: { name: string; in: string }[]; responses?: Record<string, unknown> } }>;
}

/** Not lists, though their responses contain one; the last is `/api/tokens` for applications. */
const others = [
  '/api/admin/channels/{id}',
  '/api/admin/presets',
  '/api/oauth2/authorize',
  '/api/svc-ms/sessions/{session_id}',
  '/api/oauth2/tokens',
];

/** Fails if a list was added to the API but not to this benchmark. */
async function refuseMissing(service: Service, asked: ListQuery[]): Promise<void> {
  // Only the part of the document that is used here is typed.
  const { paths } = (await service.call('/openapi.json', 'GET')) as unknown as Described;
  const known = new Set(asked.map(({ path }) => path.replace(/\/grown-\d+\//, '/{session_id}/')));
  const isList = ({ parameters, responses }: NonNullable<Described['paths'][string]['get']>): boolean =>
    parameters?.some(({ name }) => /^(page|limit|page_?size)$/i.test(name)) ||
    JSON.stringify(responses?.['200'] ?? '').includes('"array"');
  const missing = Object.entries(paths).flatMap(([path, { get }]) =>
    get && isList(get) && !known.has(path) && !others.includes(path) ? [path] : [],
  );
  if (missing.length > 0) throw new Error(`not measured: ${missing.join(', ')}`);
}
