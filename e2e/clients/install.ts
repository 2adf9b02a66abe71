/** Puts the clients into this folder as its lock file says. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder } from '../install-folder.ts';

const modules = join(import.meta.dir, 'node_modules');

export const inModules = (path: string): string => join(modules, path);

export const installClients = (): Promise<void> => installFolder(import.meta.dir, 'the clients');

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
