import { Stack, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { FormDialog } from '../../components/form-dialog.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { ConfigFields } from './config-fields.tsx';
import { type ConfigFaults, changesOf, defaultConfig, type ConfigFields as Fields, faultsOf } from './run-config.ts';
import { RunLimitFields } from './run-limit-fields.tsx';
import { defaultRunLimits, type RunLimitFaults, runLimitChanges, runLimitFaults } from './run-limits.ts';
import { reloadRuns } from './runs-queries.ts';
import { ToolChoice } from './tool-choice.tsx';

const sessionPattern = /^[A-Za-z0-9_.:-]{0,128}$/;

type Faults = ConfigFaults & RunLimitFaults & { goal?: string; session?: string };

export function StartRun({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [goal, setGoal] = useState('');
  const [session, setSession] = useState('');
  const [config, setConfig] = useState<Fields>(defaultConfig);
  const [tools, setTools] = useState<string[]>([]);
  const [limits, setLimits] = useState(defaultRunLimits);
  const [faults, setFaults] = useState<Faults>({});
  const post = usePost();
  const start = useAct({
    mutationFn: () =>
      post('/api/svc-ms/autonomous/execute', {
        body: {
          message: goal.trim(),
          ...(session && { session_id: session }),
          config: { ...changesOf(defaultConfig, config), ...(tools.length > 0 && { connected_tools: tools }) },
          ...runLimitChanges(defaultRunLimits, limits),
        },
      }),
    onSuccess: async ({ session_id }) => {
      await navigate({ to: '/runs/$id', params: { id: session_id } });
      await reloadRuns();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found: Faults = {
      ...faultsOf(config),
      ...runLimitFaults(limits),
      ...(goal.trim() === '' && { goal: t('Enter a goal.') }),
      ...(!sessionPattern.test(session) && { session: t('Use letters, digits and _ . : - only.') }),
    };
    setFaults(found);
    if (Object.keys(found).length === 0) start.mutate();
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t('Start a run')}
      size="lg"
      onSubmit={submit}
      noValidate
      act={start}
      failure={t('The run was not started')}
      submitLabel={t('Start run')}
    >
      <Textarea
        label={t('Goal')}
        description={t('The expected result, and how to tell that it is good')}
        placeholder={t(
          'Compare three embedded databases for a small team, and write a recommendation with a migration plan.',
        )}
        required
        autosize
        minRows={4}
        maxRows={14}
        maxLength={200_000}
        data-autofocus
        value={goal}
        onChange={(event) => setGoal(event.currentTarget.value)}
        error={faults.goal}
      />
      <ToolChoice value={tools} onChange={setTools} />
      <RunLimitFields value={limits} faults={faults} onChange={setLimits} />
      <details
        className="svc-more"
        open={Object.keys(faults).some((name) => name !== 'goal' && name !== 'maxCost') || undefined}
      >
        <summary>{t('Limits and behaviour')}</summary>
        <Stack mt="sm">
          <TextInput
            label={t('Session')}
            description={t('Leave empty for a new session; an existing session brings its memory')}
            placeholder="ms-…"
            value={session}
            onChange={(event) => setSession(event.currentTarget.value.trim())}
            error={faults.session}
          />
          <ConfigFields value={config} faults={faults} onChange={(changes) => setConfig({ ...config, ...changes })} />
        </Stack>
      </details>
    </FormDialog>
  );
}
