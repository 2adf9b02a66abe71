import { expect } from 'bun:test';
import { type CallInit, type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { catchUp } from '../../billing/store/filing.ts';
import type { Clock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';

export interface UsageEntry {
  request_id: string;
  model: string;
  endpoint: string;
  provider: string;
  quota: number;
  saved_quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  units: number;
  status: string;
  own_key: boolean;
}

export interface RelayTest {
  test: TestApp;
  member: Member;
  key: string;
  post(path: string, body: unknown, init?: Omit<CallInit, 'body'>): Promise<Response>;
  get(path: string, init?: CallInit): Promise<Response>;
  credit(quota: number): Promise<void>;
  /** The member's money as it stands. */
  money(): Promise<{ quota: number; used_quota: number }>;
  /** In the order of their writing, last first: what costs nothing is written later than what does. */
  usage(): Promise<UsageEntry[]>;
  /** The entry of this answer's request, once it is written. */
  usageOf(answer: Response): Promise<UsageEntry>;
  close(): Promise<void>;
}

/** For vendors' libraries, which ask this service without a network. */
export const sdkOptions = ({ test, key }: Pick<RelayTest, 'test' | 'key'>) => ({
  apiKey: key,
  maxRetries: 0,
  fetch: ((input: string | URL | Request, init?: RequestInit) =>
    test.app.fetch(new Request(input, init))) as typeof fetch,
});

/** What this does leaves one row of a model of `acme`, with these fields. */
export async function oneRow<T>({ usage }: RelayTest, expected: object, work: () => Promise<T>): Promise<T> {
  const rowsNow = async () => (await usage()).filter(({ model }) => model.startsWith('acme/'));
  const before = (await rowsNow()).length;
  const result = await work();
  await until('the request is in the usage log', async () => (await rowsNow()).length > before);
  const rows = await rowsNow();
  expect(rows.length).toBe(before + 1);
  expect(rows[0]).toMatchObject(expected);
  return result;
}

/** The whole service with one user who has a key. */
export async function openRelayTest(options: { env?: Record<string, string>; clock?: Clock } = {}): Promise<RelayTest> {
  const test = await openTestApp(options);
  const member = await test.user();
  const key = await member.key();
  const authorization = `Bearer ${key}`;
  const get: RelayTest['get'] = (path, init = {}) =>
    test.call(path, { ...init, headers: { authorization, ...init.headers } });
  const data = async (answer: Response) => ((await answer.json()) as { data: unknown }).data;
  const usage: RelayTest['usage'] = async () =>
    ((await data(await member.call('/api/usage/logs?page_size=100'))) as { logs: UsageEntry[] }).logs;
  return {
    test,
    member,
    key,
    get,
    post: (path, body, init = {}) => get(path, { method: 'POST', ...init, body }),
    credit: async (quota) => {
      const root = await test.root();
      const answer = await root.call(`/api/admin/users/${member.id}/credits`, { method: 'POST', body: { quota } });
      if (!answer.ok) throw new Error(await answer.text());
    },
    money: async () => (await data(await member.call('/api/user/self'))) as Awaited<ReturnType<RelayTest['money']>>,
    usage,
    usageOf: async (answer) => {
      const id = answer.headers.get('x-request-id');
      const { db } = test.platform.database;
      const written = async () => {
        await catchUp(db);
        return db.selectFrom('usage_logs').select('id').where('request_id', '=', id).executeTakeFirst();
      };
      // Asked of the database: an endpoint that is asked every few milliseconds soon has had enough.
      await until(`request ${id} is in the usage log`, async () => (await written()) !== undefined);
      return (await usage()).find(({ request_id }) => request_id === id)!;
    },
    close: () => test.close(),
  };
}
