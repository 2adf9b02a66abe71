/** Rules that no other tool checks: file length, folder names, and which files read the environment. */
import { basename, dirname } from 'node:path';

const maxLines = 300;
const bannedFolders = new Set(['utils', 'helpers', 'common', 'misc']);
// main.ts passes the environment to config.ts, the only file that reads it; runtime-environment.ts must act before that.
const environmentReaders = new Set(['server/src/config.ts', 'server/src/main.ts', 'server/src/runtime-environment.ts']);

const isTest = (path: string): boolean => /\.(test|fixture)\.tsx?$/.test(path) || path.startsWith('e2e/');

export function faultsOf(path: string, text: string): string[] {
  const faults: string[] = [];
  const lines = text.split('\n').length - 1;
  if (lines > maxLines && !isTest(path)) faults.push(`${path}: ${lines} lines, at most ${maxLines}`);
  const banned = dirname(path)
    .split('/')
    .find((folder) => bannedFolders.has(folder));
  if (banned) faults.push(`${path}: a folder named ${banned} does not say what it contains`);
  const ownEnvironment = environmentReaders.has(path) || isTest(path) || !path.startsWith('server/');
  if (!ownEnvironment && /\b(process|Bun|import\.meta)\.env\b/.test(text)) {
    faults.push(`${path}: only server/src/config.ts reads the environment`);
  }
  if (basename(path) !== basename(path).toLowerCase()) faults.push(`${path}: file names are kebab-case`);
  return faults;
}

if (import.meta.main) {
  const files = new Bun.Glob('{server,web,e2e,bench,scripts}/**/*.{ts,tsx,mjs,css}').scan();
  const faults: string[] = [];
  for await (const path of files) {
    if (!path.endsWith('.gen.ts') && !path.includes('/node_modules/'))
      faults.push(...faultsOf(path, await Bun.file(path).text()));
  }
  for (const fault of faults.sort()) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
