import { Radio, Stack } from '@mantine/core';

/** The four ways of choosing, in words. */
export const strategies = [
  { value: 'balanced', label: 'Balanced', hint: 'Success, speed and price together, by the model’s weights' },
  { value: 'performance', label: 'Performance', hint: 'Reliable and fast first; price counts nothing' },
  { value: 'cost', label: 'Cost', hint: 'Cheap first, as long as it answers' },
  { value: 'round_robin', label: 'Round robin', hint: 'Each provider in turn' },
] as const;

export type Strategy = (typeof strategies)[number]['value'];

export const strategyName = (strategy: string): string =>
  strategies.find(({ value }) => value === strategy)?.label ?? strategy;

interface StrategyChoiceProps {
  value: Strategy | null;
  onChange: (strategy: Strategy | null) => void;
  /** What no choice means here. */
  noneLabel: string;
  noneHint: string;
}

const none = 'none';

export function StrategyChoice({ value, onChange, noneLabel, noneHint }: StrategyChoiceProps) {
  return (
    <Radio.Group
      label="Strategy"
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
