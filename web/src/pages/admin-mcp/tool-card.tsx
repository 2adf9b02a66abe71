import { Badge, Card, Checkbox, Group, Stack, Switch, Text } from '@mantine/core';
import { Code } from '../../components/code-block.tsx';
import { DollarInput } from '../../components/dollar-input.tsx';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { Difference } from './difference-view.tsx';
import type { McpTool } from './mcp-servers.ts';
import type { Choice } from './tool-choices.ts';

const states: Record<McpTool['state'], { label: string; color: string }> = {
  new: { label: t('New'), color: 'indigo' },
  approved: { label: t('Approved'), color: 'teal' },
  changed: { label: t('Changed'), color: 'orange' },
  missing: { label: t('No longer listed'), color: 'gray' },
};

/** The server's text, complete and unformatted: models read all of it, so the reviewer must see all of it. */
function Said({ label, description, schema }: { label: string; description: string; schema: McpTool['input_schema'] }) {
  return (
    <Stack gap={6}>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {description || t('No description.')}
      </Text>
      <details>
        <Text component="summary" size="xs" c="dimmed" style={{ cursor: 'pointer' }}>
          {t('Arguments')}
        </Text>
        <Code
          label={t('Arguments of {tool}', { tool: label })}
          code={JSON.stringify(schema, null, 2)}
          maxHeight={240}
        />
      </details>
    </Stack>
  );
}

interface ToolCardProps {
  tool: McpTool;
  choice: Choice;
  /** Whether calls of this tool can have a price. */
  priced: boolean;
  /** Validation error of the price. */
  fault?: string | undefined;
  set: (change: Partial<Choice>) => void;
}

export function ToolCard({ tool, choice, priced, fault, set }: ToolCardProps) {
  const { name, offered_as, state, problem } = tool;
  return (
    <Card withBorder padding="sm" component="article" aria-label={name}>
      <Stack gap="sm">
        <Group gap="xs" justify="space-between" align="flex-start">
          <Stack gap={0} style={{ minWidth: 0, flex: 1 }}>
            <Text size="sm" fw={600} ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {offered_as}
            </Text>
          </Stack>
          <Badge color={states[state].color}>{states[state].label}</Badge>
        </Group>
        <Said label={name} description={tool.description} schema={tool.input_schema} />
        {state === 'changed' && <Difference tool={tool} />}
        {problem ? (
          <Text size="sm" c="var(--mantine-color-error)">
            {t('Cannot be offered: {problem}.', { problem: serverText(problem) })}
          </Text>
        ) : (
          <Group gap="lg">
            <Switch
              label={t('Allowed')}
              aria-label={t('{name} allowed', { name })}
              checked={choice.allowed}
              onChange={(event) => set({ allowed: event.currentTarget.checked })}
            />
            <Switch
              label={t('Ask first')}
              aria-label={t('{name} requires approval', { name })}
              disabled={!choice.allowed}
              checked={choice.allowed && choice.askFirst}
              onChange={(event) => set({ askFirst: event.currentTarget.checked })}
            />
            {state === 'changed' && choice.allowed && (
              <Checkbox
                label={t('Approve change')}
                aria-label={t('Approve change to {name}', { name })}
                checked={choice.approve}
                onChange={(event) => set({ approve: event.currentTarget.checked })}
              />
            )}
          </Group>
        )}
        {!problem && priced && choice.allowed && (
          <DollarInput
            label={t('Price per call')}
            aria-label={t('Price per call of {name}', { name })}
            description={t('Charged to the caller when the tool returns a result')}
            clampBehavior="none"
            maw={260}
            value={choice.usd}
            error={fault}
            onChange={(usd) => set({ usd })}
          />
        )}
      </Stack>
    </Card>
  );
}
