/** One of two processes is paused (SIGSTOP) during work of every kind, and resumes after the other has finished it. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import OpenAI, { toFile } from 'openai';
import { randomString } from '../../server/src/lib/ids.ts';
import { scriptedStripe } from '../../server/src/topups/stripe.fixture.ts';
import { localhostTls } from '../../server/src/video/localhost-tls.fixture.ts';
import { film, startUpstream as startVideos } from '../../server/src/video/upstream.fixture.ts';
import { says } from '../relay-replies.ts';
import { answersPostgres, answersRedis } from '../servers.ts';
import { type Service, startService, until } from '../service.ts';
import { startUpstream } from '../upstream.ts';
import { printSeen, saw } from './table.ts';

const postgresUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const redisUrl = process.env.REDIS_URL_TEST ?? 'redis://127.0.0.1:6379';
const reachable = (await answersPostgres(postgresUrl)) && (await answersRedis(redisUrl));
const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  printSeen();
}, 300_000);

const lines = 12;
const paragraphs = 40;
const perDollar = 500_000;
const startQuota = 100_000_000;

async function ownDatabase() {
  const name = `svc_fault_stopped_${randomString(10).toLowerCase()}`;
  const admin = new SQL(postgresUrl, { max: 1 });
  await admin.unsafe(`create database ${name}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  const db = new SQL(url.href, { max: 1 });
  closers.push(async () => {
    await db.close();
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  });
  return { db, env: { DATABASE_URL: url.href, REDIS_URL: redisUrl, REDIS_PREFIX: `${name}:` } };
}

/** Requests of the first process wait until they are released; those of the other are answered at once. */
class Gate {
  open = false;
  readonly #waiting: (() => void)[] = [];

  async pass(): Promise<void> {
    if (!this.open) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  letGo(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Models, a video provider, a callback receiver and Stripe, all behind the gate. */
function startOutside(gate: Gate) {
  const asked = { lines: 0, background: 0, texts: 0 };
  const models = startUpstream(async (request) => {
    const text = JSON.stringify(request.body);
    const inputs = request.path.endsWith('/embeddings') ? (request.body.input as string[]) : null;
    if (inputs) asked.texts += inputs.length;
    else asked[text.includes('line ') ? 'lines' : 'background'] += 1;
    await gate.pass();
    if (!inputs) return says('openai', { text: 'fine' })(request);
    const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding: [1, 2, 3] }));
    return Response.json({ object: 'list', data, usage: { prompt_tokens: 100, total_tokens: 100 } });
  });
  const films = startVideos('openai', { status: 'completed', onDownload: () => gate.pass().then(() => undefined) });
  const quick = startVideos('openai', { status: 'completed' });
  const told: string[] = [];
  const receiver = Bun.serve({
    ...{ port: 0, tls: localhostTls, idleTimeout: 0 },
    fetch: async (request) => {
      told.push(await request.text());
      await gate.pass();
      return new Response();
    },
  });
  const stripe = scriptedStripe();
  stripe.onRetrieve = () => gate.pass();
  closers.push(() => {
    for (const server of [models, films, quick]) server.stop();
    return Promise.all([stripe.close(), receiver.stop(true)]);
  });
  return { asked, models, films, quick, told, stripe, hook: `https://localhost:${receiver.port}/hook` };
}

