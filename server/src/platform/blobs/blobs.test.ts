import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failedOutside } from '../http/failed-outside.ts';
import type { Log } from '../log.ts';
import { openBlobs } from './open.ts';
import { startS3 } from './s3-server.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-blobs-'));
const s3 = startS3();
const bucket = { endpoint: s3.url, bucket: 'media', region: 'eu', accessKeyId: 'key', secretAccessKey: 'secret' };
afterAll(() => {
  rmSync(folder, { recursive: true });
  void s3.stop();
});

const bytesOf = (stream: ReadableStream<Uint8Array> | null) => new Response(stream).bytes();
const streamOf = (...chunks: Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Bun.sleep(1);
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
  });

describe.each(['disk', 's3'] as const)('blobs on %s', async (kind) => {
  const blobs = await openBlobs({ folder, ...(kind === 's3' && { s3: bucket }) });

  test('stores bytes and media type', async () => {
    expect(blobs.kind).toBe(kind);
    expect(await blobs.put('images/a_1.png', new Uint8Array([1, 2, 3]), 'image/png')).toEqual({ size: 3 });
    expect(await blobs.stat('images/a_1.png')).toEqual({ size: 3, contentType: 'image/png' });
    expect(await bytesOf(await blobs.read('images/a_1.png'))).toEqual(new Uint8Array([1, 2, 3]));
  });

  test('reads ranges, both ends included', async () => {
    await blobs.put(
      'range',
      Uint8Array.from({ length: 100 }, (_, n) => n),
      'video/mp4',
    );
    const read = async (start: number, end: number) => [...(await bytesOf(await blobs.read('range', { start, end })))];
    expect(await read(0, 0)).toEqual([0]);
    expect(await read(10, 12)).toEqual([10, 11, 12]);
    expect(await read(98, 99)).toEqual([98, 99]);
  });

  test('accepts streams, including long ones', async () => {
    const piece = new Uint8Array(1_048_576).map((_, n) => n % 251);
    expect(await blobs.put('short', streamOf(new Uint8Array([1]), new Uint8Array([2])), 'audio/mpeg')).toEqual({
      size: 2,
    });
    expect(await blobs.put('long', streamOf(...Array(7).fill(piece)), 'video/mp4')).toEqual({ size: 7_340_032 });
    expect(await blobs.stat('long')).toEqual({ size: 7_340_032, contentType: 'video/mp4' });
    const tail = await bytesOf(await blobs.read('long', { start: 7_340_030, end: 7_340_031 }));
    expect(tail).toEqual(piece.slice(-2));
  });

  test('an interrupted stream leaves the previous content', async () => {
    await blobs.put('kept', new Uint8Array([9]), 'image/png');
    const broken = (key: string) => {
      let sent = 0;
      const source = new ReadableStream<Uint8Array>({
        pull: (controller) =>
          sent++ < 3 ? controller.enqueue(new Uint8Array(10)) : controller.error(new Error('cut')),
      });
      return blobs.put(key, source, 'video/mp4').catch((error: Error) => error.message);
    };
    expect(await broken('kept')).toBe('cut');
    expect(await blobs.stat('kept')).toEqual({ size: 1, contentType: 'image/png' });
    expect(await broken('never')).toBe('cut');
    expect(await blobs.stat('never')).toBeNull();
  });

  test('overwrites, stores empty content, and deletes', async () => {
    await blobs.put('over', new Uint8Array([1]), 'image/png');
    await blobs.put('over', new Uint8Array(0), 'text/plain');
    expect(await blobs.stat('over')).toMatchObject({ size: 0 });
    expect((await bytesOf(await blobs.read('over'))).byteLength).toBe(0);
    await blobs.delete('over');
    await blobs.delete('over');
    expect(await blobs.stat('over')).toBeNull();
    expect(await blobs.read('over')).toBeNull();
  });

  test('a folder is not a blob, and nothing is below a blob', async () => {
    await blobs.put('folder/blob', new Uint8Array(1), 'image/png');
    for (const key of ['folder', 'folder/blob/below']) {
      expect(await blobs.stat(key)).toBeNull();
      expect(await blobs.read(key)).toBeNull();
    }
  });

  test('what has been found can be read to its end, however soon it is deleted', async () => {
    const content = new Uint8Array(300_000).map((_, n) => n % 251);
    await blobs.put('found', content, 'image/png');
    const found = await blobs.read('found');
    await blobs.delete('found');
    expect(await bytesOf(found)).toEqual(content);

    for (let round = 0; round < 30; round++) {
      await blobs.put('contested', content, 'image/png');
      const reading = Array.from({ length: 4 }, () => blobs.read('contested'));
      await blobs.delete('contested');
      for (const stream of await Promise.all(reading)) if (stream) expect(await bytesOf(stream)).toEqual(content);
    }
  });

  test.each(['', '/', '/a', 'a/', 'a//b', '..', 'a/../b', './a', 'A', 'a b', 'ä', 'a\\b', 'a\0', 'x'.repeat(600)])(
    'rejects the key %j',
    async (key) => {
      await expect(blobs.put(key, new Uint8Array(1), 'a/b')).rejects.toThrow('not a blob key');
      await expect(blobs.read(key)).rejects.toThrow('not a blob key');
      await expect(blobs.stat(key)).rejects.toThrow('not a blob key');
      await expect(blobs.delete(key)).rejects.toThrow('not a blob key');
    },
  );
});

