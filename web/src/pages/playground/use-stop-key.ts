import { useEffect } from 'react';
import { isComposing } from '../../composing.ts';

/** Lists stay in the page, hidden, after they were first opened. */
const isShown = (element: Element): boolean => element.getClientRects().length > 0;

/** Whether Esc closes something. A dialog may be gone already; then the key was still pressed in it. */
const isForOverlay = ({ target }: Event): boolean =>
  (target instanceof Element && target.closest('[role=dialog]') !== null) ||
  [...document.querySelectorAll('[role=dialog], [role=menu], [role=listbox]')].some(isShown);

/** Esc stops all answers, wherever the focus is, unless it closes or cancels something else. */
export function useStopKey(busy: boolean, stop: () => void): void {
  useEffect(() => {
    if (!busy) return;
    let taken = false;
    // Lists and menus close while the event is on its way, so look for them first.
    const before = (event: Event) => {
      taken = isForOverlay(event);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !taken && !event.defaultPrevented && !isComposing(event)) stop();
    };
    document.addEventListener('keydown', before, true);
    window.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', before, true);
      window.removeEventListener('keydown', onKey);
    };
  }, [busy, stop]);
}
