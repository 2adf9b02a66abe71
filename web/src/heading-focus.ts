import { type AnyRouter, useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

// Set by the first navigation inside the app: after a full page load, focus should stay at the start of the document.
let navigated = false;

export function watchNavigation(router: AnyRouter): void {
  router.subscribe('onBeforeLoad', ({ fromLocation, pathChanged }) => {
    if (fromLocation && pathChanged) navigated = true;
  });
}

/**
 * Focuses the page's heading after a navigation inside the app, so that screen readers and the keyboard start there.
 */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect must run for each new path, though it does not read it
  useEffect(() => {
    if (navigated) heading.current?.focus({ preventScroll: true });
  }, [path]);
  return heading;
}
