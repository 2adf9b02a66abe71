/** Budgets of organisations over the whole way: at each level, on each endpoint, nobody gets beyond the last unit. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { goal, planningModel } from './autonomous-run.ts';
import { answersEverything, everyEndpoint, type ModelType } from './every-endpoint.ts';
import { ofThisRun } from './of-this-run.ts';
import { hasPostgres, type OwnDatabase, ownDatabase } from './own-database.ts';
import { type Caller, type Service, startService, until } from './service.ts';
import { type Script, startUpstream, type Upstream } from './upstream.ts';

const missing = !(await hasPostgres());
if (missing) console.warn('skipped: PostgreSQL is missing, so budgets were not tried with two processes');

const levels = ['key', 'member', 'team', 'organisation'] as const;
type Level = (typeof levels)[number];

/** What each request puts aside, and costs: 0.0002 dollars. */
const price = 100;
const chat = [{ role: 'user', content: 'hi' }];
/** Paths and bodies of one question to a model. */
const endpoints: [path: string, body: Record<string, unknown>][] = [
  ['/v1/chat/completions', { messages: chat, max_tokens: 5 }],
  ['/v1/chat/completions', { messages: chat, max_tokens: 5, stream: true }],
  ['/v1/messages', { messages: chat, max_tokens: 5 }],
  ['/v1/responses', { input: 'hi', max_output_tokens: 16, store: false }],
];

interface Listed {
  data: { id: string }[];
}
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

interface Budget {
  used: number;
  remaining: number;
}

/** A member of a team with money of their own, a key there, and a budget at one level. */
async function someone(service: Service, owner: Caller, level: Level, amount: number) {
  const post = <T = { id: number }>(by: Caller, path: string, body: unknown): Promise<T> =>
    by.api<T>(path, { method: 'POST', body });
  const { id } = await post(owner, '/api/organisations', { name: 'Acme' });
  const root = `/api/organisations/${id}`;
  const team = await post(owner, `${root}/teams`, { name: 'Research' });
  const member = await service.user(1_000 * price);
  const { url } = await post<{ url: string }>(owner, `${root}/invitations`, { team_id: team.id });
  await post(member, '/api/invitations/accept', { token: url.split('#')[1] });
  const key = await post<{ id: number; key: string }>(member, `${root}/keys`, { name: 'k', team_id: team.id });
  const ids: Record<Level, number> = { key: key.id, member: member.id, team: team.id, organisation: id };
  await post(owner, `${root}/budgets`, { level, level_id: ids[level], window: 'total', amount });
  const budget = async (): Promise<Budget> => (await owner.api<{ budgets: Budget[] }>(`${root}/budgets`)).budgets[0]!;
  return { key: key.key, budget, member };
}

