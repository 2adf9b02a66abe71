import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { nameOf } from './chat-name.ts';
import type { Content } from './content.ts';
import { limits } from './limits.ts';

let service: TestApp;
let member: Member;
let other: Member;

beforeAll(async () => {
  service = await openTestApp();
  await service.setOption('RateLimitEnabled', false);
  [member, other] = [await service.user(), await service.user()];
});
afterAll(() => service.close());

const answer: Content['entries'][number] = {
  id: 'a1',
  role: 'assistant',
  column: 'c1',
  model: 'demo/chat',
  content: 'Hello',
  reasoning: '',
  tool_calls: [{ id: 'call', name: 'f', arguments: '{}' }],
  state: 'done',
  finish_reason: 'stop',
  error: null,
  meta: null,
  stats: { latency_ms: 12, cost: 3 },
  request: { model: 'demo/chat', temperature: 0 },
  system: 'Be brief.',
};
const contentOf = (text: string, more: Partial<Content> = {}): Content => ({
  columns: [{ id: 'c1', model: 'demo/chat' }],
  settings: { temperature: 0.5 },
  entries: [{ id: 'u1', role: 'user', content: text }, answer],
  ...more,
});

const path = '/api/playground/chats';
const save = (by: Member, id: string, version: number, content: unknown = contentOf('Hi')) =>
  by.call(`${path}/${id}`, { method: 'PUT', body: { version, content } });
interface Head {
  id: string;
  name: string;
  models: string[];
  version: number;
}
async function dataOf<T>(answer: Response | Promise<Response>, status = 200): Promise<T> {
  const got = await answer;
  const body = (await got.json()) as { data: T };
  expect([got.status, body]).toEqual([status, body]);
  return body.data;
}
const namesOf = async (by: Member) =>
  (await dataOf<{ chats: Head[] }>(by.call(path))).chats.map(({ name }) => name).sort();

