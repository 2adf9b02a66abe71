import { type AnyRouter, useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

// Set by the first navigation inside the app: after a full page load, focus should stay at the start of the document.
let navigated = false;

export function watchNavigation(router: AnyRouter): void {
  router.subscribe('onBeforeLoad', ({ fromLocation, pathChanged }) => {
    if (fromLocation && pathChanged) navigated = true;
  });
}

/** The field that the page has focused itself. */
const isOwnField = (heading: Element | null, focused: Element | null): boolean =>
  focused?.matches('input, textarea') === true && heading?.closest('main')?.contains(focused) === true;

/** The previous step of the page had it, and is gone. */
const isFocusLost = (): boolean =>
  document.activeElement === document.body && navigator.userActivation?.hasBeenActive === true;

/**
 * Focuses the page's heading after a navigation inside the app, and after a step of the page, so that screen readers
 * and the keyboard start there; unless the page focuses a field.
 */
export function useHeadingFocus(step?: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect must run for each new path and step, though it does not read them
  useEffect(() => {
    if (isOwnField(heading.current, document.activeElement)) return;
    if (navigated || isFocusLost()) heading.current?.focus({ preventScroll: true });
  }, [path, step]);
  return heading;
}
