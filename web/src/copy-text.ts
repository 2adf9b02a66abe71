import { t } from './language/words.ts';

/** The old way. A dialog keeps the focus to itself, so it is done inside of one that is open. */
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

/** To the clipboard. Browsers give theirs to no page that comes by plain http, as many do at home and in companies. */
export async function copyText(text: string): Promise<void> {
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (!copied && !copiedBySelection(text))
    throw new Error(t('It was not copied: the browser does not allow it. Select the text and copy it by hand.'));
}
