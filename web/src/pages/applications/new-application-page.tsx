import { Card } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ButtonLink } from '../../components/link.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { usePost } from '../../once.ts';
import { type ApplicationFields, bodyOf, emptyApplication } from './application-fields.ts';
import { ApplicationForm } from './application-form.tsx';
import { reloadApplications } from './application-queries.ts';

export function NewApplicationPage() {
  const navigate = useNavigate();
  const post = usePost();
  const [made, setMade] = useState<{ id: number; secret: string } | null>(null);
  const open = (id: number) => navigate({ to: '/applications/$id', params: { id: String(id) } });
  const create = async (fields: ApplicationFields) => {
    const { id, name, client_secret_plain } = await post('/api/oauth2/applications', { body: bodyOf(fields) });
    notifySuccess(`${name} is registered`);
    await reloadApplications();
    if (client_secret_plain === '') await open(id);
    else setMade({ id, secret: client_secret_plain });
  };
  return (
    <>
      <PageHeader title="New application" description="Let people sign in to what you build with their account here." />
      <Card maw={720}>
        <ApplicationForm
          initial={emptyApplication}
          submitLabel="Register application"
          onSubmit={create}
          cancel={
            <ButtonLink to="/applications" variant="default">
              Cancel
            </ButtonLink>
          }
        />
      </Card>
      <SecretOnce
        secret={made?.secret ?? null}
        title="Your client secret"
        label="Client secret"
        onClose={() => made && open(made.id)}
      />
    </>
  );
}
