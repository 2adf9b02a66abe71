/** The process of a run is killed repeatedly at random moments: the run continues, and nothing is done or reported twice. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { follow, goal, planningModel, type Told } from './autonomous-run.ts';
import { startService } from './service.ts';
import { startUpstream } from './upstream.ts';

/** CHAOS_KILLS=30 for the long version. */
const kills = Number(process.env.CHAOS_KILLS ?? 8);
const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

test(
  `a run survives ${kills} kills`,
  async () => {
    const model = planningModel(250);
    const upstream = startUpstream(model.script);
    closers.push(() => upstream.stop());
    const service = await startService({ env: { DEMO_PROVIDER: 'off' } });
    closers.push(() => service.stop());
    await service.serve({ kind: 'openai', url: upstream.url, promptPrice: 1, completionPrice: 1 });
    const user = await service.user(100_000_000);
    const key = await user.key();
    const started = await service.post(
      '/api/svc-ms/autonomous/execute',
      { message: goal, session_id: 'chaos', config: { max_iterations: 100, max_time_secs: 3600 } },
      { key },
    );
    expect(started.status).toBe(200);
    // Number of calls for a task when its end was read: it must not increase.
    const finished = new Map<string, number>();
    const reader = follow(
      () => [service.url],
      'chaos',
      key,
      ({ event, data }) => {
        if (event === 'task_completed') finished.set(data.task_id, model.calls.get(data.task_id) ?? 0);
      },
    );
    for (let i = 0; i < kills; i++) {
      await Bun.sleep(50 + Math.random() * 2500);
      await service.kill('SIGKILL');
      await service.restart();
    }
    model.content = true;
    const end = await reader.done;
    expect([end.event, end.data.reason]).toEqual(['execution_completed', undefined]);
    expectWhole(reader.told);
    for (const [task, calls] of finished) expect([task, model.calls.get(task)]).toEqual([task, calls]);
    const completed = reader.told.filter(({ event }) => event === 'task_completed').map(({ data }) => data.task_id);
    expect(new Set(completed).size).toBe(completed.length);
    await service.kill('SIGTERM');
    expectLedger(join(service.dataDir, 'svc.db'), user.id);
  },
  240_000 + kills * 8_000,
);

/** Ids from 1 without gaps or duplicates. */
function expectWhole(told: Told[]): void {
  expect(told.map(({ id }) => id)).toEqual(told.map((_, i) => i + 1));
}

/** Every step was charged at most once, and the balance matches the ledger. */
function expectLedger(path: string, userId: number): void {
  const db = new Database(path, { readonly: true });
  const charged = db
    .query<{ request_id: string }, [number]>('select request_id from usage_logs where user_id = ? and quota > 0')
    .all(userId)
    .map(({ request_id }) => request_id);
  expect(new Set(charged).size).toBe(charged.length);
  const { quota } = db.query<{ quota: number }, [number]>('select quota from users_now where id = ?').get(userId)!;
  const { given } = db
    .query<{ given: number }, [number]>('select sum(amount) as given from credits where user_id = ?')
    .get(userId)!;
  const { used } = db
    .query<{ used: number }, [number]>('select coalesce(sum(quota), 0) as used from usage_logs where user_id = ?')
    .get(userId)!;
  const { held } = db
    .query<{ held: number }, [number]>('select coalesce(sum(amount), 0) as held from billing_holds where user_id = ?')
    .get(userId)!;
  expect(quota + held).toBe(given - used);
  db.close();
}
