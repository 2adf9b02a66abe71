import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, rssBytes, start } from '../kit/process.ts';
import { goal, median, report, round } from '../kit/report.ts';

const times = 7;

/** From the start of the process to the first 200 of /readyz, on a data folder that exists; and memory at rest. */
export async function startUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
  const main = join(import.meta.dir, '../../server/src/main.ts');
  const elapsed: number[] = [];
  const memory: number[] = [];
  for (let i = 0; i <= times; i += 1) {
    const port = await freePort();
    const began = performance.now();
    const running = await start('svc', [process.execPath, main], {
      port,
      path: '/readyz',
      env: {
        DATA_DIR: folder,
        ADMIN_PASSWORD: 'benchmark password',
        LOG_LEVEL: 'error',
        BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
      },
    });
    // The first start makes the database.
    if (i > 0) elapsed.push(performance.now() - began);
    await Bun.sleep(500);
    if (i > 0) memory.push(rssBytes(running.pid));
    await running.stop();
  }
  rmSync(folder, { recursive: true });
  const ms = median(elapsed);
  const mb = median(memory) / 1e6;
  report(
    'start',
    [
      {
        what: 'svc',
        figures: {
          'start to ready, ms': Math.round(ms),
          'slowest, ms': Math.round(Math.max(...elapsed)),
          'idle RSS, MB': round(mb, 0),
        },
      },
    ],
    [goal('start to ready under 0.7 s', ms < 700), goal('idle RSS under 120 MB', mb < 120)],
  );
}
