import { afterAll } from 'bun:test';
import { SQL } from 'bun';
import { sql } from 'kysely';
import type { User } from '../../identity/user.ts';
import { type Clock, manualClock, systemClock } from '../../lib/clock.ts';
import { noConnectedTools } from '../../lib/connected-tools.ts';
import { randomString } from '../../lib/ids.ts';
import { SseParser } from '../../lib/sse.ts';
import { createMigrated, openMigrated } from '../../platform/db/migrated.fixture.ts';
import { type OpenDb, openDb } from '../../platform/db/open.ts';
import { beatMs, type Owners, openOwners } from '../../platform/durable/owners.ts';
import { headerSets } from '../../platform/http/headers.ts';
import { type HttpDeps, mountRoutes } from '../../platform/http/mount.ts';
import type { Call } from '../../platform/http/route.ts';
import { openLog } from '../../platform/log.ts';
import { Metrics } from '../../platform/metrics.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { unbounded } from '../../platform/storage-quota/storage-quota.fixture.ts';
import { textOf } from '../messages.ts';
import type { CompleteAnswer, CompleteRequest, Deps } from '../ports.ts';
import { scriptedModels, wordVector } from '../scripted.fixture.ts';
import { newVectorIndex } from '../search/vector-index.ts';
import { newUserQueue } from '../work-slices.ts';
import { type Autonomous, openAutonomous } from './open.ts';

export type Purpose =
  | 'plan'
  | 'revise'
  | 'evaluate'
  | 'judge'
  | 'synthesis'
  | 'task'
  | 'shorten'
  | 'extraction'
  | 'direct';

const marks: [Purpose, string][] = [
  ['plan', 'You split a request into tasks'],
  ['revise', 'You revise the plan'],
  ['evaluate', 'Judge how well the result'],
  ['judge', 'Judge whether the goal is reached'],
  ['synthesis', 'was worked on as several tasks. Write the answer'],
  ['task', 'worked on as several tasks'],
  ['shorten', 'Shorten the result of a task'],
  ['extraction', 'extract facts'],
];

export type Asked = CompleteRequest & { purpose: Purpose; text: string };
export type Script = (asked: Asked) => Scripted | Promise<Scripted>;
type Scripted = string | Partial<CompleteAnswer> | Error;

const usage = { promptTokens: 10, completionTokens: 5 };

export interface Told {
  id: number;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: looked at field by field
  data: any;
}

