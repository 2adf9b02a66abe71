/** Why a server could not be used: in words that anybody may read, and in those for whoever connected it. */
export class McpFault extends Error {
  constructor(
    message: string,
    /** Names addresses and inner errors. */
    readonly detail = message,
    /** The server has ended the session that was named to it, and looked at nothing else. */
    readonly sessionEnded = false,
  ) {
    super(message);
    this.name = 'McpFault';
  }
}

/** Whoever gave the signal may have said why. */
export const givenUp = ({ reason }: AbortSignal): McpFault =>
  reason instanceof McpFault ? reason : new McpFault('it did not answer in time');

/** Longer words of a server than this help nobody, and would go to a model or onto a page. */
const mostCharacters = 500;

/** What the library's errors carry, whichever of them it is. */
interface Carried {
  data?: { status?: unknown; text?: unknown } | undefined;
  code?: unknown;
}

/** Told from our own fault on, where the library wrapped one, and never with a secret: some servers repeat what they are sent. */
export function tellFault(error: unknown, to: 'administrator' | 'anybody', secrets: readonly string[]): string {
  const text = withoutSecrets(wordsOf(error, to === 'administrator'), secrets);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}

function wordsOf(error: unknown, detailed: boolean): string {
  const fault = faultWithin(error);
  if (fault) return detailed ? fault.detail : fault.message;
  if (!(error instanceof Error)) return 'it failed';
  const { data, code } = error as Carried;
  if (typeof data?.status === 'number') {
    const said = detailed && typeof data.text === 'string' && data.text !== '' ? `: ${data.text}` : '';
    return `it answered with status ${data.status}${said}`;
  }
  // An error in the protocol's own form is the server's word to whoever called.
  if (typeof code === 'number') return error.message;
  if (code === 'REQUEST_TIMEOUT') return 'it did not answer in time';
  return `its answer is not what the protocol asks for${detailed ? ` (${error.message})` : ''}`;
}

/** Ours, among what an error was caused by. */
export function faultWithin(error: unknown): McpFault | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1)
    if (at instanceof McpFault) return at;
  return null;
}

/** Shorter values are found by chance in any text, and are no secrets. */
const shortestSecret = 6;

/** Of values such as `Bearer abc` also the parts. */
export const secretsOf = (headers: Record<string, string>): string[] =>
  Object.values(headers)
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((secret) => secret.length >= shortestSecret);

export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text);
