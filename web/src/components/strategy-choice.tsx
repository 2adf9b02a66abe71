import { Radio, Stack } from '@mantine/core';
import { t } from '../language/words.ts';

/** The four selection strategies with their descriptions. */
export const strategies = [
  { value: 'balanced', label: t('Balanced'), hint: t('Combines success rate, speed and price by the model’s weights') },
  { value: 'performance', label: t('Performance'), hint: t('Most reliable and fastest first; price is ignored') },
  { value: 'cost', label: t('Cost##strategy'), hint: t('Cheapest first, as long as it responds') },
  { value: 'round_robin', label: t('Round robin'), hint: t('Each provider in turn') },
] as const;

export type Strategy = (typeof strategies)[number]['value'];

export const strategyName = (strategy: string): string =>
  strategies.find(({ value }) => value === strategy)?.label ?? strategy;

interface StrategyChoiceProps {
  value: Strategy | null;
  onChange: (strategy: Strategy | null) => void;
  /** What an empty choice means here. */
  noneLabel: string;
  noneHint: string;
}

const none = 'none';

export function StrategyChoice({ value, onChange, noneLabel, noneHint }: StrategyChoiceProps) {
  return (
    <Radio.Group
      label={t('Strategy')}
      value={value ?? none}
      onChange={(chosen) => onChange(chosen === none ? null : (chosen as Strategy))}
    >
      <Stack gap="xs" mt="xs">
        <Radio value={none} label={noneLabel} description={noneHint} />
        {strategies.map(({ value: name, label, hint }) => (
          <Radio key={name} value={name} label={label} description={hint} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
