/** Installs the clients into this folder from its lock file. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder } from '../install-folder.ts';

const modules = join(import.meta.dir, 'node_modules');

export const inModules = (path: string): string => join(modules, path);

export const installClients = (): Promise<void> => installFolder(import.meta.dir, 'the clients');

/** The Node installed with the clients, because some need a newer version than the machine may have. */
export function ownNode(): string {
  const brought = inModules(`node-${process.platform}-${process.arch}/bin/node`);
  return existsSync(brought) ? brought : 'node';
}

/** Undefined if it is not installed. */
export function versionOf(name: string): string | undefined {
  const file = inModules(`${name}/package.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}
