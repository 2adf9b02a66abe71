/** Installs the packages of a folder's lock file, once per lock file. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export async function installFolder(folder: string, what: string): Promise<void> {
  const stamp = join(folder, 'node_modules/.svc-clients');
  const lock = `${Bun.hash(readFileSync(join(folder, 'package-lock.json')))}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error(`installing ${what} (once)…`);
  // Install scripts are disabled: a client must work from its packages alone. `npm ci` fails on optional packages of
  // other platforms that were never published; this command still uses the locked versions.
  const command = ['npm', 'install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const install = Bun.spawn(command, { cwd: folder, stdio: ['ignore', 2, 2] });
  if ((await install.exited) !== 0) throw new Error(`${what} could not be installed`);
  writeFileSync(stamp, lock);
}
