/** That a vendor may search the web for an answer, whatever format says so. */
export interface WebSearch {
  /** As the request calls it. */
  name: string;
  /** Stands among the tools, to be used or not; else the answer is to rest on a search. */
  offered: boolean;
  /** Where pages may be from, and where not: an answer that rests on others is not what was asked for. */
  allowedDomains?: string[];
  blockedDomains?: string[];
  /** From what the vendor has kept of the web, and not from the web itself. */
  keptOnly?: true;
  maxUses?: number;
  /** Wishes. */
  location?: Place;
  contextSize?: 'low' | 'medium' | 'high';
}

export type Place = { country?: string; region?: string; city?: string; timezone?: string };

/** A search that a vendor ran, and what it found, as far as that is told. */
export interface SearchPart {
  type: 'search';
  id: string;
  queries: string[];
  pages: SearchPage[];
}

export interface SearchPage {
  url: string;
  title: string;
  /** What stands there, sealed by Anthropic, and how old it is: back with the next request, the model can read it again. */
  sealed?: string;
  age?: string;
}
