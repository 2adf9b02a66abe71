/** The image type by its magic bytes: a type claimed by an upstream could be a page with scripts. */
export function imageType(bytes: Uint8Array): { type: string; extension: string } {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return { type: 'image/png', extension: 'png' };
  if (head.startsWith('\xff\xd8\xff')) return { type: 'image/jpeg', extension: 'jpg' };
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return { type: 'image/webp', extension: 'webp' };
  if (head.startsWith('GIF8')) return { type: 'image/gif', extension: 'gif' };
  return { type: 'application/octet-stream', extension: 'bin' };
}
