/** Shorter parts are words that any message may hold. */
const shortestSecret = 8;

/** What an upstream said, without the credential, which some repeat: whole, or a part of one that has colons. */
export function withoutCredential(message: string, credential: string): string {
  const parts = [credential, ...credential.split(':')].filter((part) => part.length >= shortestSecret);
  return parts.reduce((text, part) => text.replaceAll(part, '[redacted]'), message);
}
