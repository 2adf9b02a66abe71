import { Select, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { formatDateTime } from '../../format.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { ConfigFields } from './config-fields.tsx';
import { bodyOf, type DraftTask, draftsOf, faultOf, isChanged } from './plan-draft.ts';
import { PlanEditor } from './plan-editor.tsx';
import {
  type ConfigFaults,
  changesOf,
  defaultConfig,
  type ConfigFields as Fields,
  faultsOf,
  numberFields,
} from './run-config.ts';
import { RunLimitFields } from './run-limit-fields.tsx';
import { type RunLimitFaults, runLimitChanges, runLimitFaults, runLimitsOf } from './run-limits.ts';
import { checkpointsQuery, type RunStatus, reloadRuns } from './runs-queries.ts';

interface ResumeRunProps {
  run: RunStatus;
  /** The preselected checkpoint; by default the latest. */
  checkpointId?: string;
  onClose: () => void;
  onResumed: () => void;
}

export function ResumeRun({ run, checkpointId, onClose, onResumed }: ResumeRunProps) {
  const checkpoints = useQuery(checkpointsQuery(run.session_id));
  const list = checkpoints.data?.checkpoints ?? [];
  const [chosen, setChosen] = useState(checkpointId);
  const from = chosen ?? list.at(-1)?.checkpoint_id ?? null;
  const [before] = useState<Fields>(() => ({ ...defaultConfig, ...run.config }));
  const [config, setConfig] = useState(before);
  const [limitsBefore] = useState(() => runLimitsOf(run));
  const [limits, setLimits] = useState(limitsBefore);
  const [instructions, setInstructions] = useState('');
  const [tasks, setTasks] = useState<DraftTask[]>(() => draftsOf(run.plan.tasks));
  const [faults, setFaults] = useState<ConfigFaults & RunLimitFaults & { plan?: string }>({});
  const planChanged = isChanged(run.plan.tasks, tasks);
  const post = usePost();
  const resume = useAct({
    mutationFn: (checkpoint_id: string) =>
      post('/api/svc-ms/autonomous/resume', {
        body: {
          checkpoint_id,
          session_id: run.session_id,
          config_overrides: changesOf(before, config),
          ...runLimitChanges(limitsBefore, limits),
          ...(instructions.trim() && { instructions: instructions.trim() }),
          ...(planChanged && { plan: { tasks: bodyOf(tasks) } }),
        },
      }),
    onSuccess: async () => {
      notifySuccess(t('Run resumed'));
      onClose();
      onResumed();
      await reloadRuns();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const planFault = planChanged ? faultOf(tasks) : null;
    const found = { ...faultsOf(config), ...runLimitFaults(limits), ...(planFault && { plan: planFault }) };
    setFaults(found);
    if (from && Object.keys(found).length === 0) resume.mutate(from);
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t('Resume the run')}
      size="lg"
      onSubmit={submit}
      noValidate
      act={resume}
      failure={t('The run was not resumed')}
      submitLabel={t('Resume run')}
      disabled={!from}
    >
      <Select
        label={t('Checkpoint')}
        description={t('Work completed by then is not repeated')}
        data={list.toReversed().map(({ checkpoint_id, iteration, created_at }) => ({
          value: checkpoint_id,
          label: t('Iteration {iteration}, {when} · {checkpoint}', {
            iteration,
            when: formatDateTime(created_at),
            checkpoint: checkpoint_id,
          }),
        }))}
        allowDeselect={false}
        value={from}
        onChange={(id) => setChosen(id ?? undefined)}
      />
      <Textarea
        label={t('Instructions')}
        description={t('Applies to everything from here on and takes precedence over the goal')}
        placeholder={t('Use metric units. Leave out the appendix.')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={20_000}
        data-autofocus
        value={instructions}
        onChange={(event) => setInstructions(event.currentTarget.value)}
      />
      <RunLimitFields value={limits} faults={faults} onChange={setLimits} />
      {run.plan.tasks.length > 0 && (
        <details className="svc-more" open={faults.plan ? true : undefined}>
          <summary>{t('Edit the plan')}</summary>
          <PlanEditor tasks={tasks} onChange={setTasks} />
        </details>
      )}
      {faults.plan && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {faults.plan}
        </Text>
      )}
      <details className="svc-more" open={numberFields.some(({ name }) => faults[name]) || undefined}>
        <summary>{t('Limits and behaviour')}</summary>
        <Stack mt="sm">
          <ConfigFields value={config} faults={faults} onChange={(changes) => setConfig({ ...config, ...changes })} />
        </Stack>
      </details>
      {checkpoints.error && !checkpoints.data && (
        <ErrorState
          error={checkpoints.error}
          title={t('Checkpoints could not be loaded')}
          onRetry={() => checkpoints.refetch()}
        />
      )}
    </FormDialog>
  );
}
