/** Two processes on PostgreSQL and Redis: one is killed, the other continues its run. */
import { afterAll, expect, test } from 'bun:test';
import { follow, goal, planningModel } from './autonomous-run.ts';
import { hasBoth, ownDatabase } from './own-database.ts';
import { startService, until } from './service.ts';
import { startUpstream } from './upstream.ts';

const reachable = await hasBoth();
const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
}, 300_000);

test.skipIf(!reachable)(
  'a run of a killed process is continued by another, and cancelled from another',
  async () => {
    const database = await ownDatabase();
    closers.push(() => database.drop());
    const env = { ...database.withRedis, DEMO_PROVIDER: 'off' };
    const model = planningModel(300);
    const upstream = startUpstream(model.script);
    closers.push(() => upstream.stop());
    const first = await startService({ env });
    closers.push(() => first.stop());
    const second = await startService({ env });
    closers.push(() => second.stop());
    await first.serve({ kind: 'openai', url: upstream.url });
    const { key } = first;
    const config = { max_iterations: 100, max_time_secs: 3600 };
    const body = { message: goal, session_id: 'handed-on', config };
    expect((await first.post('/api/svc-ms/autonomous/execute', body, { key })).status).toBe(200);
    const finished = new Map<string, number>();
    const reader = follow(
      () => [second.url],
      'handed-on',
      key,
      ({ event, data }) => {
        if (event === 'task_completed') finished.set(data.task_id, model.calls.get(data.task_id) ?? 0);
      },
    );
    await until('some tasks are done', () => finished.size >= 3);
    await first.kill('SIGKILL');
    const before = finished.size;
    await until('the other process goes on', () => finished.size > before, 60_000);
    model.content = true;
    expect((await reader.done).event).toBe('execution_completed');
    expect(reader.told.map(({ id }) => id)).toEqual(reader.told.map((_, i) => i + 1));
    for (const [task, calls] of finished) expect([task, model.calls.get(task)]).toEqual([task, calls]);

    // The first comes back, starts a run, and the second cancels it.
    await first.restart();
    model.content = false;
    const next = { message: goal, session_id: 'stopped', config };
    expect((await first.post('/api/svc-ms/autonomous/execute', next, { key })).status).toBe(200);
    const watching = follow(() => [first.url], 'stopped', key);
    await until('tasks run', () => watching.told.some(({ event }) => event === 'task_started'));
    const cancelled = await second.post('/api/svc-ms/autonomous/cancel', { session_id: 'stopped' }, { key });
    expect(((await cancelled.json()) as { data: { status: string } }).data.status).toBe('cancelled');
    expect((await watching.done).data.reason).toBe('cancelled');
    // A running run makes several calls a second.
    await until('nobody is asked any more', async () => {
      const asked = upstream.asked.length;
      await Bun.sleep(1_500);
      return upstream.asked.length === asked;
    });
  },
  240_000,
);