test('a small blob is sent although it is deleted just before', async () => {
  const blobs = await openBlobs({ folder });
  await blobs.put('small', new Uint8Array([1, 2, 3, 4]), 'text/plain');
  const [whole, part] = [await blobs.body('small'), await blobs.body('small', { start: 1, end: 2 })];
  await blobs.delete('small');
  expect(await new Response(whole).bytes()).toEqual(new Uint8Array([1, 2, 3, 4]));
  expect(await new Response(part).bytes()).toEqual(new Uint8Array([2, 3]));
  expect(await blobs.body('small')).toBeNull();
});

test('an answer tells the length of its blob, and is a 404 if the blob is deleted just before it is sent', async () => {
  const blobs = await openBlobs({ folder });
  await blobs.put('sent', new Uint8Array(3_000_000), 'video/mp4');
  const faults: unknown[] = [];
  const log = { error: (fault: unknown) => faults.push(fault) } as unknown as Log;
  const server = Bun.serve({
    port: 0,
    error: failedOutside(log, { 'x-content-type-options': 'nosniff' }),
    async fetch(request) {
      if (request.url.endsWith('/fault')) throw new Error('a fault');
      const found = await blobs.body('sent');
      if (request.url.endsWith('/late')) await blobs.delete('sent');
      return new Response(found, { headers: { 'content-length': '3000000' } });
    },
  });
  const sent = await fetch(server.url);
  expect(sent.headers.get('content-length')).toBe('3000000');
  expect((await sent.bytes()).byteLength).toBe(3_000_000);
  expect((await fetch(`${server.url}late`)).status).toBe(404);
  expect(faults).toEqual([]);
  expect((await fetch(`${server.url}fault`)).status).toBe(500);
  expect(faults).toHaveLength(1);
  expect(await blobs.body('sent')).toBeNull();
  await server.stop(true);
});

test('no partial files stay on disk, and old leftovers are removed at the next start', async () => {
  const incoming = join(folder, 'incoming');
  expect(readdirSync(incoming)).toEqual([]);
  for (const name of ['old', 'fresh']) writeFileSync(join(incoming, name), 'x');
  const twoDaysAgo = Date.now() / 1000 - 172_800;
  utimesSync(join(incoming, 'old'), twoDaysAgo, twoDaysAgo);
  await openBlobs({ folder });
  expect(readdirSync(incoming)).toEqual(['fresh']);
});

test('in S3 every call is signed, long streams use parts, and a refusal is an error, not a missing object', async () => {
  expect(s3.seen.unsigned).toBe(0);
  expect(s3.seen.parts).toBeGreaterThanOrEqual(2);
  expect([...s3.objects.keys()]).toContain('/media/images/a_1.png');
  s3.seen.broken = true;
  const blobs = await openBlobs({ folder, s3: bucket });
  await expect(blobs.stat('range')).rejects.toThrow();
  await expect(blobs.read('range')).rejects.toThrow();
  await expect(blobs.put('range', new Uint8Array(1), 'a/b')).rejects.toThrow();
  s3.seen.broken = false;
});
