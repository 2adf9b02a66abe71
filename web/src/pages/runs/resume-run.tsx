import { Modal, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { formatDateTime } from '../../format.ts';
import { usePost } from '../../once.ts';
import { useAct } from '../../use-act.ts';
import { ConfigFields } from './config-fields.tsx';
import { type ConfigFaults, changesOf, defaultConfig, type ConfigFields as Fields, faultsOf } from './run-config.ts';
import { checkpointsQuery, type RunStatus, reloadRuns } from './runs-queries.ts';

interface ResumeRunProps {
  run: RunStatus;
  /** Chosen beforehand; else the latest. */
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
  const [faults, setFaults] = useState<ConfigFaults>({});
  const post = usePost();
  const resume = useAct({
    mutationFn: (checkpoint_id: string) =>
      post('/api/svc-ms/autonomous/resume', {
        body: { checkpoint_id, session_id: run.session_id, config_overrides: changesOf(before, config) },
      }),
    onSuccess: async () => {
      notifySuccess('The run goes on');
      onClose();
      onResumed();
      await reloadRuns();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(config);
    setFaults(found);
    if (from && Object.keys(found).length === 0) resume.mutate(from);
  };
  return (
    <Modal opened onClose={onClose} title="Resume the run" size="lg">
      <form onSubmit={submit} noValidate>
        <Stack>
          <Select
            label="Checkpoint"
            description="What was finished by then is not done again"
            data={list.toReversed().map(({ checkpoint_id, iteration, created_at }) => ({
              value: checkpoint_id,
              label: `Iteration ${iteration}, ${formatDateTime(created_at)} · ${checkpoint_id}`,
            }))}
            allowDeselect={false}
            value={from}
            onChange={(id) => setChosen(id ?? undefined)}
          />
          <ConfigFields value={config} faults={faults} onChange={(changes) => setConfig({ ...config, ...changes })} />
          {checkpoints.error && <ErrorState error={checkpoints.error} title="Checkpoints could not be loaded" />}
          <FormFoot
            act={resume}
            failure="The run was not resumed"
            submitLabel="Resume run"
            onCancel={onClose}
            disabled={!from}
          />
        </Stack>
      </form>
    </Modal>
  );
}
