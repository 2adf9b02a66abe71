import { post, type Result } from './api.ts';
import { t } from './language/words.ts';
import { notFetched } from './load-page-group.ts';

/** Browsers support passkeys only in secure contexts and for host names, never for bare IP addresses. */
export const passkeysWork = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(window.location.hostname);

/** Loaded on first use. */
const ceremonies = () =>
  import('@simplewebauthn/browser').catch(() => {
    throw notFetched();
  });

/** The service already sends the options in the browser's format. */
const asGiven = (optionsJSON: unknown) => ({ optionsJSON: optionsJSON as never });

/** Forwards the browser's response unchanged. The service validates every field; its types omit the unused ones. */
const asSent = (response: unknown) => response as never;

/** The browser's own message after a cancelled dialog does not help users. */
async function withWords<T>(asking: Promise<T>): Promise<T> {
  return asking.catch((cause: unknown) => {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError')
      throw new Error(t('No passkey was used: the request was cancelled, or took too long.'));
    if (name === 'InvalidStateError') throw new Error(t('This device already has a passkey for this account.'));
    throw cause;
  });
}

export async function enterWithPasskey(): Promise<Result<'/api/user/login/passkey', 'post'>> {
  const options = await post('/api/user/login/passkey/options');
  const { startAuthentication } = await ceremonies();
  const response = await withWords(startAuthentication(asGiven(options)));
  return post('/api/user/login/passkey', { body: { response: asSent(response) } });
}

export async function stepUpWithPasskey(): Promise<void> {
  const options = await post('/api/user/step-up/passkey/options');
  const { startAuthentication } = await ceremonies();
  const response = await withWords(startAuthentication(asGiven(options)));
  await post('/api/user/step-up/passkey', { body: { response: asSent(response) } });
}

export async function addPasskey(name: string, password: string | undefined) {
  const options = await post('/api/user/passkeys/options', { body: { password } });
  const { startRegistration } = await ceremonies();
  const response = await withWords(startRegistration(asGiven(options)));
  return post('/api/user/passkeys', { body: { name, response: asSent(response) } });
}
