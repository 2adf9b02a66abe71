import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { post } from '../api.ts';
import { BareFrame } from '../components/bare-frame.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { AnchorLink } from '../components/link.tsx';
import { useEnter } from '../use-enter.ts';

export function LoginPage() {
  const { enter, next } = useEnter();
  const login = useMutation({
    mutationFn: (body: { username: string; password: string }) => post('/api/user/login', { body }),
    onSuccess: enter,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    login.mutate({ username: String(form.get('username')).trim(), password: String(form.get('password')) });
  };
  return (
    <BareFrame
      title="Log in to svc"
      footer={
        <>
          New here?{' '}
          <AnchorLink to="/register" search={next} underline="always">
            Create an account
          </AnchorLink>
        </>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          {login.error && <ErrorState error={login.error} title="Could not log in" />}
          <TextInput
            name="username"
            label="Username"
            autoComplete="username"
            autoCapitalize="none"
            required
            autoFocus
          />
          <PasswordInput name="password" label="Password" autoComplete="current-password" required />
          <Button type="submit" fullWidth loading={login.isPending}>
            Log in
          </Button>
        </Stack>
      </form>
    </BareFrame>
  );
}
