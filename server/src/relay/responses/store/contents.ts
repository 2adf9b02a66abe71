import type { Item } from '../keeper.ts';

/** Items stored in a row of `kept_responses` itself: input and output. */
export interface Contents {
  brought: Item[];
  made: Item[];
}

/** From JSON texts, one of which is needed elsewhere. */
export const contentsText = (brought: string, made: string): string => `[${brought},${made}]`;

export function readContents(text: string): Contents {
  const [brought, made] = JSON.parse(text) as [Item[], Item[]];
  return { brought, made };
}
