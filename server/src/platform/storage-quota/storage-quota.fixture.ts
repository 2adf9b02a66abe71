import type { StorageQuota } from './storage-quota.ts';

/** No limit, for tests of a single module. */
export const unbounded: StorageQuota = { take: async () => {}, tries: async () => true, add: () => {} };
