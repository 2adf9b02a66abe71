import { expect } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import type { World } from './organisations.fixture.ts';

/** Every place that tells a sum of money, compared over HTTP with the list of requests and of credits. */

export interface Entry {
  id: number;
  request_id: string;
  user_id: number;
  token_id: number | null;
  model: string;
  channel_id: number | null;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
  shortfall: number;
  parts: { part: string; cost: number | null }[];
  created_at: number;
}
interface Sum {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
}
type Summary = { items: (Sum & Record<string, unknown>)[]; total: Sum; also?: Record<string, Summary['items']> };

const sumOf = (entries: readonly Entry[]): Sum => ({
  requests: entries.length,
  prompt_tokens: added(entries, 'prompt_tokens'),
  completion_tokens: added(entries, 'completion_tokens'),
  quota: added(entries, 'quota'),
});
export const added = <N extends string>(rows: readonly Record<N, number>[], name: N): number =>
  rows.reduce((sum, row) => sum + Number(row[name]), 0);

function grouped<T>(rows: readonly T[], by: (row: T) => string | number | null): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(`${by(row)}`, [...(groups.get(`${by(row)}`) ?? []), row]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}
const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** Cells that contain no quotes or commas, which ours do not. */
export function tableOf(csv: string): Record<string, string>[] {
  const [head, ...lines] = csv.trimEnd().split('\r\n');
  const names = head!.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i]!, cell])));
}

export function readerOf({ send }: Pick<World, 'send'>, by: Member) {
  const get = async <T>(path: string): Promise<T> => {
    const { status, data, message } = await send<T>(by, 'GET', path);
    if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
    return data;
  };
  const table = async (path: string) => tableOf(await (await by.call(path)).text());
  /** All pages of a list. */
  const all = async <T>(path: string, name: string): Promise<T[]> => {
    const rows: T[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more: string = cursor && `&cursor=${cursor}`;
      const page = await get<Record<string, unknown>>(`${path}${path.includes('?') ? '&' : '?'}page_size=7${more}`);
      rows.push(...(page[name] as T[]));
      cursor = page.next_cursor as string | null;
    }
    return rows;
  };
  return { get, table, all };
}

const summaryOf = (entries: readonly Entry[], total: Sum) => ({
  total,
  day: grouped(entries, ({ created_at }) => dateOf(created_at)).map(([name, rows]) => [name, sumOf(rows)]),
  model: grouped(entries, ({ model }) => model).map(([name, rows]) => [name, sumOf(rows)]),
  token: grouped(entries, ({ token_id }) => token_id).map(([name, rows]) => [name, sumOf(rows)]),
});
const plain = ({ requests, prompt_tokens, completion_tokens, quota }: Sum): Sum => ({
  ...{ requests, prompt_tokens, completion_tokens, quota },
});
const told = (items: Summary['items'], name: string) =>
  items.map((item) => [`${item[name]}`, plain(item)] as const).sort(([a], [b]) => (a < b ? -1 : 1));

/** By day, model and key. */
export async function expectSummary(
  get: ReturnType<typeof readerOf>['get'],
  path: string,
  entries: readonly Entry[],
  { from }: { from: number },
): Promise<void> {
  const sum = sumOf(entries);
  const found: Record<string, unknown> = {};
  for (const [by, name] of [
    ['day', 'day'],
    ['model', 'model'],
    ['token', 'token_id'],
  ] as const) {
    const query = `${path.includes('?') ? '&' : '?'}from=${from}&group_by=${by}`;
    const { items, total } = await get<Summary>(`${path}${query}`);
    found[by] = told(items, name);
    expect(plain(total)).toEqual(sum);
  }
  expect({ total: sum, ...found }).toEqual(summaryOf(entries, sum));
}

export function expectSameRows(csv: Record<string, string>[], entries: readonly Entry[]): void {
  const shown = csv.map((row) => [row.request_id, row.model, Number(row.quota), Number(row.shortfall)]);
  expect(shown).toEqual(
    entries.map(({ request_id, model, quota, shortfall }) => [request_id, model, quota, shortfall]),
  );
  for (const [i, row] of csv.entries()) {
    const costs = Object.entries(row).filter(([name]) => name.endsWith('_cost'));
    const { parts } = entries[i]!;
    if (parts.some(({ cost }) => cost === null)) continue;
    expect(costs.reduce((sum, [, cost]) => sum + Number(cost), 0)).toBe(Number(row.quota) + Number(row.shortfall));
  }
}

