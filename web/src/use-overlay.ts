import { type RouterHistory, useNavigate, useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

/**
 * The element that opened the overlay. A menu item is gone by the time focus returns, so use the menu's button instead.
 */
function openerOf(active: Element | null): HTMLElement | null {
  const button = active?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : active;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}

/**
 * The last focused element. An overlay named by the URL opens slightly after the click: by then the menu item is gone,
 * and the menu's button does not have focus back yet.
 */
let last: HTMLElement | null = null;
globalThis.document?.addEventListener('focusin', ({ target }) => {
  last = openerOf(target as Element | null);
});

/** Table rows and list items: a dialog may delete the row that contains its opener. */
const isRow = 'tbody > tr, ul > li, ol > li';

interface Place {
  rows: HTMLElement;
  index: number;
}

/** The position of the opener's row in its list, recorded before the row can be deleted. */
function placeOf(opener: HTMLElement | null): Place | null {
  const row = opener?.closest(isRow);
  const rows = row?.parentElement;
  return row && rows ? { rows, index: [...rows.children].indexOf(row) } : null;
}

/** The last control of the row that moved up, or of the previous row; row actions come last. */
function neighbourOf(place: Place | null): HTMLElement | undefined {
  if (!place?.rows.isConnected) return undefined;
  const row = place.rows.children[Math.min(place.index, place.rows.children.length - 1)];
  return [...(row?.querySelectorAll<HTMLElement>('button:not(:disabled), a[href]') ?? [])].at(-1);
}

/**
 * Focuses the opener again. If it is gone, focuses the next row, so that several rows can be deleted in sequence; else
 * the page's heading.
 */
function giveFocusBack(opener: HTMLElement | null, place: Place | null, root: HTMLElement | null): void {
  const { activeElement } = document;
  const lost = activeElement === null || activeElement === document.body || root?.contains(activeElement);
  // Focus is already elsewhere: in another dialog, or where a success led to.
  if (!lost) return;
  const gone = () => neighbourOf(place) ?? document.querySelector<HTMLElement>('main h1');
  const target = opener?.isConnected ? opener : gone();
  target?.focus({ preventScroll: true });
}

/** Longer than the component library needs for its own focus handling. */
const afterCloseMs = 30;

/** For overlays: returns focus to the opener, even if the overlay is unmounted instead of closed. */
export function useFocusBack(opened: boolean): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLElement>(null);
  const place = useRef<Place>(null);
  const wasOpened = useRef(false);
  // Read during render: by the next paint, focus has moved into the dialog.
  if (opened && !wasOpened.current) {
    opener.current = openerOf(document.activeElement) ?? last;
    place.current = placeOf(opener.current);
  }
  wasOpened.current = opened;
  useEffect(() => {
    if (!opened) return;
    const element = root.current;
    return () => {
      setTimeout(() => giveFocusBack(opener.current, place.current, element), afterCloseMs);
    };
  }, [opened]);
  return root;
}

/** Open overlays that Back closes, topmost last. */
const open: { close: () => void }[] = [];
/** The router navigates to the same URL only if the state differs. */
const secondStep = { overlay: true };

/** Makes Back close the topmost overlay instead of leaving the page. Overlays named by the URL do not need this. */
export function useBackCloses(opened: boolean, onClose: () => void): void {
  const history: RouterHistory = useRouter().history;
  const navigate = useNavigate();
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    if (!opened) return;
    const self = { close: () => close.current() };
    open.push(self);
    // On the first history entry Back would leave the app without asking the blocker: add an entry to go back from.
    if (!history.canGoBack()) {
      const same = (before: object) => before;
      navigate({ to: '.', search: same, state: (before) => ({ ...before, ...secondStep }), resetScroll: false });
    }
    const unblock = history.block({
      blockerFn: ({ action }) => {
        if (action !== 'BACK') return false;
        open.at(-1)?.close();
        return true;
      },
      enableBeforeUnload: false,
    });
    return () => {
      open.splice(open.indexOf(self), 1);
      unblock();
    };
  }, [opened, history, navigate]);
}
