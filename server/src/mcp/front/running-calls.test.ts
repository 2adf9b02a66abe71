import { expect, test } from 'bun:test';
import { memoryShared } from '../../platform/shared/memory.ts';
import { RunningCalls } from './running-calls.ts';

test('a call can be cancelled from any process by its own client only, and messages between processes are short', async () => {
  const shared = memoryShared();
  const heard: string[] = [];
  await shared.subscribe('mcp-cancelled', (name) => void heard.push(name));
  const [here, there] = [new RunningCalls(shared), new RunningCalls(shared)];
  for (const id of [7, '7', 'x'.repeat(1_000_000)]) {
    const mine = there.begin('me', id);
    await here.cancel('another', id);
    expect(mine.signal.aborted).toBe(false);
    await here.cancel('me', id);
    expect(mine.signal.aborted).toBe(true);
    mine.end();
  }
  expect(heard.length).toBeGreaterThan(0);
  expect(heard.filter((name) => name.length > 100)).toEqual([]);
  await here.stop();
  await there.stop();
});
