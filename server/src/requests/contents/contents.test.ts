import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import {
  addUpstream,
  type Script,
  type ScriptedUpstream,
  scriptedUpstream,
} from '../../relay/scripted-upstream.fixture.ts';
import type { Json } from '../../relay/wire/conversation.ts';

let house: TestApp;
let upstream: ScriptedUpstream;
let root: Member;
let member: Member;
let key: string;

const question = 'Where is the garden?';
const words = 'Behind the mill.';
const event = (choice: object) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] })}\n\n`;
const answers: Script = ({ body }) =>
  (body as Json).stream
    ? new Response(
        `${event({ delta: { content: 'Behind ' } })}${event({ delta: { content: 'the mill.' } })}${event({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`,
        { headers: { 'content-type': 'text/event-stream' } },
      )
    : Response.json({
        id: 'c',
        choices: [{ index: 0, message: { role: 'assistant', content: words }, finish_reason: 'stop' }],
      });

beforeAll(async () => {
  house = await openTestApp();
  await house.app.start();
  await house.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(answers);
  root = await house.root();
  await addUpstream(house, upstream.url, [{ model_id: 'acme/free' }], { kind: 'openai', provider: 'acme' });
});
afterAll(async () => {
  await house.close();
  await upstream.close();
});
beforeEach(async () => {
  upstream.answer(answers);
  member = await house.user();
  key = await member.key();
});

interface Sent {
  path?: string;
  headers?: Record<string, string>;
  body?: Json;
}

async function ask({ path = '/v1/chat/completions', headers = {}, body = {} }: Sent = {}): Promise<string> {
  const asked = path.endsWith('responses') ? { input: question } : { messages: [{ role: 'user', content: question }] };
  const answer = await house.call(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: { model: 'acme/free', ...asked, ...body },
  });
  await answer.text();
  return answer.headers.get('x-request-id')!;
}

async function contentOf(id: string, by = member): Promise<Json | null> {
  const path = by === root ? '/api/admin/requests' : '/api/requests';
  const answer = await by.call(`${path}/${id}`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: { content: Json | null } }).data.content;
}

const kept = { prompt: [{ role: 'user', text: question }], answer: words, cut: false };
const rows = () => house.platform.database.db.selectFrom('request_contents').selectAll();
const rowsOf = (userId: number) => rows().where('user_id', '=', userId).execute();
const agree = (keep: boolean, by = member) => by.call('/api/user/request-contents', { method: 'PUT', body: { keep } });

test('nothing is stored unless the operator and the user allow it', async () => {
  expect((await agree(true)).status).toBe(400);
  expect(await contentOf(await ask())).toBeNull();
  await house.setOption('RequestContentsDays', 7);
  const standing = await member.call('/api/user/request-contents');
  expect(await standing.json()).toEqual({ success: true, data: { days: 7, keep: false } });
  expect(await contentOf(await ask())).toBeNull();
  expect(await rowsOf(member.id)).toEqual([]);
});

test.each([
  ['whole', {}],
  ['streamed', { body: { stream: true } }],
  ['a message', { path: '/v1/messages', body: { max_tokens: 50 } }],
  ['a streamed response', { path: '/v1/responses', body: { stream: true } }],
])('%s is stored encrypted for the user and administrators', async (_, sent) => {
  await agree(true);
  const id = await ask(sent);
  await until('it is kept', async () => (await contentOf(id))?.answer === words);
  expect(await contentOf(id)).toEqual(kept);
  expect(await contentOf(id, root)).toEqual(kept);
  const text = JSON.stringify(await rowsOf(member.id));
  expect(text).toContain(id);
  expect(text).not.toContain('garden');
  expect(text).not.toContain('mill');
  const other = await house.user();
  expect((await other.call(`/api/requests/${id}`)).status).toBe(404);
});

test("an administrator who reads another user's content leaves an audit entry without the text", async () => {
  interface Entry {
    action: string;
    actor: { id: number };
    target: object;
    metadata: object;
    ip: string;
  }
  const entries = async (): Promise<Entry[]> => {
    const answer = await root.call('/api/admin/audit?action=request_contents_read');
    return ((await answer.json()) as { data: { logs: Entry[] } }).data.logs;
  };
  await agree(true);
  const id = await ask();
  const without = await ask({ headers: { 'cache-control': 'no-store' } });
  const before = (await entries()).length;
  // One's own, or where there is nothing to read.
  await contentOf(id);
  expect(await contentOf(without, root)).toBeNull();
  key = await root.key();
  await agree(true, root);
  expect(await contentOf(await ask(), root)).toEqual(kept);
  expect(await entries()).toHaveLength(before);

  expect(await contentOf(id, root)).toEqual(kept);
  const [entry, ...others] = await entries();
  expect(others).toHaveLength(before);
  expect(entry).toMatchObject({
    action: 'request_contents_read',
    actor: { id: root.id },
    target: { type: 'user', id: member.id, name: member.username },
    metadata: { request_id: id },
  });
  expect(JSON.stringify(entry)).not.toContain('garden');
});

test('the prompt of an unanswered request is stored, and tool calls are included', async () => {
  await agree(true);
  upstream.answer(() => Response.json({ error: { message: 'no' } }, { status: 500 }));
  expect(await contentOf(await ask())).toEqual({ ...kept, answer: null });
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"mill"}' } };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  upstream.answer(() => Response.json({ id: 'c', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
  expect(await contentOf(await ask())).toMatchObject({ answer: 'look {"at":"mill"}' });
});

test('a request can opt out', async () => {
  await agree(true);
  expect(await contentOf(await ask({ headers: { 'cache-control': 'no-store' } }))).toBeNull();
  expect(await contentOf(await ask({ path: '/v1/responses', body: { store: false } }))).toBeNull();
});

test('long content is cut, oldest first; images are named, not stored', async () => {
  await agree(true);
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const messages = [
    { role: 'user', content: 'x'.repeat(70_000) },
    { role: 'assistant', content: 'Go on.' },
    { role: 'user', content: [{ type: 'text', text: question }, image] },
  ];
  const content = (await contentOf(await ask({ body: { messages } })))!;
  expect(content.cut).toBe(true);
  const prompt = content.prompt as { role: string; text: string }[];
  expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(prompt[2]!.text).toBe(`${question}\n[image]`);
  expect(prompt.reduce((sum, { text }) => sum + text.length, 0)).toBe(64 * 1024);
});

test('content is deleted on opt-out, by age and with the account, and is in the export', async () => {
  await agree(true);
  const id = await ask();
  expect(await contentOf(id)).toEqual(kept);
  expect(await (await member.call('/api/user/self/export')).text()).toContain('Behind the mill.');
  expect((await agree(false)).status).toBe(200);
  expect(await rowsOf(member.id)).toEqual([]);
  expect(await contentOf(await ask())).toBeNull();

  await agree(true);
  const [old, young] = [await ask(), await ask()];
  expect(await contentOf(old)).toEqual(kept);
  expect(await contentOf(young)).toEqual(kept);
  const { db } = house.platform.database;
  await db.updateTable('request_contents').set({ created_at: 1 }).where('request_id', '=', old).execute();
  house.app.sweep();
  await until('the old one is gone', async () => (await rowsOf(member.id)).length === 1);
  expect(await contentOf(old)).toBeNull();

  const left = await member.call('/api/user/self', { method: 'DELETE', body: { password: 'a fine password' } });
  expect(left.ok).toBe(true);
  await until('it went with the account', async () => (await rowsOf(member.id)).length === 0);
});

test('content that cannot be decrypted is not an error', async () => {
  await agree(true);
  const id = await ask();
  expect(await contentOf(id)).toEqual(kept);
  const { db } = house.platform.database;
  await db.updateTable('request_contents').set({ content: 's1.gone.AAAA' }).where('request_id', '=', id).execute();
  expect(await contentOf(id)).toBeNull();
});

test('a request in progress during the opt-out is not stored', async () => {
  await agree(true);
  const { promise: taken, resolve } = Promise.withResolvers<void>();
  upstream.answer(async (request) => {
    await taken;
    return answers(request);
  });
  const asked = upstream.next();
  const [whole, streamed] = [ask(), ask({ body: { stream: true } })];
  await asked;
  expect((await agree(false)).status).toBe(200);
  resolve();
  for (const id of [await whole, await streamed]) expect(await contentOf(id)).toBeNull();
  expect(await rowsOf(member.id)).toEqual([]);
});

test('a request is answered even if it is unknown whether it may be stored', async () => {
  const { schema } = house.platform.database.db;
  await schema.alterTable('content_consents').renameTo('consents_away').execute();
  const answer = await house.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'acme/free', messages: [{ role: 'user', content: question }] },
  });
  await schema.alterTable('consents_away').renameTo('content_consents').execute();
  expect(answer.status).toBe(200);
  expect(await rowsOf(member.id)).toEqual([]);
});
