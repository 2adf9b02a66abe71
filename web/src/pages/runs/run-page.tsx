import { Badge, Group, Spoiler, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { stillThere } from '../../api.ts';
import { BackLink } from '../../components/back-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { LoadingPage } from '../../components/loading-page.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { Checkpoints } from './checkpoints.tsx';
import { EventFeed } from './event-feed.tsx';
import { PartialResult } from './partial-result.tsx';
import { Plan } from './plan.tsx';
import { ResumeRun } from './resume-run.tsx';
import { RunActs, Stopped } from './run-acts.tsx';
import { RunStats } from './run-stats.tsx';
import type { RunView } from './run-view.ts';
import { headline, runLook } from './run-words.ts';
import { type RunStatus, runQuery } from './runs-queries.ts';
import { translateServerText } from './server-words.ts';
import { Timeline } from './timeline.tsx';
import { type Connection, useRunEvents } from './use-run-events.ts';
import { Waiting } from './waiting.tsx';

function Where({ id, status, connection }: { id: string; status?: string; connection?: Connection }) {
  const look = status ? runLook(status) : null;
  return (
    <Group component="span" gap="xs" mt={4}>
      {look && (
        <Badge color={look.color} role="status">
          {look.label}
        </Badge>
      )}
      {status === 'running' && connection === 'lost' && (
        <Badge color="orange" role="status">
          {t('Reconnecting…')}
        </Badge>
      )}
      <BackLink to="/runs">{t('All runs')}</BackLink>
      <AnchorLink to="/sessions/$id" params={{ id }} size="sm" underline="always">
        {t('Session')}
      </AnchorLink>
      <CopyButton value={id} label={t('Copy session id')} />
    </Group>
  );
}

function Result({ text }: { text: string }) {
  return (
    <Section title={t('Result')} actions={<CopyButton value={text} label={t('Copy result')} />}>
      <Markdown>{text}</Markdown>
    </Section>
  );
}

function Shortfalls({ texts }: { texts: string[] }) {
  return (
    <Section title={t('Not achieved')}>
      <Stack component="ul" gap={4} m={0} pl="lg">
        {texts.map((text) => (
          <Text key={text} component="li" size="sm">
            {translateServerText(text)}
          </Text>
        ))}
      </Stack>
    </Section>
  );
}

/** Refetches the status when events change it, and follows a run that was resumed elsewhere. */
function useRun(id: string): {
  query: ReturnType<typeof useStatus>;
  view: RunView;
  connection: Connection;
  follow: () => void;
} {
  const query = useStatus(id);
  const { view, connection, follow } = useRunEvents(id, stillThere(query) !== undefined);
  const { refetch, dataUpdatedAt } = query;
  const endedAt = useRef(0);
  useEffect(() => {
    if (view.status) void refetch();
  }, [view.status, refetch]);
  useEffect(() => {
    if (connection !== 'ended') return;
    endedAt.current = Date.now();
  }, [connection]);
  const running = query.data?.status === 'running';
  useEffect(() => {
    if (running && connection === 'ended' && dataUpdatedAt > endedAt.current) follow();
  }, [running, connection, dataUpdatedAt, follow]);
  return { query, view, connection, follow };
}

const useStatus = (id: string) => useQuery(runQuery(id));

interface BodyProps {
  run: RunStatus;
  view: RunView;
  onResume: (checkpointId: string) => void;
}

function Body({ run, view, onResume }: BodyProps) {
  const canResume = run.status !== 'running' && run.status !== 'completed';
  const checkpoints = view.log.filter(({ event }) => event === 'checkpoint_created').length;
  return (
    <>
      {run.result && <Result text={run.result} />}
      <PartialResult run={run} />
      {run.shortfalls.length > 0 && <Shortfalls texts={run.shortfalls} />}
      <Plan run={run} view={view} />
      <Timeline run={run} />
      <div className="svc-run-foot">
        <Section title={t('Events')}>
          <EventFeed lines={view.log} />
        </Section>
        <Section title={t('Checkpoints')}>
          <Checkpoints
            sessionId={run.session_id}
            count={Math.max(checkpoints, run.checkpoints_created)}
            onResume={canResume ? onResume : undefined}
          />
        </Section>
      </div>
    </>
  );
}

export function RunPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { query, view, connection, follow } = useRun(id);
  const [resuming, setResuming] = useState<{ checkpointId?: string } | null>(null);
  const run = stillThere(query);
  if (!run)
    return (
      <LoadingPage
        title={t('Run')}
        description={<Where id={id} />}
        query={query}
        failure={t('The run could not be opened')}
        heights={[96, 320]}
      />
    );
  const title = headline(run.goal);
  return (
    <>
      <PageHeader
        title={title}
        description={<Where id={id} status={run.status} connection={connection} />}
        actions={<RunActs run={run} onResume={() => setResuming({})} />}
      />
      <Stack gap="lg">
        {title !== run.goal.trim() && (
          <div>
            <Spoiler maxHeight={66} showLabel={t('Whole goal')} hideLabel={t('Less')} transitionDuration={0}>
              <Text size="sm" className="svc-plain">
                {run.goal}
              </Text>
            </Spoiler>
          </div>
        )}
        <Stopped run={run} />
        <Waiting run={run} onAnswered={follow} />
        <RunStats run={run} view={view} />
        <Body run={run} view={view} onResume={(checkpointId) => setResuming({ checkpointId })} />
      </Stack>
      {resuming && <ResumeRun run={run} {...resuming} onClose={() => setResuming(null)} onResumed={follow} />}
    </>
  );
}
