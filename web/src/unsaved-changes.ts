import type { Mutation } from '@tanstack/react-query';
import type { RouterHistory } from '@tanstack/react-router';
import { t } from './language/words.ts';
import { onForget, queryClient } from './session.ts';

/** A form field that can hold unsent changes, which are lost when the form is closed. */
type Field = HTMLInputElement | HTMLTextAreaElement;

/** The saved state of each field: its own, or by default how it was when the user first focused it. */
const before = new Map<Field, string>();
let changed = () => {};

/** Excludes fields whose loss does not matter: passwords, typed confirmations, and switches between input modes. */
const isMissed = (field: Field): boolean => field.type !== 'password' && !('unmissed' in field.dataset);

/** A radio group is represented by its first button; its buttons share a name. */
function fieldOf(target: EventTarget | null): Field | null {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return null;
  if (!target.form || !isMissed(target)) return null;
  const group = target.type === 'radio' ? target.form.elements.namedItem(target.name) : null;
  return group instanceof RadioNodeList ? (group[0] as HTMLInputElement) : target;
}

function stateOf(field: Field): string {
  // A checkbox is always an input element; the compiler cannot infer that from `type`.
  if (field.type === 'checkbox') return String((field as HTMLInputElement).checked);
  const group = field.type === 'radio' ? field.form?.elements.namedItem(field.name) : null;
  if (group instanceof RadioNodeList) return group.value;
  // A multi-select shows its chosen values as pills next to its search field.
  return field.value.trim() + (field.closest('[class*=pillsList]')?.textContent ?? '');
}

/** Treats the current state of the fields as saved, until they change again. */
function forget(fields: Iterable<Field>): void {
  for (const field of fields) before.set(field, stateOf(field));
  changed();
}

/** Restores the earlier state, so that the fields count as unsent again. */
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

/** The first field of a form that is marked as invalid. */
const faultIn = (form: EventTarget | null): HTMLElement | null =>
  form instanceof Element ? form.querySelector('[aria-invalid=true]') : null;

if (typeof document !== 'undefined') {
  // Autofilled fields never get focus, so they do not count as typed. Some browsers do not focus a clicked switch.
  for (const event of ['focusin', 'pointerdown'])
    document.addEventListener(event, ({ target }) => {
      const field = fieldOf((target instanceof Element && target.closest('label')?.control) || target);
      if (field && !before.has(field)) before.set(field, field.dataset.saved?.trim() ?? stateOf(field));
    });
  // Choosing from a list fires no input event, and the field is updated slightly later.
  for (const event of ['input', 'click', 'keyup']) document.addEventListener(event, () => setTimeout(changed), true);
  let running = new Set<unknown>();
  document.addEventListener('submit', () => (running = new Set(mutations().getAll())), true);
  document.addEventListener('submit', ({ target }) => {
    const begun = mutations()
      .getAll()
      .filter((mutation) => !running.has(mutation));
    // A dialog closes on success; while it stays open, its fields still count as unsent.
    const sent = [...before].filter(([field]) => field.form === target && !field.closest('.mantine-Modal-content'));
    forget(sent.map(([field]) => field));
    const refused = () => {
      remember(sent);
      // Screen readers then read the fault, and the user can mend it at once.
      setTimeout(() => faultIn(target)?.focus());
    };
    if (begun.length > 0) whenRefused(begun, refused);
    // No request was sent: if validation fails, the field is marked invalid shortly afterwards.
    else setTimeout(() => faultIn(target) && refused());
  });
  // On logout the user has already left.
  onForget(() => forget([...before.keys()]));
}

function unsent(): Field[] {
  for (const field of before.keys()) if (!field.isConnected) before.delete(field);
  return [...before]
    .filter(([field, state]) => stateOf(field) !== '' && stateOf(field) !== state)
    .map(([field]) => field);
}

/** Whether this part of the page has unsent changes. */
export const hasUnsent = (part: Element | null): boolean => unsent().some((field) => part?.contains(field));

const inDialog = (field: Field): boolean => field.closest('[role=dialog]') !== null;
/** In a form that keeps its input and shows it again. */
const isKept = (field: Field): boolean => field.closest('form[data-kept]') !== null;
const inTab = (field: Field): boolean => field.closest('[role=tabpanel]') !== null;

interface Step {
  currentLocation: { pathname: string; search: string };
  nextLocation: { pathname: string; search: string };
}

/** The fields that a step to another URL removes. A dialog asks on its own, since Back closes it instead. */
function lostBy({ currentLocation, nextLocation }: Step, fields: Field[]): Field[] {
  const tabOf = ({ search }: Step['nextLocation']) => new URLSearchParams(search).get('tab');
  const outside = fields.filter((field) => !inDialog(field) && !isKept(field));
  if (currentLocation.pathname !== nextLocation.pathname) return outside;
  return tabOf(currentLocation) === tabOf(nextLocation) ? [] : outside.filter(inTab);
}

/** Asks if unsent changes would be lost; after a confirmation, the same changes are not asked about again. */
function mayLose(fields: Field[], question: string): boolean {
  const may = fields.length === 0 || confirm(question);
  if (may) forget(fields);
  return may;
}

const question = () => t('Unsaved changes will be lost. Continue?');

/** Whether the page may be reloaded in another language. */
export const mayReload = (): boolean =>
  mayLose(unsent(), t('Changing the language reloads the page. Unsaved changes will be lost. Continue?'));

/**
 * Whether a form may close while it is being sent. The user must not take closing for cancelling, and send it twice.
 */
export const mayCloseWhileSending = (): boolean =>
  confirm(t('Your changes are being sent. Closing this does not cancel them. Close?'));

/** Whether a dialog may close by something that easily happens by accident: Esc, Back, a click outside. */
export function mayClose(dialog: Element | null): boolean {
  if (dialog?.querySelector('[type=submit][data-loading]')) return mayCloseWhileSending();
  return mayLose(
    unsent().filter((field) => dialog?.contains(field)),
    question(),
  );
}

/**
 * Asks before leaving the page, within the app or not, while it has unsent changes. Blocks only then, because the
 * router delays every navigation while a blocker is registered.
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
      blockerFn: (step) => !mayLose(lostBy(step, unsent()), question()),
      enableBeforeUnload: () => unsent().length > 0,
    });
  };
  return () => {
    changed = () => {};
    stop();
  };
}
