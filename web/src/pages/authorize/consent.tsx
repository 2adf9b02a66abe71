import { Alert, Anchor, Button, Divider, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { AppIdentity } from '../../components/app-identity.tsx';
import { BareFrame } from '../../components/bare-frame.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ScopeList, splitScopes } from '../../components/scopes.tsx';
import { SpendingFields } from '../../components/spending-fields.tsx';
import { entryOf, spendingOf } from '../../spending.ts';
import { type Asked, decide, destinationOf, leaveTo } from './authorization.ts';
import { SignedInAs } from './signed-in-as.tsx';

/** Why a user who has allowed this application before is asked again. */
function AskedAgain({ asked, added }: { asked: Asked; added: string[] }) {
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

export function Consent({ asked, search }: { asked: Asked; search: string }) {
  const { application } = asked;
  const pays = asked.requested_scopes.some(({ name }) => name === 'models:use');
  const [entry, setEntry] = useState(() => entryOf(asked.spending));
  const spending = pays ? spendingOf(entry) : null;
  const answer = useMutation({
    mutationFn: (approved: boolean) => decide(search, approved, spending),
    onSuccess: leaveTo,
  });
  const before = splitScopes(asked.existing_scopes ?? '');
  const added = asked.has_existing_consent
    ? asked.requested_scopes.map(({ name }) => name).filter((name) => !before.includes(name))
    : [];
  const busy = answer.isPending || answer.isSuccess;
  return (
    <BareFrame title={`Authorize ${application.name}`} description="It asks for access to your svc account.">
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
        {pays && <SpendingFields value={entry} onChange={setEntry} error={spending ? undefined : 'Enter an amount'} />}
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
            disabled={(busy && answer.variables !== true) || (pays && !spending)}
            loading={busy && answer.variables === true}
            onClick={() => answer.mutate(true)}
          >
            Allow
          </Button>
        </SimpleGrid>
        <Text size="xs" c="dimmed" ta="center" className="svc-anywhere" aria-live="polite">
          {answer.isSuccess ? (
            <>
              Taking you there…{' '}
              <Anchor href={answer.data} inherit underline="always">
                Continue
              </Anchor>{' '}
              if nothing happens.
            </>
          ) : (
            <>
              Either answer leads you to{' '}
              <Text span inherit fw={600} c="var(--mantine-color-text)">
                {destinationOf(asked.redirect_uri)}
              </Text>
            </>
          )}
        </Text>
      </Stack>
    </BareFrame>
  );
}
