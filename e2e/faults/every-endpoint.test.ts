/** While PostgreSQL is gone, every endpoint says so with 503, in its own error format. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ApiDocument, type Endpoint, endpointsOf, missingMembers } from '../fuzz/document.ts';
import { env } from '../fuzz/no-fault.ts';
import { type Made, makeRequest, randomOf, worldFor } from '../fuzz/request.ts';
import { makeWorlds } from '../fuzz/world.ts';
import { NoServer, type OwnServer, ownPostgres } from '../servers.ts';
import { type Service, startService } from '../service.ts';

let service: Service | undefined;
let postgres: OwnServer;

beforeAll(async () => {
  try {
    postgres = await ownPostgres();
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    return console.log(`SKIPPED: every endpoint without its database (${error.message})`);
  }
  service = await startService({ env: { ...env, DATABASE_URL: postgres.url } });
}, 300_000);
afterAll(async () => {
  await service?.stop();
  await postgres?.remove();
});

/** What is answered from memory, or with a page that asks again. Messages of MCP have a test of their own. */
const needNothing = [
  /^GET \S*\/\.well-known\//,
  /^GET \/client-metadata\.json$/,
  /^(GET|POST) \/api\/oauth2\/end_session$/,
  /^POST \/oauth2\/authorize$/,
  /^POST \/v1\/messages\/count_tokens$/,
  /^POST \/v1\/responses\/input_tokens$/,
  /^POST \/v1beta\/models\/\S+:countTokens$/,
  /^POST \/v1\/realtime\/client_secrets$/,
  / \/mcp(\/|$)/,
];
const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

const tries = 8;
const workers = 8;
const trustedMs = 30_000;
/** Streams are not read to their end. */
const streamMs = 250;

async function ask(under: Service, { method, path, headers, body }: Made) {
  const answer = await fetch(under.url + path, {
    ...{ method, headers, redirect: 'manual' },
    ...(body !== undefined && { body: body as string }),
  });
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
  const text = await Promise.race([answer.text(), ...(isStream ? [Bun.sleep(streamMs).then(() => '')] : [])]);
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text };
}

/** What is remembered, as who has a key and what a free model costs, is trusted for a while without the database. */
async function askUntilForgotten(under: Service, made: Made) {
  const started = performance.now();
  for (;;) {
    const answer = await ask(under, made).catch((error) => ({ status: 0, retryAfter: null, text: String(error) }));
    if (answer.status === 503 || answer.status === 0 || performance.now() - started > trustedMs) return answer;
    await Bun.sleep(500);
  }
}

async function inParallel<T>(all: readonly T[], work: (one: T, at: number) => Promise<void>): Promise<void> {
  const waiting = [...all.entries()].reverse();
  const worker = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** A request for each endpoint that has succeeded, reading before writing. */
async function succeeding(under: Service): Promise<Map<Endpoint, Made>> {
  const worlds = await makeWorlds(under, 1);
  const document = (await (await fetch(`${under.url}/openapi.json`)).json()) as ApiDocument;
  const endpoints = endpointsOf(document).filter((one) => !needNothing.some((pattern) => pattern.test(nameOf(one))));
  const found = new Map<Endpoint, Made>();
  const find = async (endpoint: Endpoint, at: number) => {
    for (let turn = 0; turn < tries; turn++) {
      const random = randomOf(at, turn);
      const made = makeRequest(endpoint, worldFor(worlds, endpoint), document.components.schemas, random, true);
      const { status } = await ask(under, made);
      if (status < 400) return void found.set(endpoint, made);
    }
  };
  const reads = endpoints.filter(({ method }) => method === 'GET');
  await inParallel(reads, find);
  await inParallel(
    endpoints.filter((one) => !reads.includes(one)),
    find,
  );
  return found;
}

test('every endpoint answers 503 and when to ask again', async () => {
  if (!service) return;
  const under = service;
  const found = await succeeding(under);
  // Or the test would prove little.
  expect(found.size).toBeGreaterThan(230);
  await postgres.stop('crash');
  const odd: string[] = [];
  await inParallel([...found], async ([endpoint, made]) => {
    const { status, retryAfter, text } = await askUntilForgotten(under, made);
    const missing = status === 503 ? missingMembers(JSON.parse(text), endpoint.errorMembers) : [];
    if (status !== 503 || retryAfter === null || missing.length > 0)
      odd.push(`${nameOf(endpoint)}: ${status}, retry-after ${retryAfter}, without ${missing}: ${text.slice(0, 200)}`);
  });
  expect(odd).toEqual([]);
}, 300_000);
