import type { RouterHistory } from '@tanstack/react-router';
import { t } from './language/words.ts';
import { onForget } from './session.ts';

/** What was typed into a form and not sent: it is lost when the form goes. */
type Field = HTMLInputElement | HTMLTextAreaElement;

const before = new WeakMap<Field, string>();
const typed = new Set<Field>();
let changed = () => {};

/** Passwords, and what is typed to confirm something, are nothing that anybody would miss. */
const isMissed = (field: Field): boolean => field.type !== 'password' && !('confirms' in field.dataset);

const fieldOf = ({ target }: Event): Field | null =>
  (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.form && isMissed(target)
    ? target
    : null;

function forget(fields: Iterable<Field>): void {
  for (const field of fields) typed.delete(field);
  changed();
}

if (typeof document !== 'undefined') {
  document.addEventListener('focusin', (event) => {
    const field = fieldOf(event);
    if (field && !before.has(field)) before.set(field, field.value);
  });
  document.addEventListener(
    'input',
    (event) => {
      const field = fieldOf(event);
      // What the browser fills in by itself nobody typed: it never had the focus.
      if (field && before.has(field)) typed.add(field);
      changed();
    },
    true,
  );
  // Sent, or refused with words beside it. What succeeds closes a dialog: in one that stays it is still to be sent.
  document.addEventListener('submit', ({ target }) => {
    const sent = [...typed].filter((field) => field.form === target && !field.closest('.mantine-Modal-content'));
    for (const field of sent) before.set(field, field.value);
    forget(sent);
  });
  // Whoever logs out has left already.
  onForget(() => forget([...typed]));
}

function unsent(): Field[] {
  forget([...typed].filter((field) => !field.isConnected));
  return [...typed].filter((field) => field.value.trim() !== '' && field.value !== before.get(field));
}

const inDialog = (field: Field): boolean => field.closest('[role=dialog]') !== null;

/** Asks where something would be lost; what somebody has let go is not asked about again. */
function mayLose(fields: Field[], question: string): boolean {
  const may = fields.length === 0 || confirm(question);
  if (may) forget(fields);
  return may;
}

const question = () => t('What you typed and did not send will be lost. Go on?');

/** Whether the page may be opened anew in another language. */
export const mayOpenAnew = (): boolean =>
  mayLose(unsent(), t('Another language opens the page anew. What you typed and did not send will be lost. Go on?'));

/** Whether a dialog may be closed by what is easily done by accident: Esc, Back, a click beside it. */
export const mayClose = (dialog: Element | null): boolean =>
  mayLose(
    unsent().filter((field) => dialog?.contains(field)),
    question(),
  );

/**
 * Asks before the page is left, in the app or by the browser, while something typed on it is unsent. Not otherwise: where
 * somebody may be asked, the router takes every step a moment later.
 */
export function guardLeaving(history: RouterHistory): () => void {
  let unblock: (() => void) | null = null;
  const stop = () => {
    unblock?.();
    unblock = null;
  };
  changed = () => {
    if (typed.size === 0) return stop();
    unblock ??= history.block({
      blockerFn: ({ currentLocation, nextLocation }) =>
        currentLocation.pathname !== nextLocation.pathname &&
        // A dialog asks for itself, and is closed by Back instead.
        !mayLose(
          unsent().filter((field) => !inDialog(field)),
          question(),
        ),
      enableBeforeUnload: () => unsent().length > 0,
    });
  };
  return () => {
    changed = () => {};
    stop();
  };
}
