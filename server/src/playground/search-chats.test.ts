import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import type { Content } from './content.ts';

let service: TestApp;
let member: Member;

beforeAll(async () => {
  service = await openTestApp();
  await service.setOption('RateLimitEnabled', false);
  member = await service.user();
});
afterAll(() => service.close());

const path = '/api/playground/chats';
const said = (content: string, images?: string[]): Content['entries'][number] => ({
  id: 'u1',
  role: 'user',
  content,
  ...(images && { images }),
});
const answered = (content: string, reasoning = ''): Content['entries'][number] => ({
  ...{ id: 'a1', role: 'assistant', column: 'c1', model: 'demo/chat', content, reasoning, tool_calls: [] },
  ...{ state: 'done', finish_reason: 'stop', error: null, meta: null, stats: {}, request: {}, system: 'zanzibar' },
});

async function save(by: Member, id: string, entries: Content['entries'], name?: string): Promise<void> {
  const content: Content = { columns: [{ id: 'c1', model: 'demo/chat' }], settings: { note: 'zanzibar' }, entries };
  expect((await by.call(`${path}/${id}`, { method: 'PUT', body: { version: 0, content } })).status).toBe(201);
  if (name) await by.call(`${path}/${id}/name`, { method: 'PUT', body: { name } });
}

interface Page {
  chats: { id: string; excerpt: string | null }[];
  next_cursor: string | null;
}

async function search(by: Member, query: Record<string, string>): Promise<Page> {
  const response = await by.call(`${path}?${new URLSearchParams(query)}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Page }).data;
}
const found = async (q: string) => (await search(member, { q })).chats.map(({ id }) => id).sort();

test('finds chats by words of their names and messages, of one user only', async () => {
  await save(member, 'rivers', [said('How long is the Amazon?'), answered('About 6,400 km.')], 'Rivers');
  await save(member, 'quotes', [said('Say "stop"\nand wait'), answered('Übung macht den Meister')]);
  await save(member, 'hidden', [said('Look', ['data:image/png;base64,zanzibar']), answered('Nothing', 'zanzibar')]);
  await save(await service.user(), 'other', [said('How long is the Amazon?')]);
  const cases: [q: string, ids: string[]][] = [
    ['amazon', ['rivers']],
    ['KM AMAZON', ['rivers']],
    ['rivers amazon', ['rivers']],
    ['amazon wait', []],
    ['"stop"', ['quotes']],
    ['übung', ['quotes']],
    ['U\u0308BUNG', ['quotes']],
    ['\\n', []],
    ['zanzibar', []],
    ['%', []],
    ['   ', ['hidden', 'quotes', 'rivers']],
  ];
  for (const [q, ids] of cases) expect([q, await found(q)]).toEqual([q, ids]);
});

test('shows the message around the match, or nothing if only the name matches', async () => {
  const by = await service.user();
  const long = `${'before '.repeat(20)}a   needle\n${'😀'.repeat(100)}`;
  await save(by, 'long', [said('Hi'), answered(long)]);
  await save(by, 'named', [said('Hi')], 'A needle');
  const { chats } = await search(by, { q: 'needle' });
  const excerpts = Object.fromEntries(chats.map(({ id, excerpt }) => [id, excerpt]));
  expect(excerpts.named).toBeNull();
  expect(excerpts.long).toMatch(/^….*before a needle (😀)+…$/u);
  expect(excerpts.long!.isWellFormed()).toBe(true);
  expect((await search(by, {})).chats.map(({ excerpt }) => excerpt)).toEqual([null, null]);
});

test('continues after the last result of a page', async () => {
  const by = await service.user();
  for (let i = 0; i < 5; i += 1) await save(by, `chat${i}`, [said(i === 2 ? 'no' : 'yes')]);
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page = await search(by, { q: 'yes', page_size: '2', ...(cursor && { cursor }) });
    ids.push(...page.chats.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(ids).toEqual(['chat4', 'chat3', 'chat1', 'chat0']);
});

test('a search text that is too long is refused', async () => {
  expect((await member.call(`${path}?q=${'a'.repeat(201)}`)).status).toBe(400);
});
