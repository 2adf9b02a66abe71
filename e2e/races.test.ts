/**
 * The same request several times at once, and everything that can be done to a thing while it ends: no server error, no
 * deadlock, one effect, answers in the endpoint's format, and nothing left of what is gone.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { type ApiDocument, type Endpoint, endpointsOf, missingMembers } from './fuzz/document.ts';
import { seeded } from './fuzz/random.ts';
import { hasBoth, type OwnDatabase, ownDatabase } from './own-database.ts';
import { ofAnswers } from './races/answers.ts';
import { ofApplications } from './races/applications.ts';
import { ofFiles } from './races/files.ts';
import { ofOperators } from './races/operator.ts';
import { ofOrganisations } from './races/organisation.ts';
import { ofUsers } from './races/own.ts';
import { type Act, type Thing, unreachable } from './races/thing.ts';
import { type Ids, type Seen, type Who, whoIs } from './races/who.ts';
import { type Caller, type Service, startService, until } from './service.ts';

const missing = !(await hasBoth());
if (missing) console.warn('skipped: PostgreSQL or Redis is missing, so two processes were not raced');

const env = { DEMO_PROVIDER: 'on', LOG_LEVEL: 'error', OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1' };
const things = [...ofOrganisations, ...ofApplications, ...ofFiles, ...ofAnswers, ...ofUsers, ...ofOperators];
const times = 4;
/** `SVC_RACE_SEED=n` chooses another order. */
const seed = Number(process.env.SVC_RACE_SEED ?? 1);
/** Credits of each user, which nothing here uses up. */
const given = 100_000_000;

interface Track {
  endpoints: (Endpoint & { pattern: RegExp })[];
  services: Service[];
  guest: Caller;
  faults: Set<string>;
}

/** Providers and servers are unreachable here. */
const isElsewhere =
  /No provider of 'm\/|server s\w+ failed|list of tools|Signing in to|could not be reached|This service does not/;

/** What is wrong with an answer, whatever the outcome of the race. */
function faultOf({ endpoints }: Track, { request, status, text }: Seen): string | null {
  const [path = '', method] = request.split(' ').toReversed();
  const endpoint = endpoints.find((one) => one.method === method && one.pattern.test(path.split('?')[0]!));
  if (!endpoint) return 'there is no such endpoint';
  if (status >= 500 && !isElsewhere.test(text)) return `${status} ${text}`;
  // A deadlock, which the database ended.
  if (text.includes('Something else changed at the same moment')) return text;
  if (status < 400) return null;
  const parsed = maybeJson(text);
  return missingMembers(parsed, endpoint.errorMembers).length > 0 ? `another format: ${status} ${text}` : null;
}

function maybeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const bodyOf = ([, body]: Act, ids: Ids): unknown => (typeof body === 'function' ? body(ids) : body);
const succeeded = ({ status }: Seen): boolean => status < 300;

async function newWho({ services, guest }: Track): Promise<Who> {
  const user = await services[0]!.user(given);
  return whoIs(services, user, await user.key(), guest);
}

/** Sends each of them, starting at different processes. */
async function send(track: Track, who: Who, ids: Ids, acts: Act[]): Promise<Seen[]> {
  const seen = await Promise.all(acts.map((act, at) => who.ask(act[0], bodyOf(act, ids), ids, at)));
  for (const one of seen) {
    const fault = faultOf(track, one);
    if (fault) track.faults.add(`${one.request}: ${fault}`);
  }
  return seen;
}

async function raceOnce(track: Track, who: Who, { acts, ends, make }: Thing): Promise<void> {
  const once = [...acts.filter(([, , how]) => how === 'once'), ...ends.filter(([, , how]) => how !== 'again')];
  for (const act of once) {
    const ids = await make(who);
    const seen = await send(
      track,
      who,
      ids,
      Array.from({ length: times }, () => act),
    );
    const count = seen.filter(succeeded).length;
    if (count !== 1) track.faults.add(`${act[0]} at once: ${seen.map(({ status }) => status)} ${seen[0]!.text}`);
  }
}

