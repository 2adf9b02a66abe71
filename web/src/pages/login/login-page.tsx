import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type FactorMethod, post } from '../../api.ts';
import { EnterForm } from '../../components/enter-form.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { passkeysWork } from '../../passkeys.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { SecondStep } from './second-step.tsx';

const methodsIn = (text: string): FactorMethod[] =>
  (['passkey', 'totp', 'recovery_code'] as const).filter((method) => text.split(',').includes(method));

export function LoginPage() {
  // A user returning from an identity provider has already completed the first step there.
  const { second_factor } = useSearch({ strict: false }) as { second_factor?: string };
  const [second, setSecond] = useState(() => (second_factor ? methodsIn(second_factor) : null));
  if (second) return <SecondStep methods={second} onBack={() => setSecond(null)} />;
  const send = async (body: { username: string; password: string }) => {
    const answer = await post('/api/user/login', { body });
    if (!('second_factor' in answer)) return answer;
    setSecond(answer.second_factor.methods);
    return null;
  };
  return (
    <EnterForm
      title={t('Log in to svc')}
      submitLabel={t('Log in')}
      failure={t('Could not log in')}
      read={(field) => ({ username: field('username').trim(), password: field('password') })}
      send={send}
      other={{ question: t('New here?'), to: '/register', label: t('Create an account') }}
      instead={passkeysWork() && <PasskeyButton />}
    >
      <PasswordInput name="password" label={t('Password')} autoComplete="current-password" required />
      <AnchorLink to="/forgot-password" size="sm" underline="always">
        {t('Forgot your password?')}
      </AnchorLink>
    </EnterForm>
  );
}
