import { Alert, Button, Group } from '@mantine/core';
import { IconInfoCircle, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { post } from '../../api.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { adviceOf, isPaused, reasonWords, runLook } from './run-words.ts';
import { type RunStatus, reloadRuns } from './runs-queries.ts';
import { translateServerText } from './server-words.ts';

const waits = ({ status }: RunStatus): boolean => status.startsWith('waiting_for_');

const cancelWords: Record<string, string> = {
  cancelled: t('Run cancelled'),
  completed: t('The run has already completed'),
  failed: t('The run has already failed'),
};

/** Offers Cancel while the run is running or waiting, and Resume while it can be resumed. */
export function RunActs({ run, onResume }: { run: RunStatus; onResume: () => void }) {
  const cancel = useAct({
    mutationFn: () => post('/api/svc-ms/autonomous/cancel', { body: { session_id: run.session_id } }),
    onSuccess: ({ status }) => notifySuccess(cancelWords[status] ?? t('The run is already {status}', { status })),
    onError: notifyError,
    onSettled: reloadRuns,
  });
  const stop = (
    <Button
      color="red"
      variant="light"
      loading={cancel.isPending}
      leftSection={<IconPlayerStop size={16} stroke={1.7} aria-hidden />}
      onClick={() => cancel.mutate()}
    >
      {t('Cancel run')}
    </Button>
  );
  if (run.status === 'running') return stop;
  if (run.status === 'completed') return null;
  if (waits(run) || run.status === 'paused') {
    return (
      <Group gap="sm">
        {stop}
        <Button variant={waits(run) ? 'default' : 'filled'} onClick={onResume}>
          {waits(run) ? t('Adjust run') : t('Resume')}
        </Button>
      </Group>
    );
  }
  return (
    <Button leftSection={<IconPlayerPlay size={16} stroke={1.7} aria-hidden />} onClick={onResume}>
      {t('Resume')}
    </Button>
  );
}

/** Why the run stopped, and what is needed to continue it. */
export function Stopped({ run }: { run: RunStatus }) {
  if (run.status === 'failed')
    return (
      <ErrorState
        error={new Error(run.error ? translateServerText(run.error) : t('Unknown'))}
        title={t('The run failed')}
      />
    );
  // Pending approvals and tool calls are shown in a section of their own.
  if (waits(run) && run.pending_approvals.length + run.pending_tool_calls.length > 0) return null;
  if (isPaused(run.status)) {
    return (
      <Alert
        color="orange"
        variant="light"
        icon={<IconInfoCircle aria-hidden />}
        title={runLook(run.status).label}
        role="status"
      >
        {t('The run stopped because {reason}. {advice}', {
          reason: reasonWords(run.reason),
          advice: adviceOf(run.reason),
        })}
      </Alert>
    );
  }
  if (run.status !== 'cancelled') return null;
  return (
    <Alert color="gray" variant="light" icon={<IconInfoCircle aria-hidden />} title={t('Cancelled')} role="status">
      {run.reason && run.reason !== 'cancelled'
        ? t('{reason}. Completed work is kept; you can resume from a checkpoint.', {
            reason: translateServerText(run.reason),
          })
        : t('Completed work is kept; you can resume from a checkpoint.')}
    </Alert>
  );
}
