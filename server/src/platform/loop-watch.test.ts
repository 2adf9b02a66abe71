import { expect, test } from 'bun:test';
import { openLoopWatch } from './loop-watch.ts';
import { Metrics } from './metrics.ts';

test('reports the delay of the event loop', async () => {
  const metrics = new Metrics();
  let time = 0;
  // Each look at the clock comes two seconds after the one before: whoever measures is late by that less its pause.
  const watch = openLoopWatch(metrics, () => (time += 2_000));
  watch.start();
  const counted = async () => /delay_seconds_count (\d+)/.exec(await metrics.render())?.[1] ?? '0';
  while (Number(await counted()) < 3) await Bun.sleep(5);
  watch.stop();
  const text = await metrics.render();
  expect(text).toContain('svc_event_loop_delay_seconds_bucket{le="1"} 0');
  expect(text).not.toContain('svc_event_loop_delay_seconds_bucket{le="2.5"} 0');
});