/** One process of the service: the engine with its routes, on a database it may share with others. */
export interface Place {
  autonomous: Autonomous;
  asked: Asked[];
  warnings: string[];
  /** What a model says; may be replaced at any time. */
  script: Script;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
  call(method: string, path: string, body?: unknown, user?: number): Promise<{ status: number; body: any }>;
  request(path: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  /** Every event of a session's stream, to its end. */
  events(sessionId: string, lastId?: number): Promise<Told[]>;
  execute(message: string, config?: object, more?: object): Promise<{ execution_id: string; session_id: string }>;
  /** Time passes for the liveness of this process and of those it listens to, which otherwise stands still. */
  beats(ms: number): Promise<void>;
  close(): Promise<void>;
}

export async function openPlace(
  database: OpenDb,
  script: Script,
  options: {
    shared?: Shared;
    guardMs?: number;
    deps?: Partial<Omit<Deps, 'owners'>>;
    recheckCaller?(): void;
    start?: boolean;
  } = {},
): Promise<Place> {
  const shared = options.shared ?? memoryShared();
  const asked: Asked[] = [];
  const warnings: string[] = [];
  const listening = manualClock();
  const owners = await join(database, listening);
  const deps: Deps & { shared: Shared } = {
    db: database.db,
    clock: systemClock,
    owners,
    storage: unbounded,
    shared,
    near: newVectorIndex(),
    searches: newUserQueue(2),
    permit: (caller) => caller,
    parallelRuns: () => 1_000,
    requireMoney: async () => {},
    connectedTools: noConnectedTools,
    models: () => scriptedModels,
    operator: () => ({ plan: '', easy: '', medium: '', hard: '', embedding: '', rerank: '' }),
    startImport: async () => {},
    background: (work) => void work.catch(() => {}),
    warn: (message) => void warnings.push(message),
    complete: async (request) => {
      const text = request.messages.map(textOf).join('\n');
      const one: Asked = { ...request, text, purpose: marks.find(([, mark]) => text.includes(mark))?.[0] ?? 'direct' };
      asked.push(one);
      const left = Promise.withResolvers<never>();
      left.promise.catch(() => {});
      request.signal.addEventListener('abort', () => left.reject(new DOMException('aborted', 'AbortError')));
      const given = await Promise.race([place.script(one), left.promise]);
      if (given instanceof Error) throw given;
      const answer = typeof given === 'string' ? { message: { role: 'assistant' as const, content: given } } : given;
      const message = answer.message ?? { role: 'assistant', content: '' };
      if (request.stream) for (const word of textOf(message).match(/\S+\s*/g) ?? []) request.onDelta?.(word);
      return { finishReason: 'stop', usage, model: request.model, provider: 'scripted', ...answer, message };
    },
    embed: async ({ texts }) => ({
      vectors: texts.map(wordVector),
      usage: { promptTokens: 1, completionTokens: 0 },
    }),
    rerank: async () => ({ results: [], usage: { promptTokens: 1, completionTokens: 0 } }),
    ...options.deps,
  };
  const { guardMs = 100, recheckCaller = () => {} } = options;
  const autonomous = openAutonomous({ ...deps, recheckCaller }, guardMs);
  const ask = askerOf(autonomous, shared);
  const request: Place['request'] = async (path, headers = {}, signal) =>
    ask(path, { headers: { 'x-user': '1', ...headers }, signal });
  const place: Place = {
    autonomous,
    asked,
    warnings,
    script,
    request,
    async call(method, path, body, user = 1) {
      const response = await ask(path, {
        method,
        headers: { 'x-user': `${user}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return { status: response.status, body: response.status === 204 ? null : await response.json() };
    },
    async events(sessionId, lastId) {
      const response = await request(
        `/${sessionId}/events`,
        lastId === undefined ? {} : { 'last-event-id': `${lastId}` },
      );
      return response.body ? readEvents(response.body) : [];
    },
    async execute(message, config = {}, more = {}) {
      const { status, body } = await place.call('POST', '/execute', { message, config, ...more });
      if (status !== 200) throw new Error(`execute: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    async beats(ms) {
      for (let passed = 0; passed < ms; passed += beatMs) {
        listening.advance(beatMs);
        await owners.look();
      }
    },
    close: async () => {
      await autonomous.stop();
      await owners.leave();
      if (!options.shared) await shared.close();
    },
  };
  if (options.start !== false) await autonomous.start();
  return place;
}

/** Two processes on one SQLite file do not happen; here they stand for two on PostgreSQL, and leave each other on the list. */
async function join({ db, engine }: OpenDb, clock: Clock): Promise<Owners> {
  const others = engine === 'sqlite' ? await db.selectFrom('owners').selectAll().execute() : [];
  const owners = await openOwners({ db, log: openLog('silent'), clock });
  if (others.length > 0) await db.insertInto('owners').values(others).execute();
  return owners;
}

export async function readEvents(body: ReadableStream<Uint8Array>, most = Number.POSITIVE_INFINITY): Promise<Told[]> {
  const parser = new SseParser();
  const told: Told[] = [];
  for await (const chunk of body) {
    for (const { id, event, data } of parser.push(chunk)) told.push({ id: Number(id), event, data: JSON.parse(data) });
    if (told.length >= most) break;
  }
  return told;
}

function askerOf(autonomous: Autonomous, shared: Shared) {
  const principal = (id: number) => ({
    user: { id, group: 'default' } as User,
    keyId: null,
    models: [],
    unlimited: true,
    limitKey: `u${id}`,
  });
  const router = mountRoutes(autonomous.routes, {
    authenticators: {
      keyOrSession: ({ request: { headers } }: Call) => principal(Number(headers.get('x-user') ?? 1)),
    } as unknown as HttpDeps['authenticators'],
    limiter: { shared, limitOf: () => 0, enabled: () => false },
    recordAct: async () => {},
    idempotency: {} as HttpDeps['idempotency'],
    userIdOf: () => null,
    log: openLog('silent'),
    metrics: new Metrics(),
    trustedProxies: [],
    headers: headerSets(false),
    accessLog: () => false,
  });
  return async (path: string, init: RequestInit): Promise<Response> =>
    router.fetch(new Request(`http://localhost/api/svc-ms/autonomous${path}`, init));
}

const serverUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';

export const openSqlite = (): Promise<OpenDb> => openMigrated();

/** How to open an empty database with these tables, per engine that can be reached. */
export async function engines(): Promise<[string, () => Promise<OpenDb>][]> {
  const list: [string, () => Promise<OpenDb>][] = [['sqlite', openSqlite]];
  const admin = new SQL(serverUrl, { max: 1, connectionTimeout: 5 });
  const name = `svc_autonomous_${randomString(12).toLowerCase()}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const made = await createMigrated(admin, serverUrl, name).then(
    () => true,
    () => false,
  );
  // One database a file, emptied for each test: making one takes as long as most tests.
  const openPostgres = async () => {
    const opened = await openDb({ url: url.href, poolSize: 4 });
    await sql`truncate owners, ms_sessions, ms_knowledge, ms_patterns, ms_preferences restart identity cascade`.execute(
      opened.db,
    );
    return opened;
  };
  if (made) list.push(['postgres', openPostgres]);
  afterAll(async () => {
    if (made) await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  }, 30_000);
  return list;
}

export const planOf = (...tasks: { id: string; needs?: string[]; difficulty?: string }[]): string =>
  JSON.stringify({
    description: 'The plan',
    tasks: tasks.map(({ id, needs = [], difficulty = 'easy' }) => ({
      id,
      title: `Title ${id}`,
      instruction: `do ${id}`,
      difficulty,
      depends_on: needs,
    })),
  });

/** A goal that the rules send to the planner. */
export const bigGoal = '1. Research the market\n2. Write a summary\n3. Propose a name';

/** Which task of a plan a call is for. */
export const taskOf = ({ text }: Asked): string => /Your task: Title (\w+)/.exec(text)?.[1] ?? '';

export const score = (value: number, feedback = 'fine'): string => JSON.stringify({ score: value, feedback });
export const judged = (confidence: number, missing: string[] = []): string => JSON.stringify({ confidence, missing });

/** Everything goes well: two tasks and one that needs both. */
export const goodScript: Script = (asked) => {
  if (asked.purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' }, { id: 'c', needs: ['a', 'b'] });
  if (asked.purpose === 'evaluate') return score(0.9);
  if (asked.purpose === 'judge') return judged(0.95);
  return `result of ${taskOf(asked) || asked.purpose}`;
};

export const never = (): Promise<never> => new Promise(() => {});
