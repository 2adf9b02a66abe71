import { describe, expect, test } from 'bun:test';
import { holdTime, moment, pass } from '../../lib/held-time.fixture.ts';
import { Batcher, LastUsed, RowBuffer } from './batch.ts';

describe('Batcher', () => {
  test('items that arrive together or during a batch are written together, in order', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>(async (items) => {
      batches.push(items);
      await Bun.sleep(5);
      return items.map((n) => n * 2);
    });
    const first = [1, 2, 3].map((n) => batcher.add(n));
    await Bun.sleep(1);
    const second = [4, 5].map((n) => batcher.add(n));
    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10]);
    expect(batches.flat()).toEqual([1, 2, 3, 4, 5]);
    expect(batches.length).toBeLessThanOrEqual(2);
    await batcher.idle();
  });

  test('a failed batch fails only its own items', async () => {
    const batcher = new Batcher<number, number>((items) => {
      if (items.includes(0)) throw new Error('no');
      return items;
    });
    await expect(batcher.add(0)).rejects.toThrow('no');
    expect(await batcher.add(1)).toBe(1);
  });
});

describe('write-behind', () => {
  holdTime();
  const rowsBehind = (write: (rows: number[]) => void | Promise<void>, keep = true) => {
    const seen = { failures: 0, lost: 0 };
    const rows = new RowBuffer<number>({
      everyMs: 100,
      retryMs: 1_000,
      atOnce: 3,
      mostWaiting: 6,
      write,
      failed: () => {
        seen.failures += 1;
        return keep;
      },
      lost: (count) => {
        seen.lost += count;
      },
    });
    return { rows, seen };
  };

  test('rows are written after the delay, or when there are enough, in order', async () => {
    const written: number[][] = [];
    const { rows } = rowsBehind((batch) => void written.push(batch));
    rows.add(1);
    rows.add(2);
    await pass(99, 99);
    expect(written).toEqual([]);
    await pass(1, 1);
    expect(written).toEqual([[1, 2]]);
    for (const n of [3, 4, 5]) rows.add(n);
    await moment();
    expect(written).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    rows.add(6);
    await rows.stop();
    expect(written.flat()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('writes run one at a time; new rows wait for the next', async () => {
    const written: number[][] = [];
    let release = () => {};
    const { rows } = rowsBehind((batch) => {
      written.push(batch);
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    for (const n of [1, 2, 3, 4, 5, 6]) rows.add(n);
    await moment();
    expect(written).toEqual([[1, 2, 3]]);
    release();
    await moment();
    expect(written).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    release();
  });

  test('after a failure retained rows are retried later, and the oldest are dropped when too many wait', async () => {
    const written: number[][] = [];
    let away = true;
    const { rows, seen } = rowsBehind((batch) => {
      if (away) throw new Error('away');
      written.push(batch);
    });
    rows.add(1);
    await rows.flush();
    await pass(900);
    expect(seen.failures).toBe(1);
    await pass(200);
    expect(seen.failures).toBe(2);
    for (const n of [2, 3, 4, 5, 6, 7]) rows.add(n);
    away = false;
    await rows.stop();
    expect([written.flat(), seen.lost]).toEqual([[4, 5, 6, 7], 3]);
  });

  test('rows that must not be retained are dropped', async () => {
    const { rows, seen } = rowsBehind(() => Promise.reject(new Error('constraint')), false);
    rows.add(1);
    await rows.flush();
    await pass(5_000);
    expect(seen.failures).toBe(1);
  });

  test('for rows used repeatedly the last time is written', async () => {
    const written: [number, number][][] = [];
    const used = new LastUsed(
      async (seen) => void written.push(seen),
      () => {},
    );
    used.saw(1, 10);
    used.saw(2, 11);
    used.saw(1, 12);
    await pass(5_000);
    expect(written).toEqual([
      [
        [1, 12],
        [2, 11],
      ],
    ]);
    await used.stop();
  });
});
