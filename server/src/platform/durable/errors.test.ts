import { expect, test } from 'bun:test';
import { isAway, isBusy, isReadOnly, isRefused, isTaken, mayPass } from './errors.ts';

const server = (errno: string) => ({ code: 'ERR_POSTGRES_SERVER_ERROR', errno, message: `errno ${errno}` });

test.each([
  ['no connection', { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }, ['isAway', 'mayPass']],
  ['a connection cut', { code: 'ECONNRESET' }, ['isAway', 'mayPass']],
  ['a server going down', server('57P01'), ['isAway', 'mayPass']],
  ['a full disk', { code: 'SQLITE_FULL', errno: 13 }, ['isAway', 'mayPass']],
  ['a file held by another', { code: 'SQLITE_BUSY', errno: 5 }, ['isAway', 'mayPass', 'isBusy']],
  ['a standby', server('25006'), ['isAway', 'mayPass', 'isReadOnly']],
  ['a lock that was waited for too long', server('55P03'), ['isAway', 'mayPass']],
  ['a transaction that stood still', server('25P03'), ['isAway', 'mayPass']],
  ['a disk that cannot be read', server('58030'), ['isAway', 'mayPass']],
  ['a transaction that has failed', server('25P02'), []],
  ['a lost race', server('40001'), ['mayPass']],
  ['a deadlock', server('40P01'), ['mayPass']],
  ['a key in use', server('23505'), ['isTaken']],
  ['an id in use', { code: 'SQLITE_CONSTRAINT_PRIMARYKEY', errno: 1555, message: 'x' }, ['isTaken']],
  ['a division by zero', server('22012'), ['isRefused']],
  ['a syntax error', server('42601'), []],
  ['another constraint', { code: 'SQLITE_CONSTRAINT_NOTNULL', message: 'x' }, []],
  ['something else', new Error('x'), []],
  ['nothing', null, []],
] as [string, unknown, string[]][])('%s', (_, error, said) => {
  const questions = { isAway, mayPass, isBusy, isTaken: (one: unknown) => isTaken(one), isRefused, isReadOnly };
  expect(Object.entries(questions).flatMap(([name, ask]) => (ask(error) ? [name] : []))).toEqual(said);
});

test('a key in use can be asked for by its table', () => {
  const error = { code: 'SQLITE_CONSTRAINT_UNIQUE', message: 'UNIQUE constraint failed: ms_runs.session_ref' };
  expect([isTaken(error, 'ms_runs'), isTaken(error, 'ms_sessions')]).toEqual([true, false]);
});
