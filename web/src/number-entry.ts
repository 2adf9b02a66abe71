import type { ClipboardEvent, FocusEvent, InputEvent, KeyboardEvent } from 'react';
import { notifyFault, takeBackFault } from './components/notify.ts';
import { t } from './language/words.ts';
import { readNumber } from './read-number.ts';

/** Class name that marks inputs for whole numbers. */
export const wholeNumber = 'svc-whole-number';

interface Typed {
  /** The text as typed, if the field displays it differently. */
  raw: string;
  /** The number that was written into the field for it. */
  number: string;
}

/**
 * Handles the next typed character of a number. A field displays digits and a point. As soon as another character is
 * typed, such as a comma, everything typed since is parsed as one text, because its meaning depends on what follows:
 * `1,5` is 1.5, `1,500` is 1500. Null: the field can insert the character unchanged.
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

/** The typed text of fields that display it differently, until the field loses focus or changes in another way. */
const typed = new WeakMap<HTMLInputElement, Typed>();

const notice = 'number';

/** Replaces the displayed text with a number, as if the user had typed it. */
function put(input: HTMLInputElement, text: string, caret: number): void {
  // Bypasses the setter that React defines on the element; through it, React would see no change and skip the event.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
  // The field preserves this caret position when it inserts thousands separators.
  input.setSelectionRange(caret, caret);
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Splits the displayed text into a prefix such as `$`, the number, and a suffix. */
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
  // Text composed by an input method is already in the field.
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
      t('“{text}” is not a valid number. Write it as 1,234.5, or as 1234 if it must be a whole number.', { text }),
    );
  else if (next.number !== head || tail !== '') {
    put(input, prefix + next.number + tail + suffix, prefix.length + next.number.length);
    if (appends) settle(input);
  }
}

/** Fields that were just written to and whose caret is not final yet. */
const settling = new WeakMap<HTMLInputElement, ReturnType<typeof setTimeout>>();

/**
 * After an input method commits text, the browser moves the caret by its length and ignores a prefix that the field has
 * inserted meanwhile; the field corrects this in the next task. A character typed before that belongs at the end: １２ is
 * 12, never 21.
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

/** A pasted number is converted to the field's format or rejected; it never turns into another number. */
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
  else notifyFault(notice, t('Nothing was pasted. Use a point as the decimal separator, as in 1,234.5.'));
}

export function leaveNumber(event: FocusEvent<HTMLInputElement>): void {
  typed.delete(event.currentTarget);
}

/**
 * Ignores Backspace where there is nothing to delete: the field would move the caret to its start, one task later and
 * thus before what was typed meanwhile. On a busy page, an amount of 0,05 became 50. Handled around the field, because
 * the field's own handler would run in any case.
 */
export function deleteNothing(event: KeyboardEvent): void {
  const { target: input } = event;
  if (event.key !== 'Backspace' || !(input instanceof HTMLInputElement)) return;
  if (input.selectionStart !== 0 || input.selectionEnd !== 0) return;
  event.preventDefault();
  event.stopPropagation();
}
