import type { Hearing } from './hearing.ts';

/** For a process that is alone or receives every message. */
export const allHeard: Hearing = { heard: () => true, onGap: () => {} };
