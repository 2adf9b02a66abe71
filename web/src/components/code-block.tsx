import { Box, Tabs } from '@mantine/core';
import { t } from '../language/words.ts';
import { CopyButton } from './copy-button.tsx';

export interface Snippet {
  label: string;
  code: string;
}

/** Code or data with a copy button. */
export function Code({ label, code, maxHeight, wrap = false }: Snippet & { maxHeight?: number; wrap?: boolean }) {
  const className = wrap ? 'svc-code svc-plain' : 'svc-code';
  return (
    <Box className="svc-code-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard (WCAG 2.1.1) */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would not keep the text preformatted */}
      <pre className={className} style={{ maxHeight }} tabIndex={0} role="region" aria-label={label}>
        {code}
      </pre>
      <Box className="svc-code-copy">
        <CopyButton value={code} label={t('Copy {label}', { label })} />
      </Box>
    </Box>
  );
}

const Example = ({ label, code }: Snippet) => <Code label={t('{label} example', { label })} code={code} />;

/** Used in an element id, which must not contain spaces. */
const idOf = ({ label }: Snippet): string => label.replaceAll(' ', '-');

/** The same example in several languages, one tab each. */
export function CodeBlock({ snippets }: { snippets: Snippet[] }) {
  const [first] = snippets;
  if (!first) return null;
  if (snippets.length === 1) return <Example {...first} />;
  return (
    <Tabs defaultValue={idOf(first)} keepMounted={false}>
      <Tabs.List mb="sm" aria-label={t('Languages and tools')}>
        {snippets.map((snippet) => (
          <Tabs.Tab key={snippet.label} value={idOf(snippet)} px={{ base: 'xs', sm: 'md' }}>
            {snippet.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map((snippet) => (
        <Tabs.Panel key={snippet.label} value={idOf(snippet)}>
          <Example {...snippet} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
