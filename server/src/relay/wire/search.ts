/** Permission to search the web for an answer, in any format. */
export interface WebSearch {
  /** The request's name for it. */
  name: string;
  /** Offered as a tool; otherwise the answer must be based on a search. */
  offered: boolean;
  /** Allowed and blocked domains, which must be respected. */
  allowedDomains?: string[];
  blockedDomains?: string[];
  /** Only from the vendor's cache of the web. */
  keptOnly?: true;
  maxUses?: number;
  /** Hints. */
  location?: Place;
  contextSize?: 'low' | 'medium' | 'high';
}

export type Place = { country?: string; region?: string; city?: string; timezone?: string };

/** A search run by a vendor, and what it found, as far as it tells. */
export interface SearchPart {
  type: 'search';
  id: string;
  queries: string[];
  pages: SearchPage[];
}

export interface SearchPage {
  url: string;
  title: string;
  /**
   * The page's content, encrypted by Anthropic, and its age: returned with the next request, the model can read it
   * again.
   */
  sealed?: string;
  age?: string;
}
