/** The two halves of `data:image/png;base64,AAAA`, or undefined if it is no base64 data URL. */
export function parseDataUrl(url: string): { mediaType: string; data: string } | undefined {
  if (!url.startsWith('data:')) return undefined;
  const comma = url.indexOf(',');
  const head = url.slice(5, comma === -1 ? 5 : comma);
  if (comma === -1 || !head.endsWith(';base64')) return undefined;
  const mediaType = head.slice(0, head.indexOf(';'));
  return { mediaType: mediaType || 'application/octet-stream', data: url.slice(comma + 1) };
}

export const toDataUrl = (mediaType: string, data: string): string => `data:${mediaType};base64,${data}`;
