import type { InvalidationHealth } from './invalidation-health.ts';

/** For a process that is alone or receives every message. */
export const alwaysReliable: InvalidationHealth = { heard: () => true, onGap: () => {} };
