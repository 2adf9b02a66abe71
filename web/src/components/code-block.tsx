import { Box, Tabs } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';

export interface Snippet {
  label: string;
  code: string;
}

function Code({ label, code }: Snippet) {
  return (
    <Box pos="relative">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would lose the preformatted text */}
      <pre className="svc-code" tabIndex={0} role="region" aria-label={`${label} example`}>
        {code}
      </pre>
      <Box className="svc-code-copy">
        <CopyButton value={code} label={`Copy ${label} example`} />
      </Box>
    </Box>
  );
}

/** The same thing said in several languages, a tab each. */
export function CodeBlock({ snippets }: { snippets: Snippet[] }) {
  const [first] = snippets;
  if (!first) return null;
  if (snippets.length === 1) return <Code {...first} />;
  return (
    <Tabs defaultValue={first.label} keepMounted={false}>
      <Tabs.List mb="sm">
        {snippets.map(({ label }) => (
          <Tabs.Tab key={label} value={label} px={{ base: 'xs', sm: 'md' }}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map((snippet) => (
        <Tabs.Panel key={snippet.label} value={snippet.label}>
          <Code {...snippet} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
