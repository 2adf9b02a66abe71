import type { Hearing } from './hearing.ts';

/** For a process that is alone, or hears everything. */
export const allHeard: Hearing = { heard: () => true, onGap: () => {} };
