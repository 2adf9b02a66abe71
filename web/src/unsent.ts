import type { Mutation } from '@tanstack/react-query';
import type { RouterHistory } from '@tanstack/react-router';
import { t } from './language/words.ts';
import { onForget, queryClient } from './session.ts';

/** What was typed into a form, chosen or switched there, and not sent: it is lost when the form goes. */
type Field = HTMLInputElement | HTMLTextAreaElement;

/** What each field held when somebody came to it. */
const before = new Map<Field, string>();
let changed = () => {};

/** Passwords, what is typed to confirm something, and the way in which something is entered: nobody would miss them. */
const isMissed = (field: Field): boolean => field.type !== 'password' && !('unmissed' in field.dataset);

/** Of several that exclude each other the first stands for all; they share a name, as only such fields do. */
function fieldOf(target: EventTarget | null): Field | null {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return null;
  if (!target.form || !isMissed(target)) return null;
  const group = target.type === 'radio' ? target.form.elements.namedItem(target.name) : null;
  return group instanceof RadioNodeList ? (group[0] as HTMLInputElement) : target;
}

function stateOf(field: Field): string {
  // The type is told apart by what the field says of itself, which the compiler does not read.
  if (field.type === 'checkbox') return String((field as HTMLInputElement).checked);
  const group = field.type === 'radio' ? field.form?.elements.namedItem(field.name) : null;
  if (group instanceof RadioNodeList) return group.value;
  // What was chosen of many stands beside the field in which more is looked for.
  return field.value.trim() + (field.closest('[class*=pillsList]')?.textContent ?? '');
}

/** From here on they hold nothing that would be missed, until somebody changes them again. */
function forget(fields: Iterable<Field>): void {
  for (const field of fields) before.set(field, stateOf(field));
  changed();
}

/** What they held before is what they would lose again. */
function remember(fields: [Field, string][]): void {
  for (const [field, state] of fields) before.set(field, state);
  changed();
}

const mutations = () => queryClient.getMutationCache();

function whenRefused(begun: Mutation[], act: () => void): void {
  const stop = mutations().subscribe(() => {
    if (begun.some(({ state }) => state.status === 'pending')) return;
    stop();
    if (begun.some(({ state }) => state.status === 'error')) act();
  });
}

if (typeof document !== 'undefined') {
  // What the browser fills in by itself nobody typed: it never had the focus. Some give none to a switch that is clicked.
  for (const event of ['focusin', 'pointerdown'])
    document.addEventListener(event, ({ target }) => {
      const field = fieldOf((target instanceof Element && target.closest('label')?.control) || target);
      if (field && !before.has(field)) before.set(field, stateOf(field));
    });
  // A list that is chosen from says nothing of it itself, and shows it a moment later.
  for (const event of ['input', 'click', 'keyup']) document.addEventListener(event, () => setTimeout(changed), true);
  let running = new Set<unknown>();
  document.addEventListener('submit', () => (running = new Set(mutations().getAll())), true);
  document.addEventListener('submit', ({ target }) => {
    const begun = mutations()
      .getAll()
      .filter((mutation) => !running.has(mutation));
    // What succeeds closes a dialog: in one that stays it is still to be sent.
    const sent = [...before].filter(([field]) => field.form === target && !field.closest('.mantine-Modal-content'));
    forget(sent.map(([field]) => field));
    if (begun.length > 0) whenRefused(begun, () => remember(sent));
    // Refused by the page itself, with words beside a field: they are there a moment later.
    else setTimeout(() => target instanceof Element && target.querySelector('[aria-invalid=true]') && remember(sent));
  });
  // Whoever logs out has left already.
  onForget(() => forget([...before.keys()]));
}

function unsent(): Field[] {
  for (const field of before.keys()) if (!field.isConnected) before.delete(field);
  return [...before]
    .filter(([field, state]) => stateOf(field) !== '' && stateOf(field) !== state)
    .map(([field]) => field);
}

const inDialog = (field: Field): boolean => field.closest('[role=dialog]') !== null;

/** Asks where something would be lost; what somebody has let go is not asked about again. */
function mayLose(fields: Field[], question: string): boolean {
  const may = fields.length === 0 || confirm(question);
  if (may) forget(fields);
  return may;
}

const question = () => t('What you changed and did not send will be lost. Go on?');

/** Whether the page may be opened anew in another language. */
export const mayOpenAnew = (): boolean =>
  mayLose(unsent(), t('Another language opens the page anew. What you changed and did not send will be lost. Go on?'));

/** Whether a form may go that is being sent: nobody shall think that this takes it back, and send it a second time. */
export const mayCloseSending = (): boolean =>
  confirm(t('It is being sent, and to close this does not take it back. Close?'));

/** Whether a dialog may be closed by what is easily done by accident: Esc, Back, a click beside it. */
export function mayClose(dialog: Element | null): boolean {
  if (dialog?.querySelector('[type=submit][data-loading]')) return mayCloseSending();
  return mayLose(
    unsent().filter((field) => dialog?.contains(field)),
    question(),
  );
}

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
    if (unsent().length === 0) return stop();
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
