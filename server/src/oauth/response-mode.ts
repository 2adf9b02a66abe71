import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { OAuthContext } from './context.ts';
import { withParameters } from './redirect-uri.ts';

/** OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode §2. Fragments are for tokens, which are never sent. */
export const responseModes = ['query', 'form_post'] as const;

export type AnswerParameters = Record<string, string | undefined>;
type Deps = Pick<OAuthContext, 'baseUrl' | 'clock' | 'sealer'>;

/** Whether the answer is to be posted; throws for modes that are not supported. */
export function isFormPost(mode: string | undefined, redirectUri: string): boolean {
  if (!mode || mode === 'query') return false;
  if (mode !== 'form_post') throw fault('response_mode must be query or form_post.');
  // Apps with a private-use scheme only receive the address.
  if (!/^https?:/i.test(redirectUri)) throw fault('response_mode form_post requires an https or http redirect_uri.');
  return true;
}

const fault = (message: string): AppError => new AppError('invalid_request', message, { param: 'response_mode' });

/** Where the browser goes with the answer: to the application, or to our page that posts it there. */
export const answerAddress = (
  { redirectUri, formPost }: { redirectUri: string; formPost: boolean },
  parameters: AnswerParameters,
  deps: Deps,
): string =>
  formPost
    ? withParameters(`${deps.baseUrl}${formPostPath}`, { answer: sealAnswer(deps, redirectUri, parameters) })
    : withParameters(redirectUri, parameters);

export const formPostPath = '/api/oauth2/form_post';

/** A form to send; sealed, so that only this service can make the page post something. */
interface PostedAnswer {
  action: string;
  fields: [name: string, value: string][];
}

const purpose = 'form-post';
/** The browser opens the page at once; longer than the page takes to load on any network. */
const longestSeconds = 300;

function sealAnswer({ clock, sealer }: Deps, action: string, parameters: AnswerParameters): string {
  const fields = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return sealer.seal(JSON.stringify([purpose, nowSeconds(clock), action, fields]));
}

/** Null if it is not ours, or too old. */
export function openAnswer({ clock, sealer }: Omit<Deps, 'baseUrl'>, sealed: string): PostedAnswer | null {
  let opened: unknown;
  try {
    opened = JSON.parse(sealer.open(sealed));
  } catch {
    return null;
  }
  // Users also hold sealed objects, such as compacted conversations.
  if (!Array.isArray(opened)) return null;
  const [given, at, action, fields] = opened as [string, number, string, PostedAnswer['fields']];
  return given === purpose && nowSeconds(clock) - at <= longestSeconds ? { action, fields } : null;
}
