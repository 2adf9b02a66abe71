import type { ClipboardEvent, FocusEvent, InputEvent } from 'react';
import { notifyFault, takeBackFault } from './components/notify.ts';
import { t } from './language/words.ts';
import { readNumber } from './read-number.ts';

/** On fields for whole numbers, so that whoever reads what is typed into one knows. */
export const wholeNumber = 'svc-whole-number';

interface Typed {
  /** As it was typed, where the field shows it otherwise. */
  raw: string;
  /** The number that the field was given for it. */
  number: string;
}

/**
 * The next letter of a number. A field shows digits and a point; once something else is typed, such as a comma, what was
 * typed since is read as one text, since the letters after it say what it was: `1,5` is 1.5, `1,500` is 1500.
 * Null: the field may take the letter as it is.
 */
export function typeLetter(before: Typed, letter: string, whole: boolean): (Typed & { fault: boolean }) | null {
  const plain = before.raw === before.number;
  if (plain && /^\d+$/.test(letter)) return null;
  if (plain && letter === '.' && !whole && !before.raw.includes('.')) return null;
  if (plain && letter === '-' && before.raw === '') return null;
  const raw = before.raw + letter;
  const number = readNumber(raw, whole);
  return { raw, number: number ?? before.number, fault: number === null };
}

/** What was typed into fields that show it otherwise, until the field is left or changed in another way. */
const typed = new WeakMap<HTMLInputElement, Typed>();

const notice = 'number';

/** Puts a number in place of what the field shows, as if it had been typed. */
function put(input: HTMLInputElement, text: string, caret: number): void {
  // React has its own setter on the element, and would take this for a value it knows already.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
  // The field keeps this place when it writes thousands into the text.
  input.setSelectionRange(caret, caret);
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/** The shown text in three parts: a prefix such as `$`, the number, a suffix. */
function partsOf(text: string): [prefix: string, number: string, suffix: string] {
  const start = text.search(/[-\d.]/);
  if (start < 0) return [text, '', ''];
  const length = text.slice(start).search(/[^-\d.,]/);
  const end = length < 0 ? text.length : start + length;
  return [text.slice(0, start), text.slice(start, end), text.slice(end)];
}

export function typeNumber(event: InputEvent<HTMLInputElement>): void {
  const input = event.currentTarget;
  const letter = event.data;
  // What an input method has composed is in the field already.
  if (!letter || event.nativeEvent.isComposing) return;
  if (settling.has(input)) toEndOfNumber(input);
  const [prefix, shown, suffix] = partsOf(input.value);
  const [from, to] = [input.selectionStart ?? 0, input.selectionEnd ?? 0];
  const plain = (text: string) => text.replaceAll(',', '');
  const head = plain(shown.slice(0, Math.max(0, from - prefix.length)));
  const tail = plain(shown.slice(Math.max(0, to - prefix.length)));
  const kept = typed.get(input);
  const appends = from === to && tail === '';
  const before = appends && kept && kept.number === head ? kept : { raw: head, number: head };
  const next = typeLetter(before, letter, input.classList.contains(wholeNumber));
  typed.delete(input);
  if (!next?.fault) takeBackFault(notice);
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  if (appends) typed.set(input, next);
  const text = next.raw + tail;
  if (next.fault || (tail !== '' && readNumber(next.number + tail, false) === null))
    notifyFault(
      notice,
      t('“{text}” is not taken as a number. Write it as in 1,234.5, or 1234 where it has to be whole.', { text }),
    );
  else if (next.number !== head || tail !== '') {
    put(input, prefix + next.number + tail + suffix, prefix.length + next.number.length);
    if (appends) settle(input);
  }
}

/** Fields that were just written to, until the browser has come to rest. */
const settling = new WeakMap<HTMLInputElement, ReturnType<typeof setTimeout>>();

/**
 * What an input method commits moves the caret by as many letters as it has, though the field has written a prefix in front of
 * them meanwhile; the field corrects that a moment later. A letter that comes before belongs at the end: １２ is 12, never 21.
 */
function settle(input: HTMLInputElement): void {
  clearTimeout(settling.get(input));
  settling.set(
    input,
    setTimeout(() => settling.delete(input)),
  );
}

function toEndOfNumber(input: HTMLInputElement): void {
  const [prefix, number] = partsOf(input.value);
  const end = prefix.length + number.length;
  input.setSelectionRange(end, end);
}

/** A number that is copied from elsewhere is written as fields do, or refused: never another number. */
export function pasteNumber(event: ClipboardEvent<HTMLInputElement>): void {
  const input = event.currentTarget;
  const text = event.clipboardData.getData('text').trim();
  const number = readNumber(text, input.classList.contains(wholeNumber));
  typed.delete(input);
  if (number === text) return;
  event.preventDefault();
  event.stopPropagation();
  const [from, to] = [input.selectionStart ?? 0, input.selectionEnd ?? 0];
  if (number !== null) put(input, input.value.slice(0, from) + number + input.value.slice(to), from + number.length);
  else
    notifyFault(notice, t('Nothing was pasted. Write the number with a point before the decimals, such as 1,234.5.'));
}

export function leaveNumber(event: FocusEvent<HTMLInputElement>): void {
  typed.delete(event.currentTarget);
}
