import type { Keeping } from './keeping.ts';

/** No limit, for tests of a single module. */
export const unbounded: Keeping = { take: async () => {}, tries: async () => true, add: () => {} };
