import { Alert, NumberInput, Progress, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { put, type Result } from '../../api.ts';
import { changedFields } from '../../changed-fields.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { StrategyChoice } from '../../components/strategy-choice.tsx';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { explainWeights, scoreBy, totalOf, type Weights } from './scores.ts';
import { useMeasured } from './use-measured.ts';

export type RoutingConfig = Result<'/api/routing/configs/{model_id}', 'get'>;

const weightFields = [
  { name: 'success_rate_weight', label: t('Success') },
  { name: 'latency_weight', label: t('Latency') },
  { name: 'price_weight', label: t('Price') },
  { name: 'provider_priority_weight', label: t('Priority') },
] as const;

const weightsOf = (config: RoutingConfig): Weights => ({
  latency: config.latency_weight,
  success: config.success_rate_weight,
  price: config.price_weight,
  priority: config.provider_priority_weight,
});

/** The current ranking of this model's providers under the given configuration. */
function Preview({ config }: { config: RoutingConfig }) {
  const strategy = config.default_strategy ?? 'balanced';
  const weights = weightsOf(config);
  const candidates = useMeasured(config.canonical_model_id);
  if (candidates.length === 0 || strategy === 'round_robin') return null;
  const ranked = candidates
    .map((candidate) => ({ ...candidate, score: scoreBy(strategy, candidate, weights) }))
    .sort((a, b) => b.score - a.score);
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t('Ranking with current data')}
      </Text>
      <Table verticalSpacing={6}>
        <Table.Tbody>
          {ranked.map(({ key, provider, channel, score }) => (
            <Table.Tr key={key}>
              <Table.Td>
                <Text size="sm">{provider}</Text>
                <Text size="xs" c="dimmed">
                  {channel}
                </Text>
              </Table.Td>
              <Table.Td w="50%">
                <Progress value={score * 100} aria-label={t('Score of {provider}', { provider })} />
              </Table.Td>
              <Table.Td ta="right" className="svc-number">
                {score.toFixed(3)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

interface ConfigFormProps {
  saved: RoutingConfig;
  onClose: () => void;
}

/** Strategy and weights of one model, with an explanation. */
export function ConfigForm({ saved, onClose }: ConfigFormProps) {
  const [config, setConfig] = useState(saved);
  const set = (changes: Partial<RoutingConfig>) => setConfig((before) => ({ ...before, ...changes }));
  const weights = weightsOf(config);
  const valid = totalOf(weights) > 0;
  const save = useAct({
    mutationFn: () => {
      const { canonical_model_id: _, configured: __, ...body } = changedFields(saved, config);
      return put('/api/routing/configs/{model_id}', { path: { model_id: saved.canonical_model_id }, body });
    },
    onSuccess: async () => {
      notifySuccess(t('Routing saved'));
      onClose();
      await queryClient.invalidateQueries({ queryKey: ['routing-configs'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (valid) save.mutate();
  };
  return (
    <Dialog opened onClose={onClose} title={t('Routing of {model}', { model: saved.canonical_model_id })} size="lg">
      <form onSubmit={submit}>
        <Stack gap="lg">
          <StrategyChoice
            value={config.default_strategy}
            onChange={(default_strategy) => set({ default_strategy })}
            noneLabel={t('Not set')}
            noneHint={t('Balanced, unless the user or the request specifies another strategy')}
          />
          <Stack gap="xs">
            <SimpleGrid cols={{ base: 2, sm: 4 }}>
              {weightFields.map(({ name, label }) => (
                <NumberInput
                  key={name}
                  label={label}
                  min={0}
                  step={0.1}
                  decimalScale={3}
                  value={config[name]}
                  onChange={(value) => set({ [name]: Number(value) || 0 })}
                />
              ))}
            </SimpleGrid>
            <Alert color={valid ? 'indigo' : 'red'} variant="light" role="status">
              {config.default_strategy === null || config.default_strategy === 'balanced'
                ? explainWeights(weights)
                : t('{explanation} Weights apply only when the balanced strategy is used.', {
                    explanation: explainWeights(weights),
                  })}
            </Alert>
          </Stack>
          {valid && <Preview config={config} />}
          <FormFoot
            act={save}
            failure={t('The routing was not saved')}
            submitLabel={t('Save')}
            onCancel={onClose}
            disabled={!valid}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
