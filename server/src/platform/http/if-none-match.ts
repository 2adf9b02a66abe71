/** Whether the client has this version: weak comparison with a list, or `*` (RFC 9110 §13.1.2). */
export function isKnown(header: string | null, etag: string): boolean {
  if (!header) return false;
  return header.split(',').some((item) => ['*', etag].includes(item.trim().replace(/^W\//, '')));
}
