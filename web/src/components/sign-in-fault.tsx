import { useSearch } from '@tanstack/react-router';
import { t } from '../language/words.ts';
import { signInFault } from '../sign-in.ts';
import { ErrorState } from './error-state.tsx';

/** Shows why signing in through a provider failed, if the URL has an error code. */
export function SignInFault() {
  const { sign_in_error } = useSearch({ strict: false }) as { sign_in_error?: string };
  const words = signInFault(sign_in_error);
  return words && <ErrorState error={words} title={t('Could not sign in')} />;
}
