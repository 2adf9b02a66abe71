/** As the browser's own download. */
export function saveFile({ name, blob }: { name: string; blob: Blob }): void {
  const href = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  // The browser has the file by then, so the memory can be freed.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
