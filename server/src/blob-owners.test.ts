import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from './app.fixture.ts';
import { fileKeeper } from './batches/keeper.ts';
import { until } from './lib/until.fixture.ts';
import { sweepBlobs } from './platform/blobs/sweep.ts';
import { imageKeeper } from './relay/endpoints/image-files.ts';
import { videoKeeper } from './video/keeper.ts';

let site: TestApp;
beforeAll(async () => {
  site = await openTestApp();
  await site.app.start();
});
afterAll(() => site.close());

const prefixes = ['files/', 'videos/', 'images/'];

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for (const prefix of prefixes) for await (const { key } of site.platform.blobs.list(prefix)) keys.push(key);
  return keys.sort();
}

const log = { warn: () => {}, info: () => {} };
/** As if everything stored so far were old. */
const sweep = () => {
  const { blobs, clock, database } = site.platform;
  const keepers = [fileKeeper(database.db), videoKeeper(database.db), imageKeeper(clock)];
  const aged = { ...blobs, list: (prefix: string) => agedList(prefix) };
  return sweepBlobs({ blobs: aged, keepers, clock, log, days: () => 7 });
};
async function* agedList(prefix: string) {
  for await (const { key } of site.platform.blobs.list(prefix)) yield { key, writtenMs: 0 };
}

test('whatever users can still read survives the sweep, what lost its row does not', async () => {
  const member = await site.user();
  const headers = { authorization: `Bearer ${await member.key()}` };
  const ask = async <T>(path: string, body: unknown): Promise<T> => {
    const answer = await site.call(path, { method: 'POST', headers, body });
    expect(answer.status, path).toBeLessThan(300);
    return (await answer.json()) as T;
  };
  const form = (fields: Record<string, string | Blob>) => {
    const made = new FormData();
    for (const [name, value] of Object.entries(fields)) made.set(name, value);
    return made;
  };
  const bytes = new Blob(['hello'], { type: 'text/plain' });
  const about = { purpose: 'user_data', filename: 'a.txt', mime_type: 'text/plain', bytes: 5 };

  const file = await ask<{ id: string }>('/v1/files', form({ purpose: 'user_data', file: bytes }));
  const upload = await ask<{ id: string }>('/v1/uploads', about);
  await ask(`/v1/uploads/${upload.id}/parts`, form({ data: bytes }));
  await ask('/v1/images/generations', { model: 'demo/image', prompt: 'a', size: '256x256', response_format: 'url' });
  const video = await ask<{ id: string }>('/v1/videos', { model: 'demo/video', prompt: 'waves' });
  const params = { model: 'demo/chat', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
  const batch = await ask<{ id: string }>('/v1/messages/batches', { requests: [{ custom_id: 'a', params }] });
  const read = (path: string) => site.call(path, { headers });
  const content = [
    `/v1/files/${file.id}/content`,
    `/v1/videos/${video.id}/content`,
    `/v1/messages/batches/${batch.id}/results`,
  ];
  await until('all can be read', async () => {
    for (const path of content) if ((await read(path)).status !== 200) return false;
    return true;
  });

  const before = await stored();
  // A file, a part, the results of a batch (its input is gone), a video and an image.
  expect(before.map((key) => key.split('/')[0])).toEqual(['files', 'files', 'files', 'images', 'videos']);
  const orphans = ['files/file-00', 'files/part_00', 'videos/job-00/0', `videos/${video.id}/7`];
  const expired = `images/1-${'0'.repeat(32)}.png`;
  for (const key of [...orphans, expired]) await site.platform.blobs.put(key, new Uint8Array([1]), 'text/plain');
  await sweep();
  expect(await stored()).toEqual(before);
  for (const path of content) expect((await read(path)).status).toBe(200);
});

test('every column that names stored bytes is known to the sweep', async () => {
  const tables = await site.platform.database.db.introspection.getTables();
  const naming = tables.flatMap(({ name, columns }) =>
    columns.filter((column) => /(^|_)blob$/.test(column.name)).map((column) => `${name}.${column.name}`),
  );
  expect(naming.sort()).toEqual(['batches.input_blob', 'batches.results_blob', 'files.blob', 'upload_parts.blob']);
});
