import { expect } from 'bun:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Member } from '../app.fixture.ts';
import { catchUp } from '../billing/store/filing.ts';
import { limitOf } from '../billing/store/windows.ts';
import { type ManualClock, nowSeconds } from '../lib/clock.ts';
import type { SeenRequest } from '../relay/scripted-upstream.fixture.ts';
import { price, type World } from './organisations.fixture.ts';

/** What members ask and owners change, and the books that must be right after any mixture of it. */

type Asked = { stream?: boolean; messages?: { content: string }[] };
const usageOf = (n: number) => ({ prompt_tokens: 3, completion_tokens: n, total_tokens: 3 + n });

/** The question tells what comes: so many tokens, nothing, or a stream that breaks off. */
export function answerOf({ body }: SeenRequest): Response {
  const { stream, messages } = body as Asked;
  const [kind, count] = (messages?.[0]?.content ?? 'fine 1').split(' ');
  if (kind === 'fail') return Response.json({ error: { message: 'no' } }, { status: 500 });
  if (kind === 'bad') return Response.json({ error: { message: 'no', code: 'invalid_value' } }, { status: 400 });
  const head = { id: 'c', created: 1, model: 'm' };
  const usage = usageOf(Number(count) || 1);
  if (!stream) {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }];
    return Response.json({ ...head, object: 'chat.completion', choices, usage });
  }
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`;
  const begins = chunk({
    choices: [{ index: 0, delta: { role: 'assistant', content: 'hello' }, finish_reason: null }],
  });
  const ends = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
  return new Response(kind === 'cut' ? begins : `${begins}${ends}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

/** Added to the world's models. */
export const models = [
  { model_id: 'film', type: 'video', request_price: 0.0002 },
  { model_id: 'tokens', prompt_price: 2, completion_price: 2 },
];

export const who = fc.nat(2);
const level = fc.constantFrom('organisation', 'team', 'member', 'key');
const zones = ['UTC', 'Europe/Vienna', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Havana', 'Asia/Kolkata'];
const budget = {
  window: fc.constantFrom('day', 'week', 'month', 'total'),
  amount: fc.integer({ min: 0, max: 12 }).map((n) => n * price),
  hard: fc.boolean(),
};
const question = fc.constantFrom('fine 1', 'fine 90', 'fail 0', 'cut 9');
export const kind = <K extends string>(name: K) => fc.constant(name);
export const askStep = fc.record({
  kind: kind('ask'),
  who,
  model: fc.constantFrom('m', 'tokens'),
  stream: fc.boolean(),
  text: question,
});
export const step = fc.oneof(
  { weight: 6, arbitrary: askStep },
  { weight: 3, arbitrary: fc.record({ kind: kind('film'), who }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('cancel'), who }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('budget'), level, ...budget }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('change'), which: fc.nat(9), ...budget }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('drop'), which: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('zone'), zone: fc.constantFrom(...zones) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('payer'), balance: fc.constantFrom('own', 'shared') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('grant'), who, quota: fc.integer({ min: -900, max: 900 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('move'), who, team: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('time'), hours: fc.integer({ min: 1, max: 40 }) }) },
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const hour = 3_600_000;

interface Budget {
  id: number;
  amount: number;
  hard: boolean;
  used: number;
}

