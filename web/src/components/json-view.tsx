import { Box } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';

interface JsonViewProps {
  value: unknown;
  label: string;
  maxHeight?: number;
}

export function JsonView({ value, label, maxHeight = 400 }: JsonViewProps) {
  const text = JSON.stringify(value, null, 2) ?? 'undefined';
  return (
    <Box pos="relative">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would lose the preformatted text */}
      <pre className="svc-code" style={{ maxHeight }} tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <Box className="svc-code-copy">
        <CopyButton value={text} label={`Copy ${label}`} />
      </Box>
    </Box>
  );
}
