import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import { safeNext } from '../search-params.ts';
import { queryClient, selfQuery, type User } from '../session.ts';
import { BareFrame } from './bare-frame.tsx';
import { ErrorState } from './error-state.tsx';
import { AnchorLink } from './link.tsx';

interface EnterFormProps<Body> {
  title: string;
  submitLabel: string;
  /** What did not happen when the service refuses. */
  failure: string;
  usernameFault?: string;
  /** What is sent, or null where a field has a fault. */
  read: (field: (name: string) => string) => Body | null;
  send: (body: Body) => Promise<User>;
  /** The way to the other page. */
  other: { question: string; to: '/login' | '/register'; label: string };
  /** The fields below the username. */
  children: ReactNode;
}

/** The name that an application expects, where one sent the user here. */
const hintIn = (next: string | undefined): string =>
  next?.startsWith('/oauth2/authorize?') ? (new URLSearchParams(next.split('?')[1]).get('login_hint') ?? '') : '';

/** Logging in and registering: afterwards the user is known, and goes where they were headed. */
export function EnterForm<Body>(props: EnterFormProps<Body>) {
  const { title, submitLabel, failure, usernameFault, read, send, other, children } = props;
  const router = useRouter();
  const { next } = useSearch({ strict: false }) as { next?: string };
  const enter = useMutation({
    mutationFn: send,
    onSuccess: (user) => {
      queryClient.clear();
      queryClient.setQueryData(selfQuery.queryKey, user);
      router.history.push(safeNext(next, window.location.origin));
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = read((name) => String(form.get(name)));
    if (body) enter.mutate(body);
  };
  const footer = (
    <>
      {other.question}{' '}
      <AnchorLink to={other.to} search={next === undefined ? {} : { next }} underline="always">
        {other.label}
      </AnchorLink>
    </>
  );
  return (
    <BareFrame title={title} footer={footer}>
      <form onSubmit={submit}>
        <Stack>
          {enter.error && <ErrorState error={enter.error} title={failure} />}
          <TextInput
            name="username"
            label="Username"
            autoComplete="username"
            autoCapitalize="none"
            required
            autoFocus
            defaultValue={hintIn(next)}
            error={usernameFault}
          />
          {children}
          <Button type="submit" fullWidth loading={enter.isPending}>
            {submitLabel}
          </Button>
        </Stack>
      </form>
    </BareFrame>
  );
}
