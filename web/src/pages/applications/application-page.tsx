import { Alert, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { del, put } from '../../api.ts';
import { changedFields } from '../../changed-fields.ts';
import { ApplicationStatus, VerifiedBadge } from '../../components/app-identity.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { LoadingPage } from '../../components/loading-page.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { useOwnerChoice } from '../../components/owner-choice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { reloadOrganisations } from '../../organisations.ts';
import { ownerBody } from '../../owner.ts';
import { hasUnsent } from '../../unsaved-changes.ts';
import { useAct } from '../../use-act.ts';
import {
  type Application,
  type ApplicationFields,
  bodyOf,
  changesSecret,
  fieldsOf,
  losesBadge,
} from './application-fields.ts';
import { ApplicationForm } from './application-form.tsx';
import { applicationQuery, giveToTeam, reloadApplications } from './application-queries.ts';
import { Credentials } from './credentials.tsx';
import { QuickStart } from './try-it.tsx';

const back = <BackLink to="/applications">{t('All applications')}</BackLink>;

function wordsOnSecret({ app_type, openid }: ApplicationFields): string {
  if (app_type === 'public') return t('A public client has no secret; it must send a PKCE challenge instead.');
  return (openid?.proof ?? 'secret') === 'secret'
    ? t('After saving, rotate the client secret above to get the first one.')
    : t('An application with keys has no secret; it signs with its private keys instead.');
}

/** Warns before saving that the verification will be withdrawn, or that the secret will stop working. */
function Warnings({ fields, application }: { fields: ApplicationFields; application: Application }) {
  return (
    <>
      {losesBadge(fields, application) && (
        <Alert color="orange" variant="light" title={t('The verification will be withdrawn')}>
          {t(
            'An administrator verified the current version of this application. After you save, users see it as not verified until an administrator reviews it again.',
          )}
        </Alert>
      )}
      {(fields.app_type !== application.app_type || changesSecret(fields, application)) && (
        <Alert color="orange" variant="light" title={t('The client secret will stop working')}>
          {wordsOnSecret(fields)}
        </Alert>
      )}
    </>
  );
}

function Settings({ application }: { application: Application }) {
  // The application as the form began: a change from elsewhere must not remove what was typed since.
  const [shown, setShown] = useState(application);
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!hasUnsent(form.current)) setShown(application);
  }, [application]);
  const save = async (fields: ReturnType<typeof fieldsOf>) => {
    const body = changedFields(bodyOf(fieldsOf(shown)), bodyOf(fields));
    if (Object.keys(body).length > 0)
      await put('/api/oauth2/applications/{app_id}', { path: { app_id: application.id }, body });
    notifySuccess(t('Application saved'));
    await reloadApplications();
  };
  return (
    <Section
      title={t('Settings')}
      description={t('Changes take effect immediately, also for codes that are issued but not yet used.')}
    >
      <div ref={form}>
        <ApplicationForm
          key={shown.updated_at}
          initial={fieldsOf(shown)}
          submitLabel={t('Save')}
          onSubmit={save}
          verified={(fields) => application.is_verified && !losesBadge(fields, application)}
          note={(fields) => <Warnings fields={fields} application={application} />}
        />
      </div>
    </Section>
  );
}

/** Shown only to users who manage an organisation. */
function GiveAway({ application }: { application: Application }) {
  const { organisationId, who, field } = useOwnerChoice({ among: 'team' });
  const give = useAct({
    mutationFn: async () => {
      await giveToTeam(application.id, ownerBody(who).team_id!);
      notifySuccess(t('{name} now belongs to the team', { name: application.name }));
      await Promise.all([reloadApplications(), organisationId !== null && reloadOrganisations(organisationId)]);
    },
    onError: notifyError,
  });
  if (!field) return null;
  return (
    <Section
      title={t('Transfer to a team')}
      description={t(
        'It stays when you leave. Owners and admins of the organisation manage it on the organisation’s page.',
      )}
    >
      <Stack align="flex-start">
        {field}
        <Button variant="default" disabled={who === ''} loading={give.isPending} onClick={() => give.mutate()}>
          {t('Transfer to team')}
        </Button>
      </Stack>
    </Section>
  );
}

function Danger({ application }: { application: Application }) {
  const [confirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  return (
    <Section
      title={t('Delete')}
      description={t('Ends all sign-ins made with this application, for all its users.')}
      danger
    >
      <Group>
        <Button variant="light" color="red" onClick={() => setConfirming(true)}>
          {t('Delete application')}
        </Button>
      </Group>
      <ConfirmDelete
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={t('Delete {name}?', { name: application.name })}
        typeToConfirm={application.name}
        confirmLabel={t('Delete application')}
        onConfirm={async () => {
          await del('/api/oauth2/applications/{app_id}', { path: { app_id: application.id } });
          notifySuccess(t('{name} is deleted', { name: application.name }));
          await navigate({ to: '/applications' });
          await reloadApplications();
        }}
      >
        {t('Its tokens and its users’ permissions are deleted too. Its client ID is never reused.')}
      </ConfirmDelete>
    </Section>
  );
}

export function ApplicationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(applicationQuery(Number(id)));
  if (!query.data)
    return (
      <LoadingPage
        title={t('Application')}
        description={back}
        query={query}
        failure={t('The application could not be opened')}
        heights={[220, 420]}
      />
    );
  const application = query.data;
  return (
    <>
      <PageHeader
        title={application.name}
        description={back}
        actions={
          <Group gap="xs">
            <ApplicationStatus status={application.status} />
            {application.is_verified && <VerifiedBadge />}
          </Group>
        }
      />
      <Stack gap="lg">
        <Credentials application={application} />
        <Settings application={application} />
        <QuickStart application={application} />
        <GiveAway application={application} />
        <Danger application={application} />
      </Stack>
    </>
  );
}
