/**
 * Browsers take the focus from a button that is disabled while its form is sent, or that removes itself, and the
 * keyboard is then nowhere. This gives it back to the button once it is enabled, or to its neighbour if it is gone.
 */

/** An ancestor of the focused element, and the child that contains it. */
interface Step {
  parent: Element;
  index: number;
}

/** Focus stays in the same part of the page. Menus, dialogs and messages share one parent, but have no order. */
const boundary = 'main, header, nav, [role=dialog], [data-portal] > *, body > *';
/** No fields: on a phone they would open the keyboard. */
const focusable = 'button:not(:disabled), a[href], [tabindex="0"]';

/** Recorded while the element has focus, because it cannot be found out once it is removed. */
function placeOf(element: Element): Step[] {
  const steps: Step[] = [];
  for (let at = element; at.parentElement && !at.matches(boundary); at = at.parentElement)
    steps.push({ parent: at.parentElement, index: [...at.parentElement.children].indexOf(at) });
  return steps;
}

const lastIn = (element: Element | undefined): HTMLElement | undefined => {
  const [...inside] = element?.querySelectorAll<HTMLElement>(focusable) ?? [];
  return inside.at(-1) ?? (element instanceof HTMLElement && element.matches(focusable) ? element : undefined);
};

/** What is at this place now: the same control of a form that was shown anew, or of the row that moved up. */
function successorOf(place: readonly Step[]): Element | undefined {
  const top = place.findIndex(({ parent }) => parent.isConnected);
  let at: Element | undefined = place[top]?.parent;
  for (const { index } of place.slice(0, top + 1).reverse()) at = at?.children[index];
  return at?.matches(focusable) ? at : undefined;
}

/** The control that is at this place now; else the nearest one before it. */
function neighbourOf(place: readonly Step[]): Element | undefined {
  const successor = successorOf(place);
  if (successor) return successor;
  for (const { parent, index } of place) {
    if (!parent.isConnected) continue;
    for (let at = Math.min(index, parent.children.length - 1); at >= 0; at -= 1) {
      const found = lastIn(parent.children[at]);
      if (found) return found;
    }
  }
  return undefined;
}

const isLost = (element: Element): boolean => !element.isConnected || element.matches(':disabled');

/** Longer than overlays need to return the focus to their opener. */
const afterRemovalMs = 60;

export function keepFocus(): void {
  let last: Element | null = null;
  let place: Step[] = [];
  const nowhere = () => document.activeElement === null || document.activeElement === document.body;
  const focus = (target: Element | undefined) =>
    nowhere() && target instanceof HTMLElement && target.focus({ preventScroll: true });
  document.addEventListener('focusin', ({ target }) => {
    last = target as Element;
    place = placeOf(last);
  });
  // The user may also take the focus away, by a click beside all controls.
  document.addEventListener('focusout', ({ target }) => {
    queueMicrotask(() => {
      if (last === target && !isLost(last as Element)) last = null;
    });
  });
  const changes = new MutationObserver(() => {
    if (!last || !nowhere()) return;
    if (last.isConnected) {
      if (!isLost(last)) focus(last);
      return;
    }
    last = null;
    const left = place;
    // Meanwhile something else may have had the focus, and lost it too.
    setTimeout(() => !last && focus(neighbourOf(left)), afterRemovalMs);
  });
  changes.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] });
}