/** An organisation of two members and a team, with a key each; money for some `requests` of each. */
export async function openScene(world: World, owner: Member, clock: ManualClock, requests = 12) {
  /** Of members' keys; the team's has no quota of its own. */
  const keyQuota = ((requests * 3) / 4) * price;
  const { data } = await world.send<{ id: number; account_id: number }>(owner, 'POST', '/api/organisations', {
    ...{ name: 'Acme', time_zone: 'UTC' },
  });
  const { id, account_id } = data;
  const path = (rest: string) => `/api/organisations/${id}${rest}`;
  const teams: number[] = [];
  for (const name of ['One', 'Two']) teams.push((await world.send(owner, 'POST', path('/teams'), { name })).data.id);
  const members = await Promise.all([0, 1].map((n) => world.join(owner, id, 'member', teams[n])));
  const keys: { id: number; key: string }[] = [];
  const make = async (by: Member, body: object) =>
    keys.push((await world.send<{ id: number; key: string }>(by, 'POST', path('/keys'), { name: 'k', ...body })).data);
  for (const [n, member] of members.entries()) await make(member, { team_id: teams[n], remain_quota: keyQuota });
  await make(owner, { owner: 'team', team_id: teams[0] });
  const accounts = [members[0]!.id, members[1]!.id, account_id];
  for (const account of accounts) await world.credit(account, requests * price);
  const budgets = async () => (await world.send<{ budgets: Budget[] }>(owner, 'GET', path('/budgets'))).data.budgets;
  /** By one of the keys. */
  const call = (by: number, to: string, method: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${keys[by]!.key}` };
    return world.t.call(to, { method, headers, ...(body !== undefined && { body }) });
  };
  return { world, owner, clock, keyQuota, id, path, teams, members, keys, accounts, budgets, call };
}
export type Scene = Awaited<ReturnType<typeof openScene>>;

export async function take(at: Scene, one: Step): Promise<unknown> {
  const { world, owner, path, keys, accounts, teams, budgets, call } = at;
  const put = (rest: string, body: object) => world.send(owner, 'PUT', path(rest), body);
  switch (one.kind) {
    case 'ask': {
      const messages = [{ role: 'user', content: one.text }];
      const body = { model: one.model, stream: one.stream, max_tokens: 100, messages };
      return (await call(one.who, '/v1/chat/completions', 'POST', body)).text();
    }
    case 'film':
      return call(one.who, '/v1/videos', 'POST', { model: 'film', prompt: 'a storm', duration: 4 });
    case 'cancel': {
      const answer = await call(one.who, '/v1/videos', 'GET');
      const { data } = (await answer.json()) as { data: { id: string; status: string }[] };
      const job = data.find(({ status }) => status === 'pending' || status === 'queued');
      return job && call(one.who, `/v1/videos/${job.id}`, 'DELETE');
    }
    case 'budget': {
      const ids = { organisation: at.id, team: teams[0], member: at.members[0]!.id, key: keys[0]!.id };
      const { level, window, amount, hard } = one;
      const body = { level, level_id: ids[level as keyof typeof ids], window, amount, hard };
      return world.send(owner, 'POST', path('/budgets'), body);
    }
    case 'change':
    case 'drop': {
      const all = await budgets();
      const found = all[one.which % all.length];
      if (!found) return undefined;
      if (one.kind === 'drop') return world.send(owner, 'DELETE', path(`/budgets/${found.id}`));
      return put(`/budgets/${found.id}`, { amount: one.amount, hard: one.hard });
    }
    case 'zone':
      return put('', { time_zone: one.zone });
    case 'payer':
      return put('', { balance: one.balance });
    case 'grant':
      return one.quota === 0 ? undefined : world.credit(accounts[one.who]!, one.quota).catch(() => {});
    case 'move':
      return put(`/keys/${keys[one.who]!.id}`, { team_id: teams[one.team] ?? null });
    case 'time':
      return at.clock.advance(one.hours * hour);
  }
}

/** What was credited to an account is its balance, what it used and what videos hold; the same is true of keys and budgets. */
export async function checkBooks({ world, clock, keyQuota, accounts, keys, budgets }: Scene): Promise<void> {
  const { db } = world.t.platform.database;
  await catchUp(db);
  for (const id of accounts) {
    const { rows } = await sql<Record<string, number>>`select quota + used_quota as has, used_quota as used,
      (select coalesce(sum(amount), 0) from credits where user_id = ${id}) as given,
      (select coalesce(sum(amount), 0) from billing_holds where user_id = ${id} and owner = '') as held,
      (select coalesce(sum(quota), 0) from usage_logs where user_id = ${id}) as logs,
      (select coalesce(sum(quota), 0) from usage_days_all where user_id = ${id}) as days
      from users_now where id = ${id}`.execute(db);
    const books = Object.fromEntries(Object.entries(rows[0]!).map(([name, n]) => [name, Number(n)]));
    expect(books).toEqual({ ...books, has: books.given! - books.held!, logs: books.used!, days: books.used! });
  }
  for (const { id } of keys.slice(0, 2)) {
    const { rows } = await sql<{ n: number }>`select remain_quota + used_quota + (select coalesce(sum(key_amount), 0)
      from billing_holds where key_id = ${id} and owner = '') as n from api_keys_now where id = ${id}`.execute(db);
    expect(Number(rows[0]!.n)).toBe(keyQuota);
  }
  const now = nowSeconds(clock);
  for (const { id, amount, hard, used } of await budgets()) {
    const { rows } = await sql<{ id: number; left: number; used: number }>`select w.id, n.used,
      w.remain + coalesce((select sum(p.kept) from billing_allotments p where p.user_id = 0 and p.key_id = -w.id), 0) as "left"
      from budget_windows w join budget_windows_now n on n.id = w.id
      where w.budget_id = ${id} and w.starts_at <= ${now} and (w.ends_at = 0 or w.ends_at > ${now})`.execute(db);
    expect(rows.length).toBeLessThanOrEqual(1);
    for (const row of rows) {
      const holds = await db.selectFrom('billing_holds').select(['amount', 'levels']).where('owner', '=', '').execute();
      const held = holds
        .filter(({ levels }) => levels !== '' && (JSON.parse(levels) as number[]).includes(row.id))
        .reduce((sum, hold) => sum + hold.amount, 0);
      expect(Number(row.used)).toBe(used);
      expect(Number(row.left) + Number(row.used) + held).toBe(limitOf({ amount, hard }));
    }
  }
}
