import type { TablerIcon } from '@tabler/icons-react';
import type { NavigateOptions } from '@tanstack/react-router';

/** Something users can go to by name. */
export interface Entry {
  /** Unique among all entries. */
  key: string;
  group: string;
  label: string;
  /** Shown next to the label. */
  hint?: string;
  /** Additional search terms. */
  words?: string;
  icon: TablerIcon;
  to: NavigateOptions;
}

export interface Found {
  group: string;
  entries: Entry[];
}

const mostOfAGroup = 8;
const notFound = 9;

/** How well an entry matches; 0 is an exact match of the name. Every word of the query must occur. */
function distance({ label, hint = '', words = '', group }: Entry, query: string): number {
  const name = label.toLowerCase();
  if (name === query) return 0;
  if (name.startsWith(query)) return 1;
  if (name.split(/[\s/._:-]+/).some((word) => word.startsWith(query))) return 2;
  if (name.includes(query)) return 3;
  const all = `${name} ${hint} ${words} ${group}`.toLowerCase();
  return query.split(' ').every((word) => all.includes(word)) ? 4 : notFound;
}

/**
 * Groups in order of their best match, each with its best entries. Without a query: all entries of the group `start`.
 */
export function find(entries: readonly Entry[], query: string, start: string): Found[] {
  const wanted = query.toLowerCase().replaceAll(/\s+/g, ' ').trim();
  if (wanted === '') {
    const first = entries.filter(({ group }) => group === start);
    return first.length > 0 ? [{ group: start, entries: first }] : [];
  }
  const fitting = entries
    .map((entry, place) => ({ entry, place, away: distance(entry, wanted) }))
    .filter(({ away }) => away < notFound)
    .sort((a, b) => a.away - b.away || a.place - b.place);
  // `groupBy` keeps the order of first occurrence, so groups are sorted by their best match.
  return [...Map.groupBy(fitting, ({ entry }) => entry.group)].map(([group, found]) => ({
    group,
    entries: found.slice(0, mostOfAGroup).map(({ entry }) => entry),
  }));
}