/** Each end in the middle of everything else. Returns who is there for the next thing. */
async function raceEnds(track: Track, first: Who, { acts, ends, make }: Thing): Promise<Who> {
  let who = first;
  for (const end of ends.length > 0 ? ends : [null]) {
    const ids = await make(who);
    const random = seeded(seed);
    const all = [...acts, ...acts, ...(end ? [end, end] : [])]
      .map((act) => ({ act, at: random.next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ act }) => act);
    await send(track, who, ids, all);
    // What happens once, alone with the end: more of it meets.
    const once = acts.filter(([, , how]) => how === 'once');
    if (end && once.length > 0) await send(track, who, await make(who), [...once, end, ...once, end, ...once]);
    // Registering takes as long as all of this.
    if (end?.[0].includes('/users/')) who = await newWho(track);
  }
  return who;
}

async function startTrack(services: Service[]): Promise<Track> {
  const [first] = services as [Service];
  for (const provider of ['p', 'q']) {
    const body = { name: provider, provider, kind: 'openai', base_url: unreachable, credential: 'sk-0123456789abcdef' };
    await first.root.api('/api/admin/channels', { method: 'POST', body });
  }
  const options = ['OAuth2Enabled', 'OwnKeys', 'McpUserServers', 'OAuth2DynamicRegistration'];
  for (const key of options) await first.root.api('/api/admin/options', { method: 'PUT', body: { key, value: true } });
  const about = '/.well-known/oauth-authorization-server';
  for (const { url } of services)
    await until('the process knows the options', async () =>
      (await (await fetch(url + about)).text()).includes('"registration_endpoint"'),
    );
  const document = (await (await fetch(`${first.url}/openapi.json`)).json()) as ApiDocument;
  const endpoints = endpointsOf(document).map((endpoint) => ({
    ...endpoint,
    pattern: new RegExp(`^${endpoint.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return { endpoints, services, guest: await first.user(), faults: new Set() };
}

async function race(services: Service[]): Promise<string[]> {
  const track = await startTrack(services);
  let who = await newWho(track);
  for (const thing of things) {
    await raceOnce(track, who, thing);
    who = await raceEnds(track, who, thing);
  }
  return [...track.faults];
}

/** Which foreign keys cannot say: levels of budgets, and files. */
async function leftovers(database: OwnDatabase, dataDir: string): Promise<string[]> {
  const sql = new SQL(database.url, { max: 1 });
  const found: string[] = [];
  for (const table of ['organisation_budgets', 'organisation_limits']) {
    const rows = await sql.unsafe(`select b.level_id from ${table} b where b.level = 'team'
      and not exists (select 1 from organisation_teams t where t.id = b.level_id)`);
    if (rows.length > 0) found.push(`${rows.length} in ${table} of no team`);
  }
  const rows = await sql.unsafe(
    'select blob from files union select blob from upload_parts union select input_blob from batches union select results_blob from batches',
  );
  const known = new Set(rows.map(({ blob }: { blob: string }) => blob));
  const folder = join(dataDir, 'blobs', 'data');
  for (const file of readdirSync(join(folder, 'files'), { recursive: true }))
    if (!known.has(`files/${file}`)) found.push(`the file ${file} of nothing`);
  const [{ deadlocks }] = await sql.unsafe('select deadlocks from pg_stat_database where datname = current_database()');
  if (Number(deadlocks) > 0) found.push(`${deadlocks} deadlocks`);
  await sql.close();
  return found;
}

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of close.toReversed()) await end();
  close = [];
});

async function start(options: Parameters<typeof startService>[0]): Promise<Service> {
  const service = await startService(options);
  close.push(() => service.stop());
  return service;
}

test('what happens at the same moment has one effect, and ends leave nothing behind', async () => {
  expect(await race([await start({ env })])).toEqual([]);
}, 300_000);

describe.skipIf(missing)('two processes', () => {
  test('what happens at the same moment has one effect, and ends leave nothing behind', async () => {
    const database = await ownDatabase();
    close.push(() => database.drop());
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-races-'));
    close.push(async () => rmSync(dataDir, { recursive: true, force: true }));
    const options = { dataDir, env: { ...env, ...database.withRedis } };
    const services = [await start(options), await start(options)];
    expect(await race(services)).toEqual([]);
    await until('everything is cleared', async () => (await leftovers(database, dataDir)).length === 0).catch(() => {});
    expect(await leftovers(database, dataDir)).toEqual([]);
  }, 300_000);
});
