import { PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { post } from '../../api.ts';
import { EnterForm } from '../../components/enter-form.tsx';

type Faults = { username?: string; password?: string };

function check(username: string, password: string): Faults {
  const faults: Faults = {};
  if (!/^[A-Za-z0-9_.-]{3,32}$/.test(username)) {
    faults.username = 'Use 3 to 32 letters, digits, dots, dashes or underscores.';
  }
  if (password.length < 8) faults.password = 'Use at least 8 characters.';
  if (password.length > 128) faults.password = 'Use at most 128 characters.';
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
      title="Create your account"
      submitLabel="Create account"
      failure="Could not create the account"
      usernameFault={faults.username}
      read={read}
      send={(body) => post('/api/user/register', { body })}
      other={{ question: 'Already have one?', to: '/login', label: 'Log in' }}
    >
      <TextInput name="email" type="email" label="Email" description="Optional" autoComplete="email" />
      <PasswordInput
        name="password"
        label="Password"
        description="At least 8 characters"
        autoComplete="new-password"
        required
        error={faults.password}
      />
    </EnterForm>
  );
}
