import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name starts with a dot, so that no check reads third-party code; ignored by git. */
const installed = join(import.meta.dir, '../peers/.installed');

/**
 * The folder of a program that `steps` installed once; null, with the reason printed, if they failed. A failed or
 * outdated install starts over: half a program is worse than none.
 */
export async function installOnce(
  name: string,
  version: string,
  steps: (folder: string) => Promise<void>,
): Promise<string | null> {
  const folder = join(installed, name);
  const mark = join(folder, 'version');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === version) return folder;
  console.log(`installing ${name} ${version} (once)…`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await steps(folder);
  } catch (error) {
    console.log(`${name} skipped: ${(error as Error).message}`);
    return null;
  }
  writeFileSync(mark, version);
  return folder;
}

/** Runs at low priority, since it may take minutes; returns the output, or throws its last lines. */
export async function runStep(command: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(['nice', '-n', '10', ...command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (child.exitCode !== 0) throw new Error(`${command.join(' ')}: ${(complaint || printed).trim().slice(-600)}`);
  return printed;
}
