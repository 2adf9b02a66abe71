import { expect, test } from 'bun:test';
import { repeat } from './repeat.ts';

const fault = (code: string) => Object.assign(new Error(code), { code });

test('a temporary error is retried, and the final result returned', async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries < 3) throw fault('SQLITE_BUSY');
    return tries;
  };
  expect(await repeat(work, { pauseMs: 1 })).toBe(3);
});

test('any other error is thrown at once', async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    throw fault('SQLITE_CONSTRAINT_NOTNULL');
  };
  expect(repeat(work, { pauseMs: 1 })).rejects.toThrow('NOTNULL');
  expect(tries).toBe(1);
});

test('ends after its tries or its time', async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    throw fault('SQLITE_BUSY');
  };
  await expect(repeat(work, { pauseMs: 1, mostTries: 4 })).rejects.toThrow('SQLITE_BUSY');
  expect(tries).toBe(4);
  await expect(repeat(work, { pauseMs: 5, patienceMs: 20 })).rejects.toThrow('SQLITE_BUSY');
  expect(tries).toBeGreaterThan(5);
});

test('a caller can restrict retries to errors that surely wrote nothing', async () => {
  const work = async () => {
    throw fault('ERR_POSTGRES_CONNECTION_CLOSED');
  };
  const onlyBusy = (error: unknown) => String(error).includes('BUSY');
  await expect(repeat(work, { pauseMs: 1, passes: onlyBusy, patienceMs: 60_000 })).rejects.toThrow('CLOSED');
});
