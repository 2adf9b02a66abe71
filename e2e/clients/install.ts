/** Puts the clients into this folder as its lock file says, once for each lock file. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dir;
const modules = join(folder, 'node_modules');
const stamp = join(modules, '.svc-clients');

export const inModules = (path: string): string => join(modules, path);

export async function installClients(): Promise<void> {
  const lock = `${Bun.hash(readFileSync(join(folder, 'package-lock.json')))}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('installing the clients (once)…');
  // No install script runs: what a client brings must be in its packages. Not `npm ci`, which stops at optional packages of other
  // platforms that were never published; this takes the versions of the lock file all the same.
  const command = ['npm', 'install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const install = Bun.spawn(command, { cwd: folder, stdio: ['ignore', 2, 2] });
  if ((await install.exited) !== 0) throw new Error('the clients could not be installed');
  writeFileSync(stamp, lock);
}

/** The Node that comes with the clients, as some ask for a newer one than the machine may have. */
export function ownNode(): string {
  const brought = inModules(`node-${process.platform}-${process.arch}/bin/node`);
  return existsSync(brought) ? brought : 'node';
}

/** Undefined: it is not installed here. */
export function versionOf(name: string): string | undefined {
  const file = inModules(`${name}/package.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}
