import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { post } from '../api.ts';
import { BareFrame } from '../components/bare-frame.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { AnchorLink } from '../components/link.tsx';
import { useEnter } from '../use-enter.ts';

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
  const { enter, next } = useEnter();
  const [faults, setFaults] = useState<Faults>({});
  const register = useMutation({
    mutationFn: (body: { username: string; password: string; email?: string }) => post('/api/user/register', { body }),
    onSuccess: enter,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [username, email] = [String(form.get('username')).trim(), String(form.get('email')).trim()];
    const password = String(form.get('password'));
    const found = check(username, password);
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    register.mutate({ username, password, ...(email ? { email } : {}) });
  };
  return (
    <BareFrame
      title="Create your account"
      footer={
        <>
          Already have one?{' '}
          <AnchorLink to="/login" search={next} underline="always">
            Log in
          </AnchorLink>
        </>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          {register.error && <ErrorState error={register.error} title="Could not create the account" />}
          <TextInput
            name="username"
            label="Username"
            autoComplete="username"
            autoCapitalize="none"
            required
            autoFocus
            error={faults.username}
          />
          <TextInput name="email" type="email" label="Email" description="Optional" autoComplete="email" />
          <PasswordInput
            name="password"
            label="Password"
            description="At least 8 characters"
            autoComplete="new-password"
            required
            error={faults.password}
          />
          <Button type="submit" fullWidth loading={register.isPending}>
            Create account
          </Button>
        </Stack>
      </form>
    </BareFrame>
  );
}
