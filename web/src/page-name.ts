import { useMatches } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';

let shown = '';
const listeners = new Set<() => void>();

function show(name: string): void {
  shown = name;
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** What the open page is about: the name of an application, of a model. Empty where it is about nothing in particular. */
export const usePageName = (): string => useSyncExternalStore(subscribe, () => shown);

/** Said by the page that is open; stands in the document's title before the kind of the page. */
export function useNamed(name: string): void {
  useEffect(() => {
    if (name === '') return;
    show(name);
    return () => show('');
  }, [name]);
}

/** Of a page about one thing, which its address names: its heading, once that is known. */
export function useNamedByHeading(heading: unknown): void {
  const kind = useMatches({
    select: (matches) => {
      const last = matches.at(-1);
      return last && Object.keys(last.params).length > 0 ? last.staticData.title : undefined;
    },
  });
  useNamed(kind !== undefined && typeof heading === 'string' && heading !== kind ? heading : '');
}

/** The document's title: what the page is about, what kind of page it is, and whose. */
export const titleOf = (name: string, kind: string | undefined): string =>
  [name.replaceAll(/\s+/g, ' ').trim(), kind, 'svc'].filter(Boolean).join(' · ');