/** One account: its balance, usage, ledger and accounting, as its user and as an administrator see them. */
export async function expectAccount(
  world: World,
  id: number,
  { from, member }: { from: number; member?: Member | undefined },
): Promise<Entry[]> {
  const admin = readerOf(world, world.root);
  const entries = await admin.all<Entry>(`/api/admin/usage/logs?user_id=${id}`, 'logs');
  const used = sumOf(entries);
  for (const { parts, quota, shortfall, model } of entries)
    if (parts.every(({ cost }) => cost !== null)) {
      const costs = parts.reduce((sum, { cost }) => sum + cost!, 0);
      expect({ model, costs }).toEqual({ model, costs: quota + shortfall });
    }
  expectSameRows(await admin.table(`/api/admin/usage/logs?user_id=${id}&format=csv`), entries);
  await expectSummary(admin.get, `/api/admin/usage/summary?user_id=${id}`, entries, { from });

  const { user } = await admin.get<{ user: { quota: number; used_quota: number; request_count: number } }>(
    `/api/admin/users/${id}`,
  );
  const ledger = await admin.all<{ kind: string; amount: number; balance_after: number }>(
    `/api/admin/ledger?user_id=${id}`,
    'entries',
  );
  expect({ id, left: ledger[0]?.balance_after ?? 0 }).toEqual({ id, left: user.quota });
  const given = ledger.filter(({ kind }) => kind === 'grant');
  expect(ledger.length - given.length).toBe(entries.filter(({ quota }) => quota > 0).length);
  expect(added(ledger, 'amount') - added(given, 'amount')).toBe(-used.quota);
  expect(user).toMatchObject({ quota: added(ledger, 'amount'), used_quota: used.quota });

  const overview = (by: string, more = '') =>
    admin.get<{ total: Sum; series: { name: string; id: number; total: Sum }[] }>(
      `/api/admin/overview?user_id=${id}&from=${from}&by=${by}${more}`,
    );
  for (const [by, of] of [
    ['model', ({ model }: Entry) => model],
    ['channel', ({ channel_id }: Entry) => channel_id ?? 0],
  ] as const) {
    const { total, series } = await overview(by);
    expect({ by, requests: total.requests, quota: total.quota }).toEqual({
      by,
      requests: used.requests,
      quota: used.quota,
    });
    const groups = series.filter(({ total: one }) => one.requests > 0);
    expect(
      added(
        groups.map(({ total: one }) => one),
        'quota',
      ),
    ).toBe(used.quota);
    if (groups.length < 8)
      expect(
        groups.map(({ total: one, name, id: channel }) => [`${by === 'model' ? name : channel}`, one.quota]).sort(),
      ).toEqual(
        grouped(entries, of)
          .map(([name, rows]) => [name, added(rows, 'quota')] as [string, number])
          .sort(),
      );
  }
  const months = (await admin.table(`/api/admin/accounting?from=${dateOf(from).slice(0, 7)}&to=2026-12`)).filter(
    ({ user_id }) => user_id === `${id}`,
  );
  expect(
    added(
      months.map((row) => ({ n: Number(row.used_quota) })),
      'n',
    ),
  ).toBe(used.quota);
  expect(
    added(
      months.map((row) => ({ n: Number(row.credited_quota) - Number(row.taken_quota) })),
      'n',
    ),
  ).toBe(added(given, 'amount'));
  for (const row of months) {
    const inMonth = entries.filter(({ created_at }) => dateOf(created_at).startsWith(row.month!));
    expect([row.month, Number(row.used_quota), Number(row.requests)]).toEqual([
      row.month,
      added(inMonth, 'quota'),
      inMonth.length,
    ]);
  }
  if (member) await expectOwn(world, member, entries, { from, user });
  return entries;
}

async function expectOwn(
  world: World,
  member: Member,
  entries: Entry[],
  { from, user }: { from: number; user: { quota: number; used_quota: number; request_count: number } },
) {
  const own = readerOf(world, member);
  expect(await own.all('/api/usage/logs', 'logs')).toEqual(entries);
  expectSameRows(await own.table('/api/usage/logs?format=csv'), entries);
  await expectSummary(own.get, '/api/usage/summary', entries, { from });
  const { quota, used_quota, request_count } = await own.get<typeof user>('/api/user/self');
  expect({ quota, used_quota, request_count }).toEqual({
    quota: user.quota,
    used_quota: user.used_quota,
    request_count: user.request_count,
  });
  const answered = await own.all<{ request_id: string; quota: number }>('/api/requests?status=answered', 'requests');
  expect(answered.map(({ request_id, quota: cost }) => [request_id, cost])).toEqual(
    entries.map((one) => [one.request_id, one.quota]),
  );
  const keys = await own.get<{ id: number; used_quota: number }[]>('/api/tokens');
  // Whoever paid for it.
  const all = await readerOf(world, world.root).all<Entry>('/api/admin/usage/logs', 'logs');
  for (const key of keys) {
    const used = all.filter(({ token_id }) => token_id === key.id);
    expect([key.id, key.used_quota]).toEqual([key.id, added(used, 'quota')]);
  }
}
