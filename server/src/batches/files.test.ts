import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
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

const anthropicOf = (apiKey: string) =>
  new Anthropic({ apiKey, baseURL: `http://127.0.0.1:${server.port}`, maxRetries: 0 });

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

test('returns 404 for another user’s file', async () => {
  const file = await client.files.create({ file: await toFile(Buffer.from('mine'), 'a'), purpose: 'user_data' });
  const other = clientOf(await (await service.user()).key());
  expect(await statusOf(other.files.retrieve(file.id))).toBe(404);
  expect(await statusOf(other.files.content(file.id))).toBe(404);
  expect(await statusOf(other.files.delete(file.id))).toBe(404);
  expect((await other.files.list()).data).toEqual([]);
  expect(await statusOf(other.files.list({ after: file.id }))).toBe(404);
  await client.files.delete(file.id);
});

test('invalid forms are rejected and nothing is stored', async () => {
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

test('files over the size limit or the user’s quota are rejected and nothing is stored', async () => {
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

test('files expire, and the sweep deletes their content', async () => {
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

test('Anthropic’s client lists pages of files, fetches files by id and sets an expiry', async () => {
  const { files } = anthropicOf(key);
  const made: string[] = [];
  for (const name of ['a.txt', 'b.txt', 'c.txt'])
    made.unshift((await files.upload({ file: await toFile(Buffer.from(name), name) })).id);
  const brief = await files.upload({ file: await toFile(Buffer.from('d'), 'd.pdf'), expires_in_seconds: 7_776_000 });
  expect(Date.parse(brief.expires_at!) - Date.parse(brief.created_at)).toBe(7_776_000_000);
  expect(brief).toMatchObject({ type: 'file', mime_type: 'application/pdf', size_bytes: 1, downloadable: true });
  expect(await files.retrieveMetadata(made[0]!)).toMatchObject({ filename: 'c.txt', expires_at: null });
  made.unshift(brief.id);
  const page = async (query: string) => {
    const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    const answer = await service.call(`/v1/files?${query}`, { headers });
    const { data, ...rest } = (await answer.json()) as { data: { id: string }[] } & Record<string, unknown>;
    return [data.map(({ id }) => made.indexOf(id)), rest.has_more, rest.next_page];
  };
  // Versions of before 2026 page by ids.
  expect(await page('limit=2')).toEqual([[0, 1], true, made[1]]);
  expect(await page(`limit=2&after_id=${made[1]}&beta=true`)).toEqual([[2, 3], false, null]);
  expect(await page(`limit=2&before_id=${made[3]}`)).toEqual([[1, 2], true, made[2]]);
  expect(await page(`limit=5&before_id=${made[1]}`)).toEqual([[0], false, null]);
  expect((await files.list({ ids: [made[2]!, made[0]!, 'file-none'] })).data.map(({ id }) => id)).toEqual([
    ...[made[0]!, made[2]!],
  ]);
  expect(await page('scope_id=session')).toEqual([[], false, null]);
  const seen: string[] = [];
  for await (const { id } of files.list({ limit: 3 })) seen.push(id);
  expect(seen).toEqual(made);
  for (const id of made) await files.delete(id);
});

test('at paths shared by OpenAI and Anthropic, each client gets errors in its own format', async () => {
  const strange = formOf({ file: new Blob(['x']), purpose: 'batch', colour: 'red' });
  const short = formOf({ file: new Blob(['x']), expires_in_seconds: '5' });
  const wrong: [status: number, method: string, path: string, body?: FormData, with_?: string][] = [
    [401, 'GET', '/v1/files', undefined, 'sk-wrong'],
    [401, 'GET', '/v1/models', undefined, 'sk-wrong'],
    [401, 'POST', '/v1/files', strange, 'sk-wrong'],
    [400, 'POST', '/v1/files', strange],
    [400, 'POST', '/v1/files', short],
    [400, 'GET', '/v1/files?colour=red'],
    [404, 'GET', '/v1/files/file-none'],
    [404, 'GET', '/v1/files/file-none/content'],
    [404, 'DELETE', '/v1/files/file-none'],
    [405, 'PATCH', '/v1/files'],
    [404, 'GET', '/v1/models/nobody/knows'],
    [404, 'GET', '/v1/messages/batches/none'],
  ];
  for (const [status, method, path, body, apiKey = key] of wrong) {
    const ask = async (headers: Record<string, string>) => {
      const answer = await service.call(path, { method, headers: { 'x-api-key': apiKey, ...headers }, body });
      return [answer, (await answer.json()) as Record<string, unknown>] as const;
    };
    const [answer, told] = await ask({ 'anthropic-version': '2023-06-01' });
    const shape = { type: 'error', error: { type: expect.any(String), message: expect.any(String) } };
    expect([path, answer.status, told]).toEqual([path, status, { ...shape, request_id: expect.any(String) }]);
    expect(answer.headers.get('request-id')).toBe(String(told.request_id));
    if (path.startsWith('/v1/messages')) continue;
    expect((await ask({}))[1]).toMatchObject({ error: { code: expect.any(String) } });
  }
});

test('a full account gets the error code that Anthropic’s client knows', async () => {
  await service.setOption('FilesPerUserMebibytes', 0);
  const upload = anthropicOf(key).files.upload({ file: await toFile(Buffer.from('x'), 'x') });
  const fault = await upload.then(
    () => null,
    (error: unknown) => error,
  );
  await service.setOption('FilesPerUserMebibytes', 1_000);
  expect(fault).toBeInstanceOf(Anthropic.APIError);
  expect(fault).toMatchObject({ status: 413, errorCode: 'storage_quota_exceeded', type: 'request_too_large' });
});

describe('multipart uploads', () => {
  const about = { filename: 'large.bin', mime_type: 'application/octet-stream', purpose: 'user_data' as const };
  const begin = (bytes: number) => client.uploads.create({ ...about, bytes });
  const add = async (id: string, text: string | Buffer) =>
    (await client.uploads.parts.create(id, { data: await toFile(Buffer.from(text), 'part') })).id;
  const addAll = async (id: string, texts: string[]) => {
    const ids: string[] = [];
    for (const text of texts) ids.push(await add(id, text));
    return ids;
  };
  const complete = (id: string, part_ids: string[], md5?: string) => client.uploads.complete(id, { part_ids, md5 });
  const textOf = async (id: string) => (await client.files.content(id)).text();
  const rows = (table: 'uploads' | 'upload_parts') =>
    service.platform.database.db.selectFrom(table).select('id').execute();
  const partBlobs = async () => {
    const parts = service.platform.database.db.selectFrom('upload_parts').select('blob').execute();
    return (await parts).map(({ blob }) => blob);
  };

  test.each(['hex', 'base64'] as const)(
    'parts are joined in the given order and checked against an MD5 in %s',
    async (as) => {
      const parts = [Buffer.alloc(700_000, 'tea '), Buffer.alloc(300_000, 'coffee '), Buffer.from('the end')];
      const bytes = Buffer.concat(parts);
      const upload = await begin(bytes.length);
      expect(upload).toMatchObject({ object: 'upload', status: 'pending', bytes: bytes.length, filename: 'large.bin' });
      expect([upload.expires_at - upload.created_at, upload.file]).toEqual([3_600, null]);
      const ids = await Promise.all(parts.map((part) => add(upload.id, part)));
      const kept = await partBlobs();
      const done = await complete(upload.id, ids, createHash('md5').update(bytes).digest(as));
      expect(done).toMatchObject({
        id: upload.id,
        status: 'completed',
        file: { bytes: bytes.length, purpose: 'user_data' },
      });
      const file = done.file!;
      expect(await client.files.retrieve(file.id)).toEqual(file);
      expect((await client.files.list()).data).toEqual([file]);
      expect(Buffer.from(await (await client.files.content(file.id)).arrayBuffer()).equals(bytes)).toBeTrue();
      for (const blob of kept) expect(await service.platform.blobs.stat(blob)).toBeNull();
      expect([kept.length, await rows('upload_parts')]).toEqual([3, []]);
      await client.files.delete(file.id);
      expect((await complete(upload.id, ids)).file).toBeNull();
    },
  );

  test('completing an upload several times, also concurrently, creates one file', async () => {
    const upload = await begin(4);
    const [a, b] = await addAll(upload.id, ['te', 'a!']);
    const written: string[] = [];
    const { put } = service.platform.blobs;
    service.platform.blobs.put = (key, ...content) => {
      written.push(key);
      return put(key, ...content);
    };
    const told = await Promise.all([1, 2, 3].map(() => complete(upload.id, [a!, b!])));
    service.platform.blobs.put = put;
    // Each could be as large as the disk.
    expect(written).toHaveLength(1);
    const again = await complete(upload.id, [a!, b!]);
    expect(new Set([...told, again].map(({ file }) => file!.id)).size).toBe(1);
    expect((await client.files.list()).data).toHaveLength(1);
    expect(await blobs()).toHaveLength(1);
    expect(await statusOf(complete(upload.id, [b!, a!]))).toBe(409);
    expect(await statusOf(add(upload.id, 'more'))).toBe(409);
    expect(await statusOf(client.uploads.cancel(upload.id))).toBe(409);
    expect(await textOf(again.file!.id)).toBe('tea!');
    await client.files.delete(again.file!.id);
  });

  test('of a part sent twice, one copy is used; incomplete or duplicate lists are rejected', async () => {
    const upload = await begin(6);
    const [first, second, other] = await addAll(upload.id, ['one', 'two', 'TWO']);
    const wrong: [ids: string[], md5?: string][] = [
      [[first!]],
      [[first!, second!, other!]],
      [[first!, 'part_none']],
      [[]],
      [[first!, second!], createHash('md5').update('oneTWO').digest('hex')],
    ];
    for (const [ids, md5] of wrong) expect(await statusOf(complete(upload.id, ids, md5))).toBe(400);
    expect(await blobs()).toEqual([]);
    const { file } = await complete(upload.id, [other!, first!]);
    expect(await textOf(file!.id)).toBe('TWOone');
    await client.files.delete(file!.id);
  });

  test('a cancelled upload stays cancelled, and its parts are deleted', async () => {
    const upload = await begin(6);
    const ids = await addAll(upload.id, ['one', 'two']);
    for (const _ of [1, 2])
      expect(await client.uploads.cancel(upload.id)).toMatchObject({ status: 'cancelled', file: null });
    expect(await rows('upload_parts')).toEqual([]);
    expect(await statusOf(add(upload.id, 'one'))).toBe(409);
    expect(await statusOf(complete(upload.id, ids))).toBe(409);
  });

  test('an upload expires after an hour and leaves nothing behind', async () => {
    const upload = await begin(6);
    const ids = await addAll(upload.id, ['one', 'two']);
    const kept = await partBlobs();
    clock.advance(3_600_000);
    expect(await statusOf(add(upload.id, 'one'))).toBe(404);
    expect(await statusOf(complete(upload.id, ids))).toBe(404);
    expect(await statusOf(client.uploads.cancel(upload.id))).toBe(404);
    service.app.sweep();
    await until('the upload is gone', async () => (await rows('uploads')).length === 0);
    for (const blob of kept) expect(await service.platform.blobs.stat(blob)).toBeNull();
    expect([kept.length, await rows('upload_parts')]).toEqual([2, []]);
  });

  test('other users cannot use an upload or its parts', async () => {
    const upload = await begin(3);
    const ids = await addAll(upload.id, ['one']);
    const other = clientOf(await (await service.user()).key());
    const theirs = await other.uploads.create({ ...about, bytes: 3 });
    const data = await toFile(Buffer.from('two'), 'part');
    expect(await statusOf(other.uploads.parts.create(upload.id, { data }))).toBe(404);
    expect(await statusOf(other.uploads.complete(upload.id, { part_ids: ids }))).toBe(404);
    expect(await statusOf(other.uploads.cancel(upload.id))).toBe(404);
    expect(await statusOf(other.uploads.complete(theirs.id, { part_ids: ids }))).toBe(400);
    const { file } = await complete(upload.id, ids);
    expect(await textOf(file!.id)).toBe('one');
    await client.files.delete(file!.id);
  });

  test('upload size, part size and storage per user are limited', async () => {
    await service.setOption('UploadMaxMebibytes', 2);
    expect(await statusOf(begin(2_097_153))).toBe(413);
    await service.setOption('FilesPerUserMebibytes', 3);
    const upload = await begin(2_097_152);
    expect(await statusOf(begin(2_097_152))).toBe(413);
    const { file } = { file: await toFile(Buffer.alloc(1_200_000), 'a') };
    expect(await statusOf(client.files.create({ file, purpose: 'user_data' }))).toBe(413);
    const whole = Buffer.alloc(2_097_152);
    expect(await statusOf(add(upload.id, Buffer.alloc(2_200_000)))).toBe(413);
    expect(await statusOf(add(upload.id, Buffer.alloc(2_097_153)))).toBe(413);
    for (const status of [200, 200, 413]) expect(await statusOf(add(upload.id, whole))).toBe(status);
    expect(await rows('upload_parts')).toHaveLength(2);
    // What is cancelled leaves room at once.
    await client.uploads.cancel(upload.id);
    expect(await statusOf(begin(2_097_152))).toBe(200);
    await service.setOption('UploadMaxMebibytes', 512);
    await service.setOption('FilesPerUserMebibytes', 1_000);
  });

  test.each([
    [{ ...about, bytes: 0 }, 'bytes'],
    [{ ...about, bytes: 1.5 }, 'bytes'],
    [about, 'bytes'],
    [{ ...about, bytes: 1, purpose: 'lunch' }, 'purpose'],
    [{ ...about, bytes: 1, filename: '' }, 'filename'],
    [{ ...about, bytes: 1, expires_after: { anchor: 'created_at', seconds: 5 } }, 'expires_after.seconds'],
  ])('an invalid upload request is rejected: %j', async (body, param) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await service.call('/v1/uploads', { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }]);
  });
});
