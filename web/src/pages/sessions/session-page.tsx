import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconMessageCircle, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { stillThere } from '../../api.ts';
import { BackLink } from '../../components/back-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Fact } from '../../components/fact.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatDateTime, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { orchestrationModel } from '../../models.ts';
import { useNamed } from '../../page-name.ts';
import { DeleteSession } from './delete-session.tsx';
import { History } from './history.tsx';
import { PlanCard } from './plan-card.tsx';
import { type SessionDetail, sessionQuery } from './sessions-queries.ts';
import { Tags } from './tags.tsx';

const back = <BackLink to="/sessions">{t('All sessions')}</BackLink>;

function Facts({ session }: { session: SessionDetail }) {
  return (
    <Section title={t('About')}>
      <dl className="svc-facts">
        <Fact name={t('Messages')}>{formatNumber(session.total_messages)}</Fact>
        <Fact name={t('Tokens')}>{formatNumber(session.total_tokens)}</Fact>
        <Fact name={t('Last used')}>
          <TimeAgo at={session.last_accessed} />
        </Fact>
        <Fact name={t('Started')}>{formatDateTime(session.created_at)}</Fact>
        {session.project_id && <Fact name={t('Project')}>{session.project_id}</Fact>}
        {session.tags.length > 0 && (
          <Fact name={t('Tags')}>
            <Tags tags={session.tags} />
          </Fact>
        )}
      </dl>
    </Section>
  );
}

function Aside({ session }: { session: SessionDetail }) {
  return (
    <Stack className="svc-session-aside" gap="lg">
      <Facts session={session} />
      {session.active_plan && <PlanCard plan={session.active_plan} />}
      <Section title={t('Summary')}>
        {session.summary ? (
          <Markdown>{session.summary}</Markdown>
        ) : (
          <Text size="sm" c="dimmed">
            {t('No summary yet. As the history grows, its older part is summarised to keep later turns short.')}
          </Text>
        )}
      </Section>
    </Stack>
  );
}

export function SessionPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(sessionQuery(id));
  const navigate = useNavigate();
  const [removing, setRemoving] = useState(false);
  const session = stillThere(query);
  useNamed(session ? id : '');
  if (query.error && !session) {
    return (
      <>
        <PageHeader title={t('Session')} description={back} />
        <ErrorState error={query.error} title={t('The session could not be opened')} onRetry={() => query.refetch()} />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={
          <Group component="span" gap={6}>
            <span className="svc-anywhere">{id}</span>
            <CopyButton value={id} label={t('Copy session id')} />
          </Group>
        }
        description={back}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconTrash size={16} stroke={1.7} aria-hidden />}
              onClick={() => setRemoving(true)}
            >
              {t('Delete')}
            </Button>
            <ButtonLink
              to="/playground"
              search={{ model: orchestrationModel, session: id }}
              leftSection={<IconMessageCircle size={16} stroke={1.7} aria-hidden />}
            >
              {t('Continue in the playground')}
            </ButtonLink>
          </>
        }
      />
      <div className="svc-session">
        {session ? <Aside session={session} /> : <Skeleton height={260} className="svc-session-aside" />}
        {session ? (
          <History sessionId={id} total={session.total_messages} />
        ) : (
          <Skeleton height={420} aria-busy="true" />
        )}
      </div>
      <DeleteSession
        id={removing ? id : null}
        onClose={() => setRemoving(false)}
        onDeleted={() => navigate({ to: '/sessions' })}
      />
    </>
  );
}
