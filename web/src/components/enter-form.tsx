import { Button, Stack, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { t } from '../language/words.ts';
import { safeNext } from '../search-params.ts';
import type { OwnUser } from '../session.ts';
import { useAct } from '../use-act.ts';
import { useAfterLogin } from '../use-after-login.ts';
import { CenteredLayout } from './centered-layout.tsx';
import { ErrorState } from './error-state.tsx';
import { AnchorLink } from './link.tsx';
import { SignInFault } from './sign-in-fault.tsx';
import { SignInWays } from './sign-in-ways.tsx';

interface EnterFormProps<Body> {
  title: string;
  submitLabel: string;
  /** Title of the error if the service rejects the form. */
  failure: string;
  usernameFault?: string;
  /** Returns the request body, or null if a field is invalid. */
  read: (field: (name: string) => string) => Body | null;
  /** Resolves to the logged-in user, or null if another step follows. */
  send: (body: Body) => Promise<OwnUser | null>;
  /** Link to the other page. */
  other: { question: string; to: '/login' | '/register'; label: string };
  /** Fields below the username. */
  children: ReactNode;
  /** Alternative ways to log in, below the button. */
  instead?: ReactNode;
}

/** The username hint of the application that sent the user here, if any. */
const hintIn = (next: string | undefined): string =>
  next?.startsWith('/oauth2/authorize?') ? (new URLSearchParams(next.split('?')[1]).get('login_hint') ?? '') : '';

/** Login and registration: afterwards the user is cached and goes to the page they wanted. */
export function EnterForm<Body>(props: EnterFormProps<Body>) {
  const { title, submitLabel, failure, usernameFault, read, send, other, children, instead } = props;
  const { next, entered } = useAfterLogin();
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
    <CenteredLayout title={title} footer={footer}>
      <form onSubmit={submit}>
        <Stack>
          {enter.error ? <ErrorState error={enter.error} title={failure} /> : <SignInFault />}
          <TextInput
            name="username"
            label={t('Username')}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
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
    </CenteredLayout>
  );
}
