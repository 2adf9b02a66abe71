/** Work that outlives its process: every process is killed right after a call was charged, and no call is made or paid twice. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import OpenAI, { toFile } from 'openai';
import { ofThisRun } from './of-this-run.ts';
import { hasPostgres, ownDatabase } from './own-database.ts';
import { programWith } from './program.ts';
import { says } from './relay-replies.ts';
import { type Caller, type Service, startService, until } from './service.ts';
import { type Asked, startUpstream, type Upstream } from './upstream.ts';

const engines = ofThisRun((await hasPostgres()) ? ['sqlite', 'postgres'] : ['sqlite']);
const place = mkdtempSync(join(tmpdir(), 'svc-paid-'));
const program = await programWith(join(import.meta.dir, 'hang-after-charge.ts'), join(place, 'svc'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const balance = 10_000_000;
/** More than any of the works below makes calls. */
const mostDeaths = 15;

interface Engine {
  env: Record<string, string>;
  /** The dead are found after some seconds of silence, which are not waited for here. */
  buryTheDead(): Promise<void>;
  drop(): Promise<void>;
}

async function openEngine(engine: string): Promise<Engine> {
  if (engine === 'sqlite') return { env: {}, buryTheDead: async () => {}, drop: async () => {} };
  const { url, env, drop } = await ownDatabase();
  const own = new SQL(url, { max: 1 });
  return {
    env,
    buryTheDead: async () => void (await own.unsafe('delete from owners')),
    drop: async () => {
      await own.close();
      await drop();
    },
  };
}

const promptOf = ({ body }: Asked): string => JSON.stringify(body.messages ?? body.input);
const plan = {
  description: 'The plan',
  tasks: [{ id: 'a', title: 'Title a', instruction: 'do a', difficulty: 'easy', depends_on: [] }],
};
const lookup = { type: 'function', function: { name: 'lookup', parameters: { type: 'object', properties: {} } } };

function answer(asked: Asked): Response | Promise<Response> {
  if (asked.path.endsWith('/embeddings'))
    return Response.json({
      ...{ object: 'list', model: 'e', data: [{ object: 'embedding', index: 0, embedding: [0.6, 0.8] }] },
      usage: { prompt_tokens: 9, total_tokens: 9 },
    });
  const prompt = promptOf(asked);
  const say = (text: string) => says('openai', { text })(asked);
  if (prompt.includes('You split a request into tasks')) return say(JSON.stringify(plan));
  if (prompt.includes('Judge how well the result')) return say('{"score": 0.9, "feedback": "fine"}');
  if (prompt.includes('Judge whether the goal')) return say('{"confidence": 0.95, "missing": []}');
  if (prompt.includes('extract facts')) return say('{"facts": []}');
  if (asked.body.tools && !prompt.includes('it says seven'))
    return says('openai', { calls: [{ id: 'c', name: 'lookup', args: {} }] })(asked);
  return say('the answer is seven');
}

