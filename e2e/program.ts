import { join } from 'node:path';

/** The service's sources. */
export const main = join(import.meta.dir, '../server/src/main.ts');

/**
 * What the tests start: the executable named by SVC_PROGRAM, which `npm test` compiles as `npm start` does, or else the
 * sources.
 */
export const program: string[] = process.env.SVC_PROGRAM ? [process.env.SVC_PROGRAM] : [process.execPath, main];
