import { join } from 'node:path';

/** The entry point of the sources. */
export const main = join(import.meta.dir, '../server/src/main.ts');

/**
 * The program under test: the executable named by SVC_PROGRAM, which `npm test` compiles as `npm start` does, or else
 * the sources.
 */
export const program: string[] = process.env.SVC_PROGRAM ? [process.env.SVC_PROGRAM] : [process.execPath, main];

/**
 * The same with a module loaded first, for tests that start it often: a compiled program starts in a third of the time.
 * Without SVC_PROGRAM, the sources run uncompiled.
 */
export async function programWith(preload: string, outfile: string): Promise<string[]> {
  if (!process.env.SVC_PROGRAM) return [process.execPath, '--preload', preload, main];
  const builder = join(import.meta.dir, '../scripts/build-binary.ts');
  const command = [process.execPath, builder, `--preload=${preload}`, `--outfile=${outfile}`];
  const child = Bun.spawn(command, { stdio: ['ignore', 'ignore', 'inherit'] });
  if ((await child.exited) !== 0) throw new Error(`the program with ${preload} could not be compiled`);
  return [outfile];
}
