/** Shorter parts could be ordinary words. */
const shortestSecret = 8;

/** An upstream's message without the credential, which some vendors repeat, whole or one colon-separated part of it. */
export function redactCredential(message: string, credential: string): string {
  const parts = [credential, ...credential.split(':')].filter((part) => part.length >= shortestSecret);
  return parts.reduce((text, part) => text.replaceAll(part, '[redacted]'), message);
}
