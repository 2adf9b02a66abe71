import { Box, Card, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { useOwnerChoice } from '../../components/owner-choice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { ownerBody } from '../../owner.ts';
import { type ApplicationFields, bodyOf, emptyApplication, emptyOpenid } from './application-fields.ts';
import { ApplicationForm } from './application-form.tsx';
import { discoveryQuery, giveToTeam, reloadApplications } from './application-queries.ts';

export function NewApplicationPage() {
  const navigate = useNavigate();
  const post = usePost();
  const [made, setMade] = useState<{ id: number; secret: string } | null>(null);
  const { data: discovery, isPending, error, refetch } = useQuery(discoveryQuery);
  const { organisationId, who, seen, field } = useOwnerChoice({ among: 'team' });
  const team = who === '' ? null : (ownerBody(who).team_id ?? null);
  const open = (id: number) => navigate({ to: '/applications/$id', params: { id: String(id) } });
  const create = async (fields: ApplicationFields) => {
    await seen();
    // A chosen organisation means that the application should not belong to the user personally.
    if (organisationId !== null && team === null) throw new Error(t('Choose a team, or no organisation.'));
    const { id, name, client_secret_plain } = await post('/api/oauth2/applications', { body: bodyOf(fields) });
    // The application exists even if this fails; it can still be given to a team on its own page.
    if (team !== null)
      await giveToTeam(id, team).catch((error) => {
        notifyError(error);
      });
    notifySuccess(t('{name} is registered', { name }));
    await reloadApplications();
    if (client_secret_plain === '') await open(id);
    else setMade({ id, secret: client_secret_plain });
  };
  return (
    <>
      <PageHeader
        title={t('New application')}
        description={t('Let people sign in to your product with their account on this service.')}
      />
      <Card maw={720}>
        {field && <Box mb="md">{field}</Box>}
        {isPending && <Skeleton height={420} />}
        {/* Without discovery it is unknown whether OpenID Connect is on, and half of the form would be missing. */}
        {error && !discovery && <ErrorState error={error} onRetry={() => refetch()} />}
        {discovery && (
          <ApplicationForm
            initial={{ ...emptyApplication, openid: discovery.jwks_uri ? emptyOpenid : null }}
            submitLabel={t('Register application')}
            onSubmit={create}
            cancel={
              <ButtonLink to="/applications" variant="default">
                {t('Cancel')}
              </ButtonLink>
            }
          />
        )}
      </Card>
      <SecretOnce
        secret={made?.secret ?? null}
        title={t('Your client secret')}
        label={t('Client secret')}
        onClose={() => made && open(made.id)}
      />
    </>
  );
}
