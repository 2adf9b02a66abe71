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

/** The subject of the open page, such as the name of an application or model; empty if it has none. */
export const usePageName = (): string => useSyncExternalStore(subscribe, () => shown);

/** Sets the subject of the open page; the document title shows it before the kind of page. */
export function useNamed(name: string): void {
  useEffect(() => {
    if (name === '') return;
    show(name);
    return () => show('');
  }, [name]);
}

/** For a page about one item named by the URL: uses its heading once it is loaded. */
export function useNamedByHeading(heading: unknown): void {
  const kind = useMatches({
    select: (matches) => {
      const last = matches.at(-1);
      return last && Object.keys(last.params).length > 0 ? last.staticData.title : undefined;
    },
  });
  useNamed(kind !== undefined && typeof heading === 'string' && heading !== kind ? heading : '');
}

/** The document title: subject, kind of page, and site. */
export const titleOf = (name: string, kind: string | undefined): string =>
  [name.replaceAll(/\s+/g, ' ').trim(), kind, 'svc'].filter(Boolean).join(' · ');
