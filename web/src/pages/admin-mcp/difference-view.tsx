import { Stack, Text } from '@mantine/core';
import { t } from '../../language/words.ts';
import { type DiffLine, linesBetween, textOf } from './difference.ts';
import type { McpTool } from './mcp-servers.ts';

const fields: Record<McpTool['changes'][number]['field'], string> = {
  description: t('Description'),
  input_schema: t('Arguments'),
  further: t('Title, hints and results'),
};
const elements = { '-': 'del', '+': 'ins', ' ': 'span' } as const;

function Line({ mark, text }: DiffLine) {
  const Element = elements[mark];
  return <Element>{`${mark} ${text}\n`}</Element>;
}

/**
 * Diff between the approved and the current definition of a tool, as plain text, so that embedded instructions are
 * visible.
 */
export function Difference({ tool }: { tool: McpTool }) {
  return tool.changes.map(({ field, before, after }) => (
    <Stack key={field} gap={4}>
      <Text size="xs" fw={600}>
        {t('{field}: changes since approval', { field: fields[field] })}
      </Text>
      {/* biome-ignore lint/a11y/useSemanticElements: a section would lose the preformatted text */}
      <pre
        className="svc-code svc-plain svc-difference"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling needs keyboard access (WCAG 2.1.1)
        tabIndex={0}
        role="region"
        aria-label={t('{field} of {tool}: changes', { field: fields[field], tool: tool.name })}
      >
        {linesBetween(textOf(before ?? ''), textOf(after ?? '')).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity of their own and are never reordered
          <Line key={index} {...line} />
        ))}
      </pre>
    </Stack>
  ));
}
