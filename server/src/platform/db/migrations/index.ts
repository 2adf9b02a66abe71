import type { Migration } from '../migration.ts';
import { migration as identity } from './0001-identity.ts';

/** In order; a room that adds tables adds a file here and one line. */
export const migrations: Migration[] = [identity];