test.skipIf(!reachable)(
  'the other process takes over the work of a stopped process; nothing is repeated when it resumes',
  async () => {
    const { db, env } = await ownDatabase();
    const gate = new Gate();
    const outside = startOutside(gate);
    const { asked, films, quick, told, stripe } = outside;
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-stopped-'));
    closers.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const start = async (): Promise<Service> => {
      const service = await startService({
        dataDir,
        env: {
          ...env,
          ...{ DATABASE_POOL: '5', ENCRYPTION_KEY: 'ab'.repeat(32), DEMO_PROVIDER: 'off' },
          // Both processes are one service with one address for Stripe.
          BASE_URL: 'http://svc.test',
          STRIPE_SECRET_KEY: stripe.secretKey,
          STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
          STRIPE_API_URL: stripe.url,
          // The receiver's certificate is self-signed.
          ...{ ALLOW_PRIVATE_WEBHOOKS: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
        },
      });
      closers.push(() => service.stop());
      return service;
    };
    const stopped = await start();
    const { modelId } = await stopped.serve({
      ...{ kind: 'openai', url: outside.models.url, promptPrice: 10, completionPrice: 20 },
    });
    await stopped.serve({ kind: 'openai', url: outside.models.url, type: 'embedding', promptPrice: 10 });
    const user = await stopped.user(startQuota);
    const key = await user.key();
    const headers = { authorization: `Bearer ${key}` };
    const clientOf = ({ url }: Service) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const idIn = async (answer: Promise<Response>) => ((await (await answer).json()) as { id: string }).id;

    // A batch, a response, a video, a callback, a file of many passages and a payment.
    const asking = Array.from({ length: lines }, (_, n) =>
      JSON.stringify({
        ...{ custom_id: `r${n}`, method: 'POST', url: '/v1/chat/completions' },
        body: { model: modelId, max_tokens: 10, messages: [{ role: 'user', content: `line ${n}` }] },
      }),
    );
    const input = await clientOf(stopped).files.create({
      ...{ file: await toFile(Buffer.from(asking.join('\n')), 'in.jsonl'), purpose: 'batch' },
    });
    const batch = await clientOf(stopped).batches.create({
      ...{ input_file_id: input.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
    });
    const responseId = await idIn(
      stopped.post('/v1/responses', { model: modelId, input: 'later', background: true }, { key }),
    );
    const order = async (url: string, callback: object) => {
      const made = await stopped.serve({ kind: 'openai', url, type: 'video', requestPrice: 0.1 });
      return idIn(stopped.post('/v1/videos', { model: made.modelId, prompt: 'x', ...callback }, { key }));
    };
    const filmId = await order(films.url, {});
    await order(quick.url, { callback_url: outside.hook });
    const form = new FormData();
    const text = Array.from(
      { length: paragraphs },
      (_, n) => `# Heading ${n}\n\n${`Tea and rivers ${n}. `.repeat(30)}`,
    );
    form.set('file', new File([text.join('\n\n')], 'deep.md'));
    await fetch(`${stopped.url}/api/svc-ms/knowledge/import`, { method: 'POST', headers, body: form });
    await user.api('/api/user/topups', { method: 'POST', body: { amount: 10 } });
    const payment = stripe.payments[0]!;
    payment.paid = true;
    const event = await stripe.event('checkout.session.completed', payment);
    const tell = async ({ url }: Service) => {
      const signed = { 'stripe-signature': event.signature, 'content-type': 'application/json' };
      return (await fetch(`${url}/api/stripe/webhook`, { method: 'POST', body: event.body, headers: signed })).status;
    };
    const heardFirst = tell(stopped);
    await until('all of it is under way', () => {
      const calls = asked.lines === 8 && asked.background === 1 && asked.texts > 0;
      return calls && films.downloads === 1 && told.length === 1 && stripe.asked.some((one) => one.includes('/cs_'));
    });

    const other = await start();
    const toldBefore = told.length;
    process.kill(stopped.pid(), 'SIGSTOP');
    const stoppedMs = performance.now();
    gate.open = true;
    expect(await tell(other)).toBe(200);
    const statusOf = async (path: string) =>
      ((await (await fetch(`${other.url}/v1/${path}`, { headers })).json()) as { status: string }).status;
    const seconds: Record<string, string> = {};
    const done: Record<string, () => Promise<boolean>> = {
      batch: async () => (await statusOf(`batches/${batch.id}`)) === 'completed',
      response: async () => (await statusOf(`responses/${responseId}`)) === 'completed',
      film: async () => (await statusOf(`videos/${filmId}`)) === 'completed',
      callback: async () => told.length > toldBefore,
      knowledge: async () => (await db`select 1 from ms_unembedded`).length === 0,
    };
    await until('the other has done all of it', async () => {
      for (const [what, isDone] of Object.entries(done))
        if (!(what in seconds) && (await isDone())) seconds[what] = ((performance.now() - stoppedMs) / 1000).toFixed(1);
      return Object.keys(done).every((what) => what in seconds);
    });

    /** Everything users see of it, and what it cost them. */
    const seen = async () => {
      await until('the log is filed', async () => (await db`select 1 from usage_journal`).length === 0);
      const ended = await clientOf(other).batches.retrieve(batch.id);
      const output = await (await clientOf(other).files.content(ended.output_file_id!)).text();
      const content = await fetch(`${other.url}/v1/videos/${filmId}/content`, { headers });
      const answers = output
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
      return {
        answers: answers.toSorted(),
        film: (await content.bytes()).length,
        rows: await db`select endpoint, count(*)::int as rows, sum(quota)::int as quota from usage_logs
          where user_id = ${user.id} group by endpoint order by endpoint`,
        credits: await db`select amount::int as amount from credits where user_id = ${user.id} order by id`,
        vectors: (await db`select 1 from ms_vectors`).length,
        told: new Set(told).size,
        left: (await db`select 1 from jobs`).length,
      };
    };
    const before = await seen();
    expect(before.answers).toEqual(Array.from({ length: lines }, (_, n) => `r${n}`).toSorted());
    const { film: bytes, told: contents, left, vectors } = before;
    expect([bytes, contents, left, vectors]).toEqual([film.length, 1, 0, paragraphs]);
    expect(before.credits.map(({ amount }: { amount: number }) => amount)).toEqual([startQuota, 10 * perDollar]);
    const callsOf = Object.fromEntries(
      before.rows.map((row: { endpoint: string; rows: number }) => [row.endpoint, row.rows]),
    );
    expect(callsOf).toMatchObject({ '/v1/responses': 1, '/v1/videos': 2 });

    // The answers it was waiting for have arrived in the meantime.
    gate.letGo();
    process.kill(stopped.pid(), 'SIGCONT');
    expect(await heardFirst).toBe(200);
    await until('it is back', async () => (await db`select 1 from owners`).length === 2);
    // It finishes any remaining work before it exits.
    expect(await stopped.kill('SIGTERM')).toBe(0);
    expect(await seen()).toEqual(before);
    saw(
      'SIGSTOP of one of two processes with a batch, a response, a video, a callback, an import and a payment; SIGCONT later',
      'the other takes over each within 10 s; nothing is charged, credited, sent or written twice, then or later',
      Object.entries(seconds)
        .map(([what, after]) => `${what} after ${after} s`)
        .join('; '),
    );
  },
  240_000,
);
