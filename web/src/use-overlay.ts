import { type RouterHistory, useNavigate, useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

/** What was used to open it. An item of a menu is gone by the time focus returns, the button of the menu is not. */
function openerOf(active: Element | null): HTMLElement | null {
  const button = active?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : active;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}

/**
 * Where the keyboard was last. What the address names opens a moment after it was asked for: by then the menu that led there is
 * gone, and its button has not got the focus back yet.
 */
let last: HTMLElement | null = null;
globalThis.document?.addEventListener('focusin', ({ target }) => {
  last = openerOf(target as Element | null);
});

/** Rows of a table, entries of a list: what a dialog may delete with its opener. */
const isRow = 'tbody > tr, ul > li, ol > li';

interface Place {
  rows: HTMLElement;
  index: number;
}

/** Where in its list something stands, as long as it stands there. */
function placeOf(opener: HTMLElement | null): Place | null {
  const row = opener?.closest(isRow);
  const rows = row?.parentElement;
  return row && rows ? { rows, index: [...rows.children].indexOf(row) } : null;
}

/** The last control of the row that has come up, or of the one before: where the acts of a row stand. */
function neighbourOf(place: Place | null): HTMLElement | undefined {
  if (!place?.rows.isConnected) return undefined;
  const row = place.rows.children[Math.min(place.index, place.rows.children.length - 1)];
  return [...(row?.querySelectorAll<HTMLElement>('button:not(:disabled), a[href]') ?? [])].at(-1);
}

/** Back to where the keyboard was; when that is gone, to the next of its list, so that one after another can be deleted; else to the page's heading. */
function giveFocusBack(opener: HTMLElement | null, place: Place | null, root: HTMLElement | null): void {
  const { activeElement } = document;
  const lost = activeElement === null || activeElement === document.body || root?.contains(activeElement);
  // Somebody else has it already: another dialog, or what a success led to.
  if (!lost) return;
  const gone = () => neighbourOf(place) ?? document.querySelector<HTMLElement>('main h1');
  const target = opener?.isConnected ? opener : gone();
  target?.focus({ preventScroll: true });
}

/** Longer than the component library takes to end its own care for focus. */
const afterCloseMs = 30;

/** For what lies over the page: focus returns to what opened it, also where it is unmounted instead of closed. */
export function useFocusBack(opened: boolean): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLElement>(null);
  const place = useRef<Place>(null);
  const wasOpened = useRef(false);
  // Looked at while rendering: with the next paint focus has moved into the dialog.
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

/** What the back button closes, the topmost last. */
const open: { close: () => void }[] = [];
/** A step to the same address is only taken with another state. */
const secondStep = { overlay: true };

/** The back button closes the topmost instead of leaving the page. Not for what the address names: there it does so by itself. */
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
    // Before the first page of the app lies another site, and nobody is asked on the way there: a second step to go back from.
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
