import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

interface Entry {
  amount: number;
  balance_after: number;
  kind: string;
  note: string;
}

async function ledgerOf(member: Member): Promise<{ entries: Entry[]; balance: number }> {
  const ledger = (await (await member.call('/api/ledger')).json()) as { data: { entries: Entry[] } };
  const self = (await (await member.call('/api/user/self')).json()) as { data: { quota: number } };
  return { entries: ledger.data.entries, balance: self.data.quota };
}

test('the opening balance is a ledger entry, and the entries add up to the balance', async () => {
  await t.setOption('QuotaForNewUser', 700);
  const member = await t.user();
  const root = await t.root();
  const credit = { method: 'POST', body: { quota: 50, note: 'more' } };
  expect((await root.call(`/api/admin/users/${member.id}/credits`, credit)).status).toBe(200);
  const { entries, balance } = await ledgerOf(member);
  expect(balance).toBe(750);
  expect(entries).toMatchObject([
    { kind: 'grant', amount: 50, balance_after: 750, note: 'more' },
    { kind: 'grant', amount: 700, balance_after: 700, note: 'Opening balance' },
  ]);
  const first = await ledgerOf(root);
  expect(first.entries).toMatchObject([{ amount: first.balance, note: 'Opening balance' }]);
});

test('a user without a balance starts with an empty ledger', async () => {
  await t.setOption('QuotaForNewUser', 0);
  expect(await ledgerOf(await t.user())).toEqual({ entries: [], balance: 0 });
});
