import { Alert, Button, Divider, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { AppIdentity } from '../../components/app-identity.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ScopeList, splitScopes } from '../../components/scopes.tsx';
import type { Asked } from './authorization.ts';
import { SignedInAs } from './signed-in-as.tsx';

/** Who asks for what, and what was allowed before. */
export type AskedFor = Pick<
  Asked,
  'application' | 'requested_scopes' | 'has_existing_consent' | 'existing_scopes' | 'needs_reconsent'
>;

/** Why a user who has allowed this application before is asked again. */
function AskedAgain({ asked, added }: { asked: AskedFor; added: string[] }) {
  if (!asked.has_existing_consent) return null;
  const text = !asked.needs_reconsent
    ? 'You have allowed this before. Continue to sign in again.'
    : added.length > 0
      ? `${asked.application.name} asks for more than you have allowed so far. What is new is marked.`
      : 'Your earlier permission does not count any more. Please decide again.';
  return (
    <Alert variant="light" color="indigo" icon={<IconInfoCircle aria-hidden />} p="sm">
      {text}
    </Alert>
  );
}

function Unverified() {
  return (
    <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} p="sm">
      Nobody here has verified who runs this application. Allow it only if you know it.
    </Alert>
  );
}

interface QuestionProps {
  asked: AskedFor;
  /** Takes whether the user allows it. */
  answer: {
    mutate(approved: boolean): void;
    isPending: boolean;
    isSuccess: boolean;
    variables: boolean | undefined;
    error: Error | null;
  };
  /** Below the buttons: where either answer leads. */
  children?: ReactNode;
}

/** The question and its two answers; who asks, for what and of whom, in one look. */
export function Question({ asked, answer, children }: QuestionProps) {
  const { application } = asked;
  const before = splitScopes(asked.existing_scopes ?? '');
  const added = asked.has_existing_consent
    ? asked.requested_scopes.map(({ name }) => name).filter((name) => !before.includes(name))
    : [];
  const busy = answer.isPending || answer.isSuccess;
  return (
    <Stack gap="md">
      <AppIdentity
        name={application.name}
        logoUrl={application.logo_url}
        homepageUrl={application.homepage_url}
        verified={application.is_verified}
        size={48}
      />
      {application.description && (
        <Text size="sm" c="dimmed" className="svc-anywhere" lineClamp={4}>
          {application.description}
        </Text>
      )}
      <AskedAgain asked={asked} added={added} />
      {!application.is_verified && !asked.has_existing_consent && <Unverified />}
      <Divider />
      <Text size="sm" fw={600}>
        It asks for
      </Text>
      <ScopeList scopes={asked.requested_scopes} added={added} />
      <Divider />
      <SignedInAs />
      {answer.error && <ErrorState error={answer.error} title="Your answer was not taken" />}
      <SimpleGrid cols={2}>
        <Button
          variant="default"
          size="md"
          disabled={busy && answer.variables !== false}
          loading={busy && answer.variables === false}
          onClick={() => answer.mutate(false)}
        >
          Deny
        </Button>
        <Button
          size="md"
          disabled={busy && answer.variables !== true}
          loading={busy && answer.variables === true}
          onClick={() => answer.mutate(true)}
        >
          Allow
        </Button>
      </SimpleGrid>
      {children}
    </Stack>
  );
}
