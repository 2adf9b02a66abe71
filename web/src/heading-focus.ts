import { type AnyRouter, useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

// Set by the first navigation inside the app: on a fresh load the browser's own start of the document is right.
let navigated = false;

export function watchNavigation(router: AnyRouter): void {
  router.subscribe('onBeforeLoad', ({ fromLocation, pathChanged }) => {
    if (fromLocation && pathChanged) navigated = true;
  });
}

/** Moves focus to a page's heading when it is reached by a link, so that screen readers and the keyboard start there. */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is the reason to run, though nothing inside reads it
  useEffect(() => {
    if (navigated) heading.current?.focus({ preventScroll: true });
  }, [path]);
  return heading;
}
