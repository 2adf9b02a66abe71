import { expect, test } from 'bun:test';
import { isBusy, isConditionFailed, isReadOnly, isTaken, isTransient, isUnavailable } from './errors.ts';

const server = (errno: string) => ({ code: 'ERR_POSTGRES_SERVER_ERROR', errno, message: `errno ${errno}` });

test.each([
  ['no connection', { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }, ['isUnavailable', 'isTransient']],
  ['a connection cut', { code: 'ECONNRESET' }, ['isUnavailable', 'isTransient']],
  ['a server going down', server('57P01'), ['isUnavailable', 'isTransient']],
  ['a full disk', { code: 'SQLITE_FULL', errno: 13 }, ['isUnavailable', 'isTransient']],
  ['a file held by another', { code: 'SQLITE_BUSY', errno: 5 }, ['isUnavailable', 'isTransient', 'isBusy']],
  ['a standby', server('25006'), ['isUnavailable', 'isTransient', 'isReadOnly']],
  ['a lock that was waited for too long', server('55P03'), ['isUnavailable', 'isTransient']],
  ['a transaction that stood still', server('25P03'), ['isUnavailable', 'isTransient']],
  ['a disk that cannot be read', server('58030'), ['isUnavailable', 'isTransient']],
  ['a transaction that has failed', server('25P02'), []],
  ['a lost race', server('40001'), ['isTransient']],
  ['a deadlock', server('40P01'), ['isTransient']],
  ['a key in use', server('23505'), ['isTaken']],
  ['an id in use', { code: 'SQLITE_CONSTRAINT_PRIMARYKEY', errno: 1555, message: 'x' }, ['isTaken']],
  ['a division by zero', server('22012'), ['isConditionFailed']],
  ['a syntax error', server('42601'), []],
  ['another constraint', { code: 'SQLITE_CONSTRAINT_NOTNULL', message: 'x' }, []],
  ['something else', new Error('x'), []],
  ['nothing', null, []],
] as [string, unknown, string[]][])('%s', (_, error, said) => {
  const questions = {
    isUnavailable,
    isTransient,
    isBusy,
    isTaken: (one: unknown) => isTaken(one),
    isConditionFailed,
    isReadOnly,
  };
  expect(Object.entries(questions).flatMap(([name, ask]) => (ask(error) ? [name] : []))).toEqual(said);
});

test('a unique violation can be identified by its table', () => {
  const error = { code: 'SQLITE_CONSTRAINT_UNIQUE', message: 'UNIQUE constraint failed: ms_runs.session_ref' };
  expect([isTaken(error, 'ms_runs'), isTaken(error, 'ms_sessions')]).toEqual([true, false]);
});
