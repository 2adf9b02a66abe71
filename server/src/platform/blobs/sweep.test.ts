import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '../../lib/clock.ts';
import { openBlobs } from './open.ts';
import { startS3 } from './s3-server.fixture.ts';
import { sweepBlobs } from './sweep.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-sweep-'));
const s3 = startS3();
const bucket = { endpoint: s3.url, bucket: 'media', region: 'eu', accessKeyId: 'key', secretAccessKey: 'secret' };
afterAll(() => {
  rmSync(folder, { recursive: true });
  void s3.stop();
});

const day = 86_400_000;
const log = { warn: () => {}, info: () => {} };

describe.each(['disk', 's3'] as const)('the sweep of blobs on %s', async (kind) => {
  const blobs = await openBlobs({ folder, ...(kind === 's3' && { s3: bucket }) });
  const age = (key: string, days: number) => {
    const writtenMs = Date.now() - days * day;
    if (kind === 'disk') utimesSync(join(folder, 'data', key), writtenMs / 1000, writtenMs / 1000);
    else s3.objects.get(`/media/${key}`)!.writtenMs = writtenMs;
  };
  const put = async (key: string, days: number) => {
    await blobs.put(key, new Uint8Array([1]), 'text/plain');
    age(key, days);
  };
  const isThere = async (key: string) => (await blobs.stat(key)) !== null;
  const clock = { ...manualClock(), nowMs: () => Date.now() };

  test('deletes old bytes without a row, and nothing else', async () => {
    const asked: string[] = [];
    const keeper = {
      prefix: 'files/',
      needed: async (keys: string[]) => {
        asked.push(...keys);
        return new Set(keys.filter((key) => key.includes('owned')));
      },
    };
    for (const [key, days] of [
      ['files/owned', 30],
      ['files/orphan', 8],
      ['files/deep/orphan', 8],
      ['files/young', 6],
      ['files/other-1', 8],
      ['files/other-2', 8],
      ['others/orphan', 30],
    ] as const)
      await put(key, days);
    await sweepBlobs({ blobs, keepers: [keeper], clock, log, days: () => 7 });
    expect(asked.sort()).toEqual([
      'files/deep/orphan',
      'files/orphan',
      'files/other-1',
      'files/other-2',
      'files/owned',
    ]);
    for (const key of ['files/owned', 'files/young', 'others/orphan']) expect(await isThere(key)).toBe(true);
    for (const key of ['files/orphan', 'files/deep/orphan', 'files/other-1', 'files/other-2'])
      expect(await isThere(key)).toBe(false);
  });

  test('deletes nothing if a room cannot tell, or if it is switched off', async () => {
    await put('files/unknown', 8);
    const unable = { prefix: 'files/', needed: () => Promise.reject(new Error('the database is away')) };
    const sweep = sweepBlobs({ blobs, keepers: [unable], clock, log, days: () => 7 });
    await expect(sweep).rejects.toThrow('away');
    const none = { prefix: 'files/', needed: async () => new Set<string>() };
    await sweepBlobs({ blobs, keepers: [none], clock, log, days: () => 0 });
    expect(await isThere('files/unknown')).toBe(true);
  });

  test('a prefix without blobs is no error', async () => {
    const none = { prefix: 'nothing/', needed: async () => new Set<string>() };
    await sweepBlobs({ blobs, keepers: [none], clock, log, days: () => 7 });
  });
});

test('what interrupted writes left on disk is deleted while the service runs, too', async () => {
  const blobs = await openBlobs({ folder });
  const left = join(folder, 'incoming', 'left');
  writeFileSync(left, 'half');
  utimesSync(left, 1, 1);
  writeFileSync(join(folder, 'incoming', 'under-way'), 'half');
  await sweepBlobs({ blobs, keepers: [], clock: manualClock(), log, days: () => 7 });
  expect(readdirSync(join(folder, 'incoming'))).toEqual(['under-way']);
});
