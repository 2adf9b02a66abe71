import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCheckpoints } from './checkpoints.ts';

test('the write-ahead log stays short under load, and nothing is lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-checkpoints-'));
  const path = join(folder, 'a.db');
  const writer = new Database(path, { create: true });
  writer.run('pragma journal_mode = wal');
  writer.run('pragma busy_timeout = 5000');
  writer.run('create table rows (id integer primary key, text text not null)');
  const checkpoints = openCheckpoints(path, writer, { leastBytes: 1 << 20, mostPages: 512, everyMs: 5 });
  const text = 'x'.repeat(10_000);
  let written = 0;
  const fill = async (rows: number) => {
    for (const end = written + rows; written < end; written += 1) {
      writer.run('insert into rows (text) values (?)', [text]);
      if (written % 20 === 0) await Bun.sleep(1);
    }
  };
  // Only checkpointed pages of the WAL can be overwritten: without checkpoints it would be as long as everything
  // written.
  for (let size = Number.POSITIVE_INFINITY; size > (written * text.length) / 2; size = statSync(`${path}-wal`).size)
    await fill(500);
  await checkpoints.close();
  writer.close();
  const again = new Database(path, { readonly: true });
  expect(again.query('select count(*) as n from rows').get()).toEqual({ n: written });
  expect(again.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  again.close();
  rmSync(folder, { recursive: true });
}, 300_000);
