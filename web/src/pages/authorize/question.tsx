import { Alert, Button, Divider, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { AppIdentity } from '../../components/app-identity.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ScopeList, splitScopes } from '../../components/scopes.tsx';
import { SpendingFields } from '../../components/spending-fields.tsx';
import { formatQuota } from '../../format.ts';
import { rich, t } from '../../language/words.ts';
import { type Spending, spendingOf } from '../../spending.ts';
import type { Asked } from './authorization.ts';
import { useSpendingEntry } from './kept-spending.ts';
import { ResourceList } from './resource-list.tsx';
import { SignedInAs } from './signed-in-as.tsx';

/** The application, what it requests, and what was allowed before. */
export type AskedFor = Pick<
  Asked,
  'application' | 'requested_scopes' | 'has_existing_consent' | 'existing_scopes' | 'needs_reconsent' | 'spending'
> &
  Partial<Pick<Asked, 'resources'>>;

/** Explains why a user who has already allowed this application is asked again. */
function AskedAgain({ asked, added }: { asked: AskedFor; added: string[] }) {
  if (!asked.has_existing_consent) return null;
  const text = !asked.needs_reconsent
    ? t('You have already allowed this application. Continue to sign in again.')
    : added.length > 0
      ? t('{name} asks for more access than you have allowed so far. New permissions are marked.', {
          name: asked.application.name,
        })
      : asked.resources?.length
        ? t(
            'You have already allowed this application. Because it specifies the resources it will use, you are asked each time.',
          )
        : t('Your earlier permission is no longer valid. Please decide again.');
  return (
    <Alert variant="light" color="indigo" icon={<IconInfoCircle aria-hidden />} p="sm">
      {text}
    </Alert>
  );
}

/** Tool scopes are shown with their resource, by server and tool. */
const namesTools = (scope: string): boolean => scope.startsWith('mcp:');

/** The application has no owner with an account here who could be contacted, so the warning is shown every time. */
const unregistered = ({ source = 'owner' }: Asked['application']): boolean => source !== 'owner';

/** A warning about an unverified application. */
function Unverified({ application }: { application: Asked['application'] }) {
  return (
    <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} p="sm" className="svc-anywhere">
      {application.host
        ? rich(
            'This application is not registered with us. Its name is provided by {host}. Allow it only if you know that address and have just started the application yourself.',
            {
              host: (
                <Text span inherit fw={700}>
                  {application.host}
                </Text>
              ),
            },
          )
        : application.source === 'registration'
          ? t(
              'This application registered itself and chose its own name. Allow it only if you have just started it yourself.',
            )
          : t('We have not verified who runs this application. Allow it only if you know it.')}
    </Alert>
  );
}
/** The user's decision; `spending` is set if the application requests models. */
export interface Answer {
  approved: boolean;
  spending: Spending | null;
}

interface QuestionProps {
  asked: AskedFor;
  /** Submits the user's decision. */
  answer: {
    mutate(answer: Answer): void;
    isPending: boolean;
    isSuccess: boolean;
    variables: Answer | undefined;
    error: Error | null;
  };
  /** Shown below the buttons: where either answer leads. */
  children?: ReactNode;
  /** Preview for the application's owner; nothing is submitted. */
  preview?: boolean;
}

/** The consent prompt: which application requests what, for which account, and the two answers. */
export function Question({ asked, answer, children, preview = false }: QuestionProps) {
  const { application } = asked;
  const before = splitScopes(asked.existing_scopes ?? '');
  const added = asked.has_existing_consent
    ? asked.requested_scopes.map(({ name }) => name).filter((name) => !before.includes(name) && !namesTools(name))
    : [];
  const busy = answer.isPending || answer.isSuccess;
  const said = answer.variables?.approved;
  const pays = asked.requested_scopes.some(({ name }) => name === 'models:use');
  const [entry, setEntry] = useSpendingEntry(application.client_id, asked.spending);
  const spending = pays ? spendingOf(entry) : null;
  return (
    <Stack gap="md">
      <AppIdentity
        name={application.name}
        logoUrl={application.logo_url}
        homepageUrl={application.homepage_url}
        host={application.host}
        verified={application.is_verified}
        size={48}
      />
      {application.description && (
        <Text size="sm" c="dimmed" className="svc-anywhere" lineClamp={2} title={application.description}>
          {application.description}
        </Text>
      )}
      <AskedAgain asked={asked} added={added} />
      {!application.is_verified && (unregistered(application) || !asked.has_existing_consent) && (
        <Unverified application={application} />
      )}
      {/* Above the scopes: below a long list, the buttons would cover which account is signed in. */}
      <SignedInAs fixed={preview} />
      <Divider />
      <Text size="sm" fw={600}>
        {t('Requested access')}
      </Text>
      <ScopeList scopes={asked.requested_scopes.filter(({ name }) => !namesTools(name))} added={added} />
      <ResourceList resources={asked.resources ?? []} />
      {pays && <SpendingFields value={entry} onChange={setEntry} error={spending ? undefined : t('Enter an amount')} />}
      {answer.error && <ErrorState error={answer.error} title={t('Your choice could not be submitted')} />}
      <Stack gap="sm" className="svc-answers">
        {spending && (
          <Text size="sm" ta="center">
            {rich(
              spending.spending_window === 'month'
                ? 'It may spend up to {amount} per month'
                : 'It may spend up to {amount} in total',
              { amount: <b>{formatQuota(spending.spending_limit)}</b> },
            )}
          </Text>
        )}
        <SimpleGrid cols={2}>
          <Button
            variant="default"
            size="md"
            disabled={busy && said !== false}
            loading={busy && said === false}
            onClick={() => answer.mutate({ approved: false, spending: null })}
          >
            {t('Deny')}
          </Button>
          <Button
            size="md"
            disabled={(busy && said !== true) || (pays && !spending)}
            loading={busy && said === true}
            onClick={() => answer.mutate({ approved: true, spending })}
          >
            {t('Allow')}
          </Button>
        </SimpleGrid>
        {children}
      </Stack>
    </Stack>
  );
}
