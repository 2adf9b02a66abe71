import { PasswordInput } from '@mantine/core';
import { post } from '../../api.ts';
import { EnterForm } from '../../components/enter-form.tsx';

export function LoginPage() {
  return (
    <EnterForm
      title="Log in to svc"
      submitLabel="Log in"
      failure="Could not log in"
      read={(field) => ({ username: field('username').trim(), password: field('password') })}
      send={(body) => post('/api/user/login', { body })}
      other={{ question: 'New here?', to: '/register', label: 'Create an account' }}
    >
      <PasswordInput name="password" label="Password" autoComplete="current-password" required />
    </EnterForm>
  );
}
