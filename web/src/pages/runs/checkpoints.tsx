import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { rich, t } from '../../language/words.ts';
import { checkpointsQuery } from './runs-queries.ts';

interface CheckpointsProps {
  sessionId: string;
  /** Number of checkpoints so far; the list is reloaded when it changes. */
  count: number;
  /** Absent while the run cannot be resumed. */
  onResume?: (checkpointId: string) => void;
}

/** The checkpoints from which the run can be resumed, latest first. */
export function Checkpoints({ sessionId, count, onResume }: CheckpointsProps) {
  const query = useQuery(checkpointsQuery(sessionId));
  const { refetch } = query;
  useEffect(() => {
    if (count > 0) void refetch();
  }, [count, refetch]);
  if (query.error && !query.data) {
    return <ErrorState error={query.error} title={t('Checkpoints could not be loaded')} onRetry={() => refetch()} />;
  }
  const list = query.data?.checkpoints ?? [];
  if (list.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {query.isPending ? t('Loading…') : t('No checkpoints yet. One is always written when the run stops.')}
      </Text>
    );
  }
  return (
    <Stack component="ol" gap="xs" className="svc-plain-list svc-checkpoints">
      {list.toReversed().map(({ checkpoint_id, iteration, created_at }) => (
        <Group key={checkpoint_id} component="li" justify="space-between" wrap="nowrap" gap="xs">
          <div>
            <Text size="sm">
              {rich('Iteration {iteration} · {when}', { iteration, when: <TimeAgo at={created_at} /> })}
            </Text>
            <Group gap={2} wrap="nowrap">
              <Text size="xs" c="dimmed" ff="monospace">
                {checkpoint_id.slice(0, 16)}…
              </Text>
              <CopyButton value={checkpoint_id} label={t('Copy checkpoint id')} />
            </Group>
          </div>
          {onResume && (
            <Button
              size="xs"
              variant="default"
              aria-label={t('Resume from {checkpoint}', { checkpoint: checkpoint_id })}
              onClick={() => onResume(checkpoint_id)}
            >
              {t('Resume')}
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  );
}
