import { post, type Result } from './api.ts';
import { t } from './language/words.ts';

/** Browsers give passkeys to names over a safe connection only, never to bare addresses. */
export const passkeysWork = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(window.location.hostname);

/** Comes when somebody uses one. */
const ceremonies = () => import('@simplewebauthn/browser');

/** The service writes the options as the browser wants them. */
const asGiven = (optionsJSON: unknown) => ({ optionsJSON: optionsJSON as never });

/** As the browser gave it; the service looks at each field, and its types leave out those that it does not use. */
const asSent = (response: unknown) => response as never;

/** What a browser says when a person closed its dialog means nothing to them. */
async function withWords<T>(asking: Promise<T>): Promise<T> {
  return asking.catch((cause: unknown) => {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError')
      throw new Error(t('No passkey was used: the request was cancelled, or took too long.'));
    if (name === 'InvalidStateError') throw new Error(t('This device holds a passkey for this account already.'));
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
