/** Strips these characters from the end. A pattern such as `x+$` would be tried from every `x` of the text. */
export function trimEndOf(text: string, letters: string): string {
  let end = text.length;
  while (end > 0 && letters.includes(text[end - 1]!)) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}
