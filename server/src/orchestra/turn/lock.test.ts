import { expect, test } from 'bun:test';
import { memoryShared } from '../../platform/shared/memory.ts';
import { lockTurn } from './lock.ts';

const never = new AbortController().signal;

test('a second turn waits for the first, up to a point, and not once its client left', async () => {
  const shared = memoryShared();
  const release = await lockTurn(shared, 'k', never);
  await expect(lockTurn(shared, 'k', never, 60)).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  const left = new AbortController();
  const waiting = lockTurn(shared, 'k', left.signal);
  left.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  const second = lockTurn(shared, 'k', never);
  await release();
  await (await second)();
  await (await lockTurn(shared, 'k', never, 0))();
  await shared.close();
});
