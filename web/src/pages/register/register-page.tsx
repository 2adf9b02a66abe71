import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { post } from '../../api.ts';
import { EnterForm } from '../../components/enter-form.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';

type Faults = { username?: string; password?: string };

function check(username: string, password: string): Faults {
  const faults: Faults = {};
  if (!/^[A-Za-z0-9_.-]{3,32}$/.test(username)) {
    faults.username = t('Use 3 to 32 letters, digits, dots, dashes or underscores.');
  }
  if (password.length < 8) faults.password = t('Use at least 8 characters.');
  if (password.length > 128) faults.password = t('Use at most 128 characters.');
  return faults;
}

export function RegisterPage() {
  const [faults, setFaults] = useState<Faults>({});
  const read = (field: (name: string) => string) => {
    const [username, email, password] = [field('username').trim(), field('email').trim(), field('password')];
    const found = check(username, password);
    setFaults(found);
    return Object.keys(found).length > 0 ? null : { username, password, ...(email ? { email } : {}) };
  };
  return (
    <EnterForm
      title={t('Create your account')}
      submitLabel={t('Create account')}
      failure={t('Could not create the account')}
      usernameFault={faults.username}
      read={read}
      send={(body) => post('/api/user/register', { body })}
      other={{ question: t('Already have one?'), to: '/login', label: t('Log in') }}
    >
      <TextInput name="email" type="email" label={t('Email')} description={t('Optional')} autoComplete="email" />
      <PasswordInput
        name="password"
        label={t('Password')}
        description={t('At least 8 characters')}
        autoComplete="new-password"
        required
        error={faults.password}
      />
    </EnterForm>
  );
}
