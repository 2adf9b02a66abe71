import { afterAll, beforeAll, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';

const clock = manualClock(Date.now());
let service: TestApp;
let server: ReturnType<typeof Bun.serve>;
let ada: Member;
let key: string;
let client: OpenAI;

const clientOf = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${server.port}/v1`, maxRetries: 0 });

beforeAll(async () => {
  service = await openTestApp({ clock, env: { DEMO_PROVIDER: 'on' } });
  await service.setOption('RateLimitEnabled', false);
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request, own) => service.app.fetch(request, own) });
  ada = await service.user();
  key = await ada.key();
  client = clientOf(key);
});
afterAll(async () => {
  await server.stop(true);
  await service.close();
});

const statusOf = async (asked: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await asked;
    return 200;
  } catch (error) {
    return (error as { status?: number }).status;
  }
};

const blobs = () =>
  service.platform.database.db.selectFrom('files').select('blob').where('user_id', '=', ada.id).execute();

const faultOf = async (form: FormData) => {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await service.call('/v1/files', { method: 'POST', headers, body: form });
  return { status: answer.status, ...((await answer.json()) as { error: { param: string; code: string } }).error };
};

const formOf = (fields: Record<string, string | Blob>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
};

test('OpenAI’s client uploads, lists, reads, downloads and deletes', async () => {
  // Larger than any piece it comes in, with what looks like the end of a part.
  const bytes = Buffer.alloc(3_000_000, 'some line\r\n--and another\r\n');
  const file = await client.files.create({ file: await toFile(bytes, 'large ünï.bin'), purpose: 'user_data' });
  expect(file).toMatchObject({ object: 'file', bytes: bytes.length, filename: 'large ünï.bin', status: 'processed' });
  expect(file.expires_at).toBeUndefined();
  expect(await client.files.retrieve(file.id)).toEqual(file);
  const content = Buffer.from(await (await client.files.content(file.id)).arrayBuffer());
  expect(content.equals(bytes)).toBeTrue();
  const small = await client.files.create({
    ...{ file: await toFile(Buffer.from('{}'), 'a.jsonl'), purpose: 'batch' as const },
    expires_after: { anchor: 'created_at', seconds: 3_600 },
  });
  expect(small.expires_at).toBe(small.created_at + 3_600);
  const seen: string[] = [];
  for await (const one of client.files.list({ limit: 1 })) seen.push(one.id);
  expect(seen).toEqual([small.id, file.id]);
  const ids = async (query: object) => (await client.files.list(query)).data.map(({ id }) => id);
  expect(await ids({ purpose: 'batch' })).toEqual([small.id]);
  expect(await ids({ order: 'asc' })).toEqual([file.id, small.id]);
  // A list goes on from where a file stood that was deleted meanwhile.
  const third = await client.files.create({ file: await toFile(Buffer.from('3'), 'c'), purpose: 'user_data' });
  await client.files.delete(small.id);
  expect(await ids({ after: small.id })).toEqual([file.id]);
  expect(await ids({ after: small.id, order: 'asc' })).toEqual([third.id]);
  for (const after of ['file-none', `file-${'f'.repeat(24)}`])
    expect(await statusOf(client.files.list({ after }))).toBe(404);
  for await (const one of client.files.list({ limit: 1 })) if (one.id === third.id) await client.files.delete(one.id);
  expect(await ids({})).toEqual([file.id]);
  expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
  expect(await service.platform.blobs.stat(`files/${file.id}`)).toBeNull();
  expect(await statusOf(client.files.retrieve(file.id))).toBe(404);
});

test('what is somebody else’s is not there', async () => {
  const file = await client.files.create({ file: await toFile(Buffer.from('mine'), 'a'), purpose: 'user_data' });
  const other = clientOf(await (await service.user()).key());
  expect(await statusOf(other.files.retrieve(file.id))).toBe(404);
  expect(await statusOf(other.files.content(file.id))).toBe(404);
  expect(await statusOf(other.files.delete(file.id))).toBe(404);
  expect((await other.files.list()).data).toEqual([]);
  expect(await statusOf(other.files.list({ after: file.id }))).toBe(404);
  await client.files.delete(file.id);
});

test('forms that are wrong are refused, and leave nothing', async () => {
  const file = new Blob(['x']);
  expect(await faultOf(formOf({ file }))).toMatchObject({ status: 400, param: 'purpose' });
  expect(await faultOf(formOf({ purpose: 'batch' }))).toMatchObject({ status: 400, param: 'file' });
  expect(await faultOf(formOf({ file, purpose: 'lunch' }))).toMatchObject({ status: 400, param: 'purpose' });
  expect(await faultOf(formOf({ file, purpose: 'batch', colour: 'red' }))).toMatchObject({ param: 'colour' });
  expect(await faultOf(formOf({ file, other: file, purpose: 'batch' }))).toMatchObject({ param: 'other' });
  const soon = { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '5' };
  expect(await faultOf(formOf({ file, purpose: 'batch', ...soon }))).toMatchObject({ status: 400 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' };
  for (const body of [
    '',
    '--b',
    '--b\r\n\r\n',
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx',
  ]) {
    const answer = await service.call('/v1/files', { method: 'POST', headers, body });
    expect([400, 415]).toContain(answer.status);
  }
  expect(await blobs()).toEqual([]);
});

test('files that are too large, alone or together, are refused, and leave nothing', async () => {
  await service.setOption('FileMaxMebibytes', 1);
  const large = new Blob([Buffer.alloc(1_048_577)]);
  expect(await faultOf(formOf({ purpose: 'user_data', file: large }))).toMatchObject({ status: 413 });
  await service.setOption('FilesPerUserMebibytes', 1);
  const half = new Blob([Buffer.alloc(600_000)]);
  const ask = () => faultOf(formOf({ purpose: 'user_data', file: half }));
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(413);
  expect(await blobs()).toHaveLength(1);
  await service.setOption('FileMaxMebibytes', 50);
  await service.setOption('FilesPerUserMebibytes', 1_000);
  for (const { id } of (await client.files.list()).data) await client.files.delete(id);
});

test('files run out, and the sweep takes their bytes along', async () => {
  const file = await client.files.create({
    ...{ file: await toFile(Buffer.from('brief'), 'a'), purpose: 'user_data' as const },
    expires_after: { anchor: 'created_at', seconds: 3_600 },
  });
  clock.advance(3_601_000);
  expect(await statusOf(client.files.retrieve(file.id))).toBe(404);
  service.app.sweep();
  await until('the file is gone', async () => (await blobs()).length === 0);
  expect(await service.platform.blobs.stat(`files/${file.id}`)).toBeNull();
});
