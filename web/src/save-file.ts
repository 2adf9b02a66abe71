/** Saves it through the browser's download. */
export function saveFile({ name, blob }: { name: string; blob: Blob }): void {
  const href = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  // By then the download has finished reading, so the memory can be freed.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
