/** What a user or an organisation can have in number: requests at once do not get beyond the limit either. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from './app.fixture.ts';
import { randomString } from './lib/ids.ts';
import type { Tables } from './platform/db/tables.ts';

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
  await t.setOption('RateLimitEnabled', false);
});
afterAll(() => t.close());

interface Counted {
  table: keyof Tables;
  most: number;
  path: string;
  body: object;
  /** Columns in which no two rows are alike. */
  unique: string[];
}

const inOrganisation = '/api/organisations/{organisation}';
const counted: Counted[] = [
  { table: 'api_keys', most: 500, path: '/api/tokens', body: { name: 'x' }, unique: ['key_hash'] },
  {
    ...{ table: 'oauth_applications', most: 500, path: '/api/oauth2/applications', unique: ['client_id'] },
    body: { name: 'x', redirect_uris: ['https://app.example/callback'], scopes: 'openid' },
  },
  { table: 'organisation_teams', most: 500, path: `${inOrganisation}/teams`, body: { name: 'x' }, unique: ['name'] },
  {
    ...{ table: 'organisation_invitations', most: 500, path: `${inOrganisation}/invitations`, body: {} },
    unique: ['secret_hash'],
  },
  {
    table: 'organisation_scim_tokens',
    most: 5,
    path: `${inOrganisation}/scim/tokens`,
    body: { name: 'x' },
    unique: ['secret_hash'],
  },
];

/** All but one of those that the owner can have, as copies of a first one. */
async function fill(owner: Member, organisation: number, { table, most, path, body, unique }: Counted): Promise<void> {
  const made = await owner.call(at(path, organisation), { method: 'POST', body });
  expect(made.status).toBe(200);
  const { db } = t.platform.database;
  const rows = db.selectFrom(table as 'api_keys').selectAll();
  const { id: _, ...first } = await rows.orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
  const copies = Array.from({ length: most - 2 }, () => ({
    ...first,
    ...Object.fromEntries(unique.map((column) => [column, randomString(24)])),
  }));
  await db
    .insertInto(table as 'api_keys')
    .values(copies)
    .execute();
}

const at = (path: string, organisation: number): string => path.replace('{organisation}', `${organisation}`);

test.each(counted)('of 20 requests at $path for the last one, one succeeds', async (one) => {
  const owner = await t.user();
  const made = await owner.call('/api/organisations', { method: 'POST', body: { name: 'Acme' } });
  const { id } = ((await made.json()) as { data: { id: number } }).data;
  await fill(owner, id, one);
  const post = () => owner.call(at(one.path, id), { method: 'POST', body: one.body });
  const answers = await Promise.all(Array.from({ length: 20 }, post));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('of 70 organisations created at once, 50 are', async () => {
  const owner = await t.user();
  const post = () => owner.call('/api/organisations', { method: 'POST', body: { name: 'Acme' } });
  const answers = await Promise.all(Array.from({ length: 70 }, post));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
});
