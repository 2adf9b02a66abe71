import { t } from './language/words.ts';

/** What was typed into a form and not sent: it is lost when the page is opened anew. */
type Field = HTMLInputElement | HTMLTextAreaElement;

const before = new WeakMap<Field, string>();
const typed = new Set<Field>();

const fieldOf = ({ target }: Event): Field | null =>
  (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.form ? target : null;

if (typeof document !== 'undefined') {
  document.addEventListener('focusin', (event) => {
    const field = fieldOf(event);
    if (field && !before.has(field)) before.set(field, field.value);
  });
  document.addEventListener(
    'input',
    (event) => {
      const field = fieldOf(event);
      if (field) typed.add(field);
    },
    true,
  );
  // Sent, or refused with words beside it: either way somebody is about to see what became of it.
  document.addEventListener('submit', ({ target }) => {
    for (const field of typed) if (field.form === target) typed.delete(field);
  });
}

function hasUnsent(): boolean {
  for (const field of typed) if (!field.isConnected) typed.delete(field);
  return [...typed].some((field) => field.value.trim() !== '' && field.value !== (before.get(field) ?? ''));
}

/** Whether the page may be opened anew in another language: asks where something would be lost. */
export const mayOpenAnew = (): boolean =>
  !hasUnsent() ||
  confirm(t('Another language opens the page anew. What you typed and did not send will be lost. Go on?'));
