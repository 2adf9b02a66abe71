import { t } from './language/words.ts';

/** The legacy way. An open dialog traps focus, so the helper element must be placed inside it. */
function copiedBySelection(text: string): boolean {
  const { activeElement } = document;
  const field = Object.assign(document.createElement('textarea'), { value: text });
  field.style.position = 'fixed';
  (activeElement?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  return copied;
}

/** Copies to the clipboard. Browsers withhold the Clipboard API on plain http, which many private installations use. */
export async function copyText(text: string): Promise<void> {
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (!copied && !copiedBySelection(text))
    throw new Error(t('The browser did not allow copying. Select the text and copy it manually.'));
}
