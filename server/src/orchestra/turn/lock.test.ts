import { expect, test } from 'bun:test';
import { holdTime, pass } from '../../lib/held-time.fixture.ts';
import { stage } from '../scripted.fixture.ts';
import { lockTurn } from './lock.ts';

holdTime();

const never = new AbortController().signal;

test('a second turn waits for the first for a limited time, and not after its client left', async () => {
  const { deps, close } = await stage(() => '');
  const release = await lockTurn(deps, 'k', never);
  const impatient = lockTurn(deps, 'k', never, 60);
  impatient.catch(() => {});
  await pass(1_000);
  await expect(impatient).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  const left = new AbortController();
  const waiting = lockTurn(deps, 'k', left.signal);
  waiting.catch(() => {});
  left.abort(new Error('left'));
  await pass(1_000);
  await expect(waiting).rejects.toThrow('left');
  const second = lockTurn(deps, 'k', never);
  await release();
  await pass(1_000);
  await (await second)();
  await (await lockTurn(deps, 'k', never, 0))();
  await close();
});

test('a turn of a dead process blocks no one, and ends no other turn', async () => {
  const { deps, close } = await stage(() => '');
  const dead = { ...deps, owners: { ...deps.owners, id: 'gone' } };
  await deps.db.insertInto('owners').values({ id: 'gone', beats: 0 }).execute();
  const release = await lockTurn(dead, 'k', never, 0);
  await expect(lockTurn(deps, 'k', never, 0)).rejects.toMatchObject({ status: 429 });
  await deps.db.deleteFrom('owners').where('id', '=', 'gone').execute();
  const next = await lockTurn(deps, 'k', never, 0);
  await release();
  await expect(lockTurn(deps, 'k', never, 0)).rejects.toMatchObject({ status: 429 });
  await next();
  await close();
});
