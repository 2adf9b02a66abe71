import { shortened } from '../lib/cut-text.ts';
import { isDatabaseAway } from '../platform/durable/errors.ts';

/** Why a server could not be used: a message for any user, and details for whoever connected the server. */
export class McpFault extends Error {
  constructor(
    message: string,
    /** Includes addresses and inner errors. */
    readonly detail = message,
    /** The server has ended the session and did not process the request. */
    readonly sessionEnded = false,
  ) {
    super(message);
    this.name = 'McpFault';
  }
}

/** The signal's reason, if it says why. */
export const abortReason = ({ reason }: AbortSignal): McpFault =>
  reason instanceof McpFault ? reason : new McpFault('it did not respond in time');

/** Server messages are cut to this length: they go to a model or onto a page. */
const mostCharacters = 500;

/** The fields that the library's errors may have. */
interface Carried {
  data?: { status?: unknown; text?: unknown } | undefined;
  code?: unknown;
}

/**
 * Prefers our own fault if the library wrapped one. Secrets are redacted, because some servers repeat what they are
 * sent.
 */
export function describeFault(error: unknown, to: 'administrator' | 'anybody', secrets: readonly string[]): string {
  return shortened(withoutSecrets(wordsOf(error, to === 'administrator'), secrets), mostCharacters);
}

function wordsOf(error: unknown, detailed: boolean): string {
  const fault = findFault(error);
  if (fault) return detailed ? fault.detail : fault.message;
  if (!(error instanceof Error)) return 'it failed';
  const { data, code } = error as Carried;
  if (typeof data?.status === 'number') {
    const said = detailed && typeof data.text === 'string' && data.text !== '' ? `: ${data.text}` : '';
    return `it returned status ${data.status}${said}`;
  }
  // A JSON-RPC error is the server's message to the caller.
  if (typeof code === 'number') return error.message;
  if (code === 'REQUEST_TIMEOUT') return 'it did not respond in time';
  return `its response does not follow the protocol${detailed ? ` (${error.message})` : ''}`;
}

/** Our own fault in the chain of causes. */
export function findFault(error: unknown): McpFault | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1)
    if (at instanceof McpFault) return at;
  return null;
}

/** While our own database is away, nothing is known of the server: that is not told as its failure. */
export function rethrowOwn(error: unknown): void {
  if (isDatabaseAway(error)) throw error;
}

/** Shorter values occur in any text by chance, and are not secrets. */
export const shortestSecret = 6;

export const secretsOf = (values: readonly string[]): string[] =>
  values.filter((secret) => secret.length >= shortestSecret);

export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text);