describe('chats', () => {
  test('are saved, read back unchanged, renamed and deleted only by their owner', async () => {
    const columns = [
      { id: 'c1', model: 'demo/chat' },
      { id: 'c2', model: 'demo/chat-large' },
    ];
    const content = contentOf('  What is\n a river?  ', { columns });
    const made = await dataOf<Head>(save(member, 'one', 0, content), 201);
    expect(made).toMatchObject({ id: 'one', name: 'What is a river?', version: 1 });
    expect(made.models).toEqual(['demo/chat', 'demo/chat-large']);
    expect(await dataOf<{ content: Content }>(member.call(`${path}/one`))).toMatchObject({ ...made, content });
    const longer = { ...content, entries: [...content.entries, { id: 'u2', role: 'user' as const, content: 'More' }] };
    expect(await dataOf<Head>(save(member, 'one', 1, longer))).toMatchObject({ name: made.name, version: 2 });

    const rename = (by: Member) => by.call(`${path}/one/name`, { method: 'PUT', body: { name: 'Rivers' } });
    expect((await rename(other)).status).toBe(404);
    expect(await dataOf<Head>(rename(member))).toMatchObject({ name: 'Rivers', version: 2 });
    expect(await namesOf(member)).toEqual(['Rivers']);

    expect((await other.call(`${path}/one`)).status).toBe(404);
    expect((await other.call(`${path}/one`, { method: 'DELETE' })).status).toBe(404);
    // The same id is another chat with somebody else.
    await dataOf(save(other, 'one', 0, contentOf('Mine')), 201);
    expect((await member.call(`${path}/one`, { method: 'DELETE' })).status).toBe(200);
    expect((await member.call(`${path}/one`)).status).toBe(404);
    expect(await namesOf(other)).toEqual(['Mine']);
    expect((await service.call(path)).status).toBe(401);
  });

  test('are not overwritten by a client without the latest version', async () => {
    await dataOf(save(member, 'two', 0), 201);
    await dataOf(save(member, 'two', 1, contentOf('From one tab')));
    const late = await save(member, 'two', 1, contentOf('From another'));
    expect(late.status).toBe(409);
    expect((await save(member, 'two', 0)).status).toBe(409);
    expect(JSON.stringify(await dataOf(member.call(`${path}/two`)))).toContain('From one tab');
    const racing = await Promise.all(Array.from({ length: 8 }, () => save(member, 'two', 2)));
    expect(racing.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    await member.call(`${path}/two`, { method: 'DELETE' });
    // Deleted elsewhere: who goes on is told, and does not bring it back by accident.
    expect((await save(member, 'two', 3)).status).toBe(404);
  });

  test('are listed by cursor, last used first, without gaps or repetition', async () => {
    const reader = await service.user();
    for (let index = 0; index < 7; index += 1) await dataOf(save(reader, `n${index}`, 0, contentOf(`n${index}`)), 201);
    // Some in the same second, one used since.
    const { db } = service.platform.database;
    await sql`update playground_chats set updated_at = 1000 + id / 3 where user_id = ${reader.id}`.execute(db);
    await dataOf(save(reader, 'n2', 1, contentOf('n2')));
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { chats: Head[]; next_cursor: string | null } = await dataOf(
        reader.call(`${path}?page_size=2${cursor && `&cursor=${cursor}`}`),
      );
      expect(page.chats.length).toBeLessThanOrEqual(2);
      seen.push(...page.chats.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(['n2', 'n6', 'n5', 'n4', 'n3', 'n1', 'n0']);
    expect((await reader.call(`${path}?cursor=x`)).status).toBe(400);
    expect((await reader.call(`${path}?page=2`)).status).toBe(400);
  });

  test('are limited in size, total size and number', async () => {
    const writer = await service.user();
    const large = contentOf('x'.repeat(limits.chatBytes));
    expect((await save(writer, 'large', 0, large)).status).toBe(413);
    // Beyond what is read of a body at all.
    expect((await save(writer, 'large', 0, contentOf('x'.repeat(limits.chatBytes + 8_192)))).status).toBe(413);
    await dataOf(save(writer, 'fits', 0, contentOf('x'.repeat(limits.chatBytes - 2_000))), 201);

    const { db } = service.platform.database;
    const rest = limits.userBytes - limits.chatBytes;
    await sql`update playground_chats set bytes = ${rest} where user_id = ${writer.id}`.execute(db);
    const full = await save(writer, 'more', 0, contentOf('x'.repeat(limits.chatBytes - 2_000)));
    expect(full.status).toBe(201);
    const beyond = await save(writer, 'beyond', 0, contentOf('x'.repeat(10_000)));
    expect(beyond.status).toBe(413);
    expect(await beyond.text()).toContain('Delete some first');
    await sql`update playground_chats set bytes = 1 where user_id = ${writer.id}`.execute(db);

    await sql`insert into playground_chats (user_id, chat_id, name, models, bytes, version, created_at, updated_at, content)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(limits.chats - 4)})
      select ${writer.id}, 'filled-' || i, '', '[]', 1, 1, 0, 0, '{}' from n`.execute(db);
    // Two places are left, and eight come for them at once.
    const racing = await Promise.all(Array.from({ length: 8 }, (_, index) => save(writer, `racing-${index}`, 0)));
    expect(racing.map(({ status }) => status).sort()).toEqual([201, 201, ...Array(6).fill(403)]);
    await dataOf(save(writer, 'fits', 1));
  });

  const wrong: [what: string, content: unknown][] = [
    ['nothing', {}],
    ['no column', contentOf('Hi', { columns: [] })],
    ['five columns', contentOf('Hi', { columns: Array.from({ length: 5 }, (_, i) => ({ id: `c${i}`, model: 'm' })) })],
    ['an unknown member', { ...contentOf('Hi'), extra: 1 }],
    ['a picture elsewhere', contentOf('Hi', { entries: [{ ...said('Hi'), images: ['https://evil.example/x.png'] }] })],
    ['an invalid image', contentOf('Hi', { entries: [{ ...said('Hi'), images: ['data:text/html;base64,AA'] }] })],
    ['an answer under way', contentOf('Hi', { entries: [{ ...answer, state: 'streaming' } as never] })],
    ['too many entries', contentOf('Hi', { entries: Array(limits.entries + 1).fill(said('Hi')) })],
  ];
  test.each(wrong)('with %s are rejected', async (_, content) => {
    expect((await save(member, 'wrong', 0, content)).status).toBe(400);
  });

  test('with an impossible id are not found', async () => {
    for (const id of ['%20', 'a%2Fb', 'x'.repeat(65), 'ü']) {
      expect((await save(member, id, 0)).status).toBe(404);
      expect((await member.call(`${path}/${id}`)).status).toBe(404);
    }
  });
});

function said(content: string): Content['entries'][number] & { role: 'user' } {
  return { id: 'u', role: 'user', content };
}

test('a chat is named after the start of its first message', () => {
  expect(nameOf('  Two\n\nlines ')).toBe('Two lines');
  expect(nameOf('')).toBe('Untitled chat');
  expect(nameOf('\u200b \u202e')).toBe('Untitled chat');
  expect(nameOf('a\u202eb\u0007c')).toBe('abc');
  expect(nameOf('مرحبا 👩‍👩‍👧 \ud800')).toBe('مرحبا 👩‍👩‍👧');
  const long = nameOf('ü'.repeat(100_000));
  expect([...long]).toHaveLength(80);
  expect(long).toEndWith('…');
});

describe('presets', () => {
  const presets = '/api/playground/presets';
  const make = (by: Member, name: string, prompt = 'Be brief.') =>
    by.call(presets, { method: 'POST', body: { name, prompt } });
  interface Preset {
    id: number;
    name: string;
    prompt: string;
  }
  const listOf = async (by: Member) => (await dataOf<{ presets: Preset[] }>(by.call(presets))).presets;

  test('are saved, listed by name, changed and deleted only by their owner', async () => {
    const made = await dataOf<Preset>(make(member, 'Terse'), 201);
    await dataOf(make(member, 'Pirate', 'Arr.'), 201);
    expect((await listOf(member)).map(({ name }) => name)).toEqual(['Pirate', 'Terse']);
    expect(await listOf(other)).toEqual([]);
    const change = (by: Member, body: object) => by.call(`${presets}/${made.id}`, { method: 'PUT', body });
    expect((await change(other, { prompt: 'Mine' })).status).toBe(404);
    expect(await dataOf<Preset>(change(member, { prompt: 'Be very brief.' }))).toMatchObject({
      name: 'Terse',
      prompt: 'Be very brief.',
    });
    expect((await change(member, { name: 'Pirate' })).status).toBe(409);
    expect((await make(member, 'Pirate')).status).toBe(409);
    expect((await make(member, 'Empty', '')).status).toBe(400);
    expect((await make(member, 'Long', 'x'.repeat(limits.promptLength + 1))).status).toBe(400);
    expect((await other.call(`${presets}/${made.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await member.call(`${presets}/${made.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await listOf(member)).map(({ name }) => name)).toEqual(['Pirate']);
  });

  test('are limited in number', async () => {
    const writer = await service.user();
    await sql`insert into playground_presets (user_id, name, prompt, created_at, updated_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(limits.presets - 1)})
      select ${writer.id}, 'p' || i, 'x', 0, 0 from n`.execute(service.platform.database.db);
    const racing = await Promise.all(Array.from({ length: 5 }, (_, index) => make(writer, `racing ${index}`)));
    expect(racing.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403, 403]);
  });
});
