import type { Item } from '../keeper.ts';

/** What a row of `kept_responses` holds itself: what the request brought, and what was made. */
export interface Contents {
  brought: Item[];
  made: Item[];
}

/** From texts, one of which is needed elsewhere. */
export const contentsText = (brought: string, made: string): string => `[${brought},${made}]`;

export function readContents(text: string): Contents {
  const [brought, made] = JSON.parse(text) as [Item[], Item[]];
  return { brought, made };
}