describe.each(engines)('with a SIGKILL after every charge, calls are paid once on %s', (engine) => {
  let database: Engine;
  let service: Service;
  let upstream: Upstream;
  let chat: string;
  beforeAll(async () => {
    database = await openEngine(engine);
    upstream = startUpstream(answer);
    const env = { DEMO_PROVIDER: 'off', ENCRYPTION_KEY: 'ab'.repeat(32), ...database.env };
    service = await startService({ env, program });
    const { url } = upstream;
    chat = (await service.serve({ kind: 'openai', url, promptPrice: 10, completionPrice: 20 })).modelId;
    await service.serve({ kind: 'openai', url, type: 'embedding', promptPrice: 10 });
  }, 100_000);
  afterAll(async () => {
    await service.stop();
    upstream.stop();
    await database.drop();
  }, 100_000);

  const hasCharged = () => service.output().includes('charged, and silent');

  /** Until it is over, each process dies right after its first charge; tells how many have. */
  async function throughDeaths(isOver: () => Promise<boolean>): Promise<number> {
    for (let deaths = 0; deaths < mostDeaths; deaths += 1) {
      await until('something is charged, or all is over', async () => hasCharged() || (await isOver()));
      if (!hasCharged()) return deaths;
      await service.kill('SIGKILL');
      await database.buryTheDead();
      await service.restart();
    }
    throw new Error(`not over after ${mostDeaths} deaths, and ${upstream.asked.length} calls`);
  }

  interface Logged {
    logs: { quota: number; status: string }[];
  }
  /** Each call has one entry, and all of them together are what left the balance. */
  async function expectPaidOnce(user: Caller, parent: string, deaths: number, callsBefore: number): Promise<number> {
    const path = `/api/usage/logs?parent_request_id=${parent}&page_size=100`;
    const { logs } = await user.api<Logged>(path);
    const paid = logs.reduce((sum, { quota }) => sum + quota, 0);
    expect(logs.map(({ status }) => status)).toEqual(logs.map(() => 'ok'));
    expect([deaths, upstream.asked.length - callsBefore]).toEqual([logs.length, logs.length]);
    expect(await service.self(user)).toMatchObject({ quota: balance - paid, used_quota: paid });
    return paid;
  }

  const numbered = '1. Look the number up\n2. Write a summary\n3. Propose a name';
  /** Of a model of ours, whose calls are its own; nothing is to follow the answer. */
  const planned = { model: 'svc/svc-ms', svc_ms: { remember: false } };

  test('a run with recall, plan, tool round, results, evaluations and judgements', async () => {
    const user = await service.user(balance);
    const key = await user.key();
    const post = async (path: string, body: object) => {
      const answer = await service.post(`/api/svc-ms/autonomous${path}`, body, { key });
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as Record<string, never>;
    };
    const before = upstream.asked.length;
    const { execution_id } = await post('/execute', { message: numbered, session_id: 's1', tools: [lookup] });
    interface Status {
      status: string;
      total_cost: number;
      result: string;
      pending_tool_calls: { id: string }[];
    }
    let status: Status | undefined;
    const deaths = await throughDeaths(async () => {
      const answer = await fetch(`${service.url}/api/svc-ms/autonomous/s1/status`, {
        headers: { authorization: `Bearer ${key}` },
      });
      status = (await answer.json()) as Status;
      const results = status.pending_tool_calls.map(({ id }) => ({ tool_call_id: id, content: 'it says seven' }));
      if (results.length > 0) await post('/s1/tool-results', { results });
      return status.status === 'completed';
    });
    expect(status).toMatchObject({ status: 'completed', result: 'the answer is seven' });
    const paid = await expectPaidOnce(user, String(execution_id), deaths, before);
    expect(status!.total_cost).toBe(paid);
    expect(deaths).toBeGreaterThanOrEqual(6);
  }, 300_000);

  test.each([
    ['a line of a batch', () => ({ model: chat, messages: [{ role: 'user', content: 'which number?' }] }), 1],
    ['a line of a batch that is planned', () => ({ ...planned, messages: [{ role: 'user', content: numbered }] }), 2],
  ] as const)(
    '%s',
    async (_, bodyOf, calls) => {
      const user = await service.user(balance);
      const openai = new OpenAI({ apiKey: await user.key(), baseURL: `${service.url}/v1`, maxRetries: 0 });
      const before = upstream.asked.length;
      const body = { ...bodyOf(), max_tokens: 10 };
      const line = JSON.stringify({ custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body });
      const file = await openai.files.create({ file: await toFile(Buffer.from(line), 'in.jsonl'), purpose: 'batch' });
      const { id } = await openai.batches.create({
        ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
      });
      const deaths = await throughDeaths(async () => (await openai.batches.retrieve(id)).status === 'completed');
      await expectPaidOnce(user, id, deaths, before);
      expect(deaths).toBe(calls);
      const { output_file_id } = await openai.batches.retrieve(id);
      expect(await (await openai.files.content(output_file_id!)).text()).toContain('the answer is seven');
    },
    300_000,
  );

  test.each([
    ['a response in the background', () => ({ model: chat, input: 'which number?' }), 1],
    ['a response in the background that is planned', () => ({ ...planned, input: numbered }), 2],
  ] as const)(
    '%s',
    async (_, bodyOf, calls) => {
      const user = await service.user(balance);
      const openai = new OpenAI({ apiKey: await user.key(), baseURL: `${service.url}/v1`, maxRetries: 0 });
      const before = upstream.asked.length;
      const { id } = await openai.responses.create({ ...bodyOf(), background: true });
      const deaths = await throughDeaths(async () => (await openai.responses.retrieve(id)).status === 'completed');
      await expectPaidOnce(user, id, deaths, before);
      expect(deaths).toBe(calls);
      expect((await openai.responses.retrieve(id)).output_text).toBe('the answer is seven');
    },
    300_000,
  );
});
