/**
 * Whether a key only serves an input method, for example Enter that confirms the characters for some pinyin. Safari ends
 * the composition before it reports that key, so that only the old key code tells.
 */
export const isComposing = ({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  isComposing || keyCode === 229;
