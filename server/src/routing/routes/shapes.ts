import { management } from '../../platform/http/answers.ts';
/** What every route of this room has in common. */
export const routing = { ...management, tag: 'Routing' } as const;