const places = [
  { name: 'SQLite', processes: 1, skipped: false },
  { name: 'PostgreSQL with two processes', processes: 2, skipped: missing },
];
describe.each(missing ? places : ofThisRun(places))('organisation budgets on $name', ({ processes, skipped }) => {
  const all: Service[] = [];
  let database: OwnDatabase | undefined;
  /** Of all organisations here: to hash the password of another for each would take a tenth of the time. */
  let owner: Caller;
  let upstream: Upstream;
  let maker: Upstream;
  /** For all that is no chat. */
  let anything: Upstream;
  const models = new Map<ModelType, string>();
  let model = '';
  let film = '';

  beforeAll(async () => {
    if (skipped) return;
    if (processes > 1) database = await ownDatabase();
    const env = { DEMO_PROVIDER: 'off', ...database?.env };
    // Files of batches are found by whichever process works on them.
    for (let n = 0; n < processes; n += 1)
      all.push(await startService({ env, ...(all[0] && { dataDir: all[0].dataDir }) }));
    owner = await all[0]!.user();
    upstream = startUpstream(answersEverything);
    const setup = { kind: 'openai', url: upstream.url, requestPrice: price / 500_000 } as const;
    model = (await all[0]!.serve(setup)).modelId;
    // None is ever made: what is put aside for them stays so.
    maker = startUpstream(() => new Promise<Response>(() => {}));
    film = (await all[0]!.serve({ ...setup, url: maker.url, type: 'video' })).modelId;
    anything = startUpstream(answersEverything);
    models.set('chat', model);
    for (const type of new Set(everyEndpoint.map(([, of]) => of)))
      if (type !== 'chat') models.set(type, (await all[0]!.serve({ ...setup, url: anything.url, type })).modelId);
    const last = models.get('transcription')!;
    for (const service of all)
      await until('all know the models', async () => {
        const { data } = (await (await fetch(`${service.url}/v1/models`, bearer(service.key))).json()) as Listed;
        return data.some(({ id }) => id === last);
      });
  });
  afterAll(async () => {
    upstream?.stop();
    maker?.stop();
    anything?.stop();
    for (const service of all) await service.stop();
    await database?.drop();
  });

  const send = async (n: number, key: string): Promise<string> => {
    const [path, body] = endpoints[Math.floor(n / processes) % endpoints.length]!;
    const answer = await all[n % processes]!.post(path, { model, ...body }, { key });
    const text = await answer.text();
    return answer.status === 200 ? 'answered' : `${answer.status} ${/The budget of this/.exec(text) ?? text}`;
  };

  test.skipIf(skipped).each([...levels])(
    'of 80 parallel requests, exactly those that the budget of the %s covers are answered',
    async (level) => {
      const covered = 3;
      const { key, budget, member } = await someone(all[0]!, owner, level, covered * price + price - 1);
      const outcomes = await Promise.all(Array.from({ length: 80 }, (_, n) => send(n, key)));
      expect(new Set(outcomes)).toEqual(new Set(['answered', '403 The budget of this']));
      expect(outcomes.filter((outcome) => outcome === 'answered')).toHaveLength(covered);
      expect(await budget()).toMatchObject({ used: covered * price, remaining: price - 1 });
      expect((await all[0]!.self(member)).used_quota).toBe(covered * price);
    },
  );

  const ways = everyEndpoint.map((one, n) => [one[0], levels[n % levels.length]!, one[1], one[2]] as const);
  test.skipIf(skipped).each(ways)(
    '80 parallel requests to %s stay within the budget of the %s',
    async (_, level, type, make) => {
      const amount = 20 * price + price - 1;
      const { key, budget, member } = await someone(all[0]!, owner, level, amount);
      // Nobody is answered before somebody is refused: an answer may cost less than was put aside for it, and of 80 that a slow
      // machine takes one by one each would find room.
      const refused = Promise.withResolvers<void>();
      const once: Script = async (asked) => {
        await refused.promise;
        return answersEverything(asked);
      };
      upstream.script = once;
      anything.script = once;
      const ask = async (n: number): Promise<string> => {
        const { path, body } = make(models.get(type)!);
        const json = !(body instanceof FormData);
        const answer = await fetch(all[n % processes]!.url + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, ...(json && { 'content-type': 'application/json' }) },
          body: json ? JSON.stringify(body) : body,
        });
        const text = await answer.text();
        if (answer.status === 200) return 'answered';
        refused.resolve();
        return `${answer.status} ${/The budget of this/.exec(text) ?? text}`;
      };
      const outcomes = await Promise.all(Array.from({ length: 80 }, (__, n) => ask(n)));
      expect(new Set(outcomes)).toEqual(new Set(['answered', '403 The budget of this']));
      const { used, remaining } = await budget();
      expect(used).toBeGreaterThan(0);
      expect(remaining).toBeGreaterThanOrEqual(0);
      expect(used + remaining).toBe(amount);
      expect((await all[0]!.self(member)).used_quota).toBe(used);
    },
  );

  test.skipIf(skipped).each([...levels])(
    'of 80 parallel video requests, exactly those that the budget of the %s covers are accepted',
    async (level) => {
      const covered = 2;
      const seconds = 4;
      const { key, member } = await someone(all[0]!, owner, level, covered * seconds * price);
      const body = { model: film, prompt: 'a storm', duration: seconds };
      const ask = async (n: number): Promise<string> => {
        const answer = await all[n % processes]!.post('/v1/videos', body, { key });
        const text = await answer.text();
        return answer.status === 202 ? 'accepted' : `${answer.status} ${/The budget of this/.exec(text) ?? text}`;
      };
      const asked = await Promise.all(Array.from({ length: 80 }, (_, n) => ask(n)));
      expect(new Set(asked)).toEqual(new Set(['accepted', '403 The budget of this']));
      expect(asked.filter((outcome) => outcome === 'accepted')).toHaveLength(covered);
      expect((await all[0]!.self(member)).quota).toBe((1_000 - covered * seconds) * price);
    },
  );

  /** Another level on each engine: which one it is makes no difference to who waits. */
  const level = levels[processes]!;
  const covered = 3;
  const most = covered * price + price - 1;
  /** Work that goes on by itself ends paid for or refused, and the budget tells the same. */
  const expectCovered = async (ends: string[], { budget, member }: Awaited<ReturnType<typeof someone>>) => {
    expect(Object.groupBy(ends, (end) => end)).toEqual({
      paid: Array(covered).fill('paid'),
      'The budget of this': Array(80 - covered).fill('The budget of this'),
    });
    expect(await budget()).toMatchObject({ used: covered * price, remaining: price - 1 });
    expect((await all[0]!.self(member)).used_quota).toBe(covered * price);
  };
  const refusalIn = (text: string): string => /The budget of this/.exec(text)?.[0] ?? text;

  test.skipIf(skipped)(`of 80 batch lines, exactly those that the budget of the ${level} covers are paid`, async () => {
    await all[0]!.root.api('/api/admin/options', { method: 'PUT', body: { key: 'BatchPriceFactor', value: 1 } });
    const place = await someone(all[0]!, owner, level, most);
    const { key } = place;
    const params = { model, messages: chat, max_tokens: 5 };
    const requests = Array.from({ length: 8 }, (_, n) => ({ custom_id: `line-${n}`, params }));
    const path = '/v1/messages/batches';
    const made = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const answer = await all[n % processes]!.post(path, { requests }, { key });
        return ((await answer.json()) as { id: string }).id;
      }),
    );
    const read = async (rest: string) => (await fetch(`${all[0]!.url}${path}/${rest}`, bearer(key))).text();
    const lines: string[] = [];
    for (const id of made) {
      await until(`${id} has ended`, async () => /"processing_status":"ended"/.test(await read(id)));
      lines.push(...(await read(`${id}/results`)).trim().split('\n'));
    }
    const ends = lines.map((line) => (line.includes('"type":"succeeded"') ? 'paid' : refusalIn(line)));
    await expectCovered(ends, place);
  });

  test.skipIf(skipped)(
    `of 80 background responses, exactly those that the budget of the ${level} covers are paid`,
    async () => {
      const place = await someone(all[0]!, owner, level, most);
      const { key } = place;
      const body = { model, input: 'hi', max_output_tokens: 16, background: true };
      const asked = await Promise.all(
        Array.from({ length: 80 }, async (_, n) => {
          const answer = await all[n % processes]!.post('/v1/responses', body, { key });
          return (await answer.json()) as { id?: string; error: { message: string } | null };
        }),
      );
      // What is used up by then is refused at once.
      const ends = asked.flatMap(({ id, error }) => (id === undefined ? [refusalIn(error!.message)] : []));
      for (const id of asked.flatMap((answer) => answer.id ?? []))
        await until(`${id} has ended`, async () => {
          const answer = await fetch(`${all[0]!.url}/v1/responses/${id}`, bearer(key));
          const { status, error } = (await answer.json()) as { status: string; error: { message: string } | null };
          if (status !== 'completed' && status !== 'failed') return false;
          ends.push(error ? refusalIn(error.message) : 'paid');
          return true;
        });
      await expectCovered(ends, place);
    },
  );

  test.skipIf(skipped)('runs that share a budget pause when it is used up', async () => {
    const steps = 4;
    const { key, budget } = await someone(all[0]!, owner, 'team', steps * price);
    // What runs look up by meaning is asked of a model, too.
    const calls = (): number => upstream.asked.length + anything.asked.length;
    const before = calls();
    upstream.script = planningModel(20).script;
    const sessions = ['one', 'two', 'three'];
    const begun = await Promise.all(
      sessions.map((session_id, n) => {
        const body = { message: goal, session_id, config: { max_iterations: 20, max_time_secs: 600 } };
        return all[n % processes]!.post('/api/svc-ms/autonomous/execute', body, { key });
      }),
    );
    for (const answer of begun) expect(answer.status).toBe(200);
    const headers = { authorization: `Bearer ${key}` };
    for (const session of sessions)
      await until(`the run ${session} pauses`, async () => {
        const answer = await fetch(`${all[0]!.url}/api/svc-ms/autonomous/${session}/status`, { headers });
        return /"insufficient_quota"/.test(await answer.text());
      });
    expect(await budget()).toMatchObject({ used: steps * price, remaining: 0 });
    expect(calls() - before).toBe(steps);
  });
});
