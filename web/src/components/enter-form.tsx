import { Button, Stack, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { t } from '../language/words.ts';
import { safeNext } from '../search-params.ts';
import type { OwnUser } from '../session.ts';
import { useAct } from '../use-act.ts';
import { useEntered } from '../use-entered.ts';
import { BareFrame } from './bare-frame.tsx';
import { ErrorState } from './error-state.tsx';
import { AnchorLink } from './link.tsx';
import { SignInFault } from './sign-in-fault.tsx';
import { SignInWays } from './sign-in-ways.tsx';

interface EnterFormProps<Body> {
  title: string;
  submitLabel: string;
  /** What did not happen when the service refuses. */
  failure: string;
  usernameFault?: string;
  /** What is sent, or null where a field has a fault. */
  read: (field: (name: string) => string) => Body | null;
  /** The user who is in, or null where another step follows. */
  send: (body: Body) => Promise<OwnUser | null>;
  /** The way to the other page. */
  other: { question: string; to: '/login' | '/register'; label: string };
  /** The fields below the username. */
  children: ReactNode;
  /** Another way in, below the button. */
  instead?: ReactNode;
}

/** The name that an application expects, where one sent the user here. */
const hintIn = (next: string | undefined): string =>
  next?.startsWith('/oauth2/authorize?') ? (new URLSearchParams(next.split('?')[1]).get('login_hint') ?? '') : '';

/** Logging in and registering: afterwards the user is known, and goes where they were headed. */
export function EnterForm<Body>(props: EnterFormProps<Body>) {
  const { title, submitLabel, failure, usernameFault, read, send, other, children, instead } = props;
  const { next, entered } = useEntered();
  const enter = useAct({ mutationFn: send, onSuccess: (user) => user && entered(user) });
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
          {enter.error ? <ErrorState error={enter.error} title={failure} /> : <SignInFault />}
          <TextInput
            name="username"
            label={t('Username')}
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
          {instead}
        </Stack>
      </form>
      <SignInWays returnTo={safeNext(next, window.location.origin)} />
    </BareFrame>
  );
}
