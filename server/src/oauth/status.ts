/** States of an application (spec §3.1); deleted is final. */
export const applicationStatus = { active: 1, suspended: 2, deleted: 3 } as const;
