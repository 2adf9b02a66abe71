import { management } from '../../platform/http/answers.ts';
/** What all routes of routing have in common. */
export const routing = { ...management, tag: 'Routing' } as const;
