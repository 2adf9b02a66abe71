import { Badge, Group, Text } from '@mantine/core';
import {
  IconBraces,
  IconBrain,
  IconDatabase,
  IconEye,
  IconTool,
  IconVolume,
  type TablerIcon,
} from '@tabler/icons-react';
import { t } from '../language/words.ts';
import {
  type Capability,
  capabilityNames,
  modelHealth,
  type Providers,
  priceWords,
  tokenWords,
} from '../model-facts.ts';
import type { OfferedModel } from '../models.ts';

const icons: Record<Capability, TablerIcon> = {
  tools: IconTool,
  structured_outputs: IconBraces,
  vision: IconEye,
  audio: IconVolume,
  reasoning: IconBrain,
  caching: IconDatabase,
};

/** A model's capabilities as icons; their names are shown on hover and read out by screen readers. */
export function CapabilityMarks({ of }: { of: readonly Capability[] }) {
  return (
    <span className="svc-marks">
      {of.map((capability) => {
        const Icon = icons[capability];
        const name = capabilityNames[capability];
        return (
          <span key={capability} role="img" aria-label={name} title={name}>
            <Icon size={15} stroke={1.7} aria-hidden />
          </span>
        );
      })}
    </span>
  );
}

export function CapabilityBadges({ of }: { of: readonly Capability[] }) {
  return (
    <Group gap={6}>
      {of.map((capability) => {
        const Icon = icons[capability];
        return (
          <Badge key={capability} color="gray" leftSection={<Icon size={13} stroke={1.8} aria-hidden />}>
            {capabilityNames[capability]}
          </Badge>
        );
      })}
    </Group>
  );
}

interface ModelHealthProps {
  model: Pick<OfferedModel, 'health'> & Partial<OfferedModel>;
  /** Health of providers, for models without requests of their own. */
  known?: Providers;
}

export function ModelHealth({ model, known }: ModelHealthProps) {
  const health = modelHealth(model, known);
  return health ? <Badge color={health.color}>{health.label}</Badge> : <Text size="sm">–</Text>;
}

/** A compact indicator for list lines; problems are spelled out. */
function HealthDot({ model }: { model: OfferedModel }) {
  const health = modelHealth(model);
  if (!health) return null;
  const quiet = health.color === 'teal' || health.color === 'gray';
  return (
    <span className="svc-health-dot" data-color={health.color} title={health.label}>
      <span className={quiet ? 'svc-hidden' : undefined}>{health.label}</span>
    </span>
  );
}

/** A model in a select list: its name, and the facts that help to choose. */
export function ModelLine({ id, model }: { id: string; model: OfferedModel | undefined }) {
  return (
    <span className="svc-model-line">
      <span className="svc-model-name">
        <bdi>{id}</bdi>
        {model && model.name !== id && (
          <Text span size="xs" c="dimmed">
            {' '}
            <bdi>{model.name}</bdi>
          </Text>
        )}
      </span>
      {model && (
        <span className="svc-model-facts">
          <span>{` ${priceWords(model)}`}</span>
          {model.context_length !== null && (
            <span>{t('{length} context', { length: tokenWords(model.context_length) })}</span>
          )}
          <CapabilityMarks of={model.capabilities} />
          <HealthDot model={model} />
        </span>
      )}
    </span>
  );
}
