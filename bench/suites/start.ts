import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import runtimeEnvironment from '../../server/src/runtime-environment.json' with { type: 'json' };
import { children, freePort, rssBytes, start } from '../kit/process.ts';
import { goal, median, type Row, report, round } from '../kit/report.ts';

const times = 7;
const root = join(import.meta.dir, '../..');
const programs = {
  'npm start': ['npm', 'start', '--silent'],
  'the sources, by Bun': [process.execPath, join(root, 'server/src/main.ts')],
};

interface Started {
  ms: number;
  bytes: number;
}

/** Time from the command to the first 200 of /readyz with an existing data folder, and memory of the idle server. */
export async function startUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
  const seen = Object.entries(programs).map(([name, command]) => ({ name, command, started: [] as Started[] }));
  for (let i = 0; i <= times; i += 1)
    for (const { name, command, started } of seen) {
      const one = await startOnce(name, command, folder);
      // The first start builds the program and the database.
      if (i > 0) started.push(one);
    }
  rmSync(folder, { recursive: true });
  const rows: Row[] = seen.map(({ name, started }) => ({
    what: name,
    figures: {
      'start to ready, ms': Math.round(median(started.map(({ ms }) => ms))),
      'slowest, ms': Math.round(Math.max(...started.map(({ ms }) => ms))),
      'idle RSS, MB': round(median(started.map(({ bytes }) => bytes)) / 1e6, 0),
    },
  }));
  report('start', rows, [
    goal(
      'start to ready under 0.7 s',
      rows.every(({ figures }) => Number(figures['start to ready, ms']) < 700),
    ),
    goal(
      'idle RSS under 120 MB',
      rows.every(({ figures }) => Number(figures['idle RSS, MB']) < 120),
    ),
  ]);
}

async function startOnce(name: string, command: string[], folder: string): Promise<Started> {
  const port = freePort();
  const began = performance.now();
  const running = await start(name, command, {
    port,
    path: '/readyz',
    cwd: root,
    env: {
      DATA_DIR: folder,
      ADMIN_PASSWORD: 'benchmark password',
      LOG_LEVEL: 'error',
      ...runtimeEnvironment,
    },
  });
  const ms = performance.now() - began;
  await Bun.sleep(500);
  const bytes = rssBytes(serverOf(running.pid));
  await running.stop();
  return { ms, bytes };
}

/** npm starts Node, which starts the server. */
function serverOf(pid: number): number {
  const [child] = children(pid);
  return child === undefined ? pid : serverOf(child);
}
