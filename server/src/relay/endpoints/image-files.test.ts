import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { diskBlobs } from '../../platform/blobs/disk.ts';
import type { JobHandler } from '../../platform/durable/jobs.ts';
import { findImage, keepImages, workImageExpiry } from './image-files.ts';

test('the queued job deletes the image files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-images-'));
  const blobs = await diskBlobs(folder);
  const queued: { data: unknown; delayMs: number }[] = [];
  let handler: JobHandler | undefined;
  const jobs = {
    enqueue: async (_: string, data: unknown, options: { delayMs?: number } = {}) => {
      queued.push({ data, delayMs: options.delayMs ?? 0 });
      return 'id';
    },
    work: (_: string, __: unknown, given: JobHandler) => {
      handler = given;
    },
  };
  const deps = { blobs, jobs, clock: systemClock, baseUrl: 'https://svc.example' };
  workImageExpiry(deps);
  const gif = Buffer.from('GIF89a......');
  const urls = await keepImages(deps, [gif, new Uint8Array(8)]);
  expect(urls[0]).toMatch(/^https:\/\/svc\.example\/v1\/files\/images\/\w+-[0-9a-f]{32}\.gif$/);
  expect(urls[1]).toEndWith('.bin');
  const name = urls[0]!.split('/').at(-1)!;
  expect(await findImage(deps, name)).toMatchObject({ size: gif.length, contentType: 'image/gif' });
  expect(queued.length).toBe(1);
  expect(queued[0]!.delayMs).toBeGreaterThan(24 * 3_600_000 - 1);

  const job = { id: 'id', queue: '', data: queued[0]!.data, attempt: 1, signal: new AbortController().signal };
  await handler!(job);
  expect(await findImage(deps, name)).toBeNull();
  // At least once: a second run finds nothing and is content.
  await handler!(job);
  rmSync(folder, { recursive: true, force: true });
});
