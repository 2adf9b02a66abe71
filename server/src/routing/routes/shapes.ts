/** What every route of this room has in common. */
export const routing = {
  tag: 'Routing',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
} as const;
