import { Anchor, Table, Typography } from '@mantine/core';
import { memo, type ReactNode, useRef } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeHighlight from 'rehype-highlight';
import remarkGfm from 'remark-gfm';
import { t } from '../language/words.ts';
import { later } from '../later.tsx';
import { blockDirection } from './block-direction.ts';
import { CopyButton } from './copy-button.tsx';
import type { FormulaProps } from './formula.tsx';
import { markdownBlocks } from './markdown-blocks.ts';
import { remarkFormulas } from './remark-formulas.ts';

// Few answers contain formulas, and until then their source is readable.
const Formula = later<FormulaProps>(
  async () => (await import('./formula.tsx')).Formula,
  ({ source }) => <code>{source}</code>,
);

/** Reads the text at the time of the click, since the answer may still be streaming. */
function CodeOfText({ children }: { children?: ReactNode }) {
  const code = useRef<HTMLPreElement>(null);
  return (
    <div className="svc-code-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard (WCAG 2.1.1) */}
      <pre className="svc-code" tabIndex={0} dir="ltr" ref={code}>
        {children}
      </pre>
      <div className="svc-code-copy">
        <CopyButton value={() => code.current?.textContent.trimEnd() ?? ''} label={t('Copy code')} />
      </div>
    </div>
  );
}

const components: Components = {
  a: ({ href, children }) => (
    <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" inherit underline="always">
      {children}
    </Anchor>
  ),
  // An image URL can leak what a model has read to a third party, so show a link that the user must choose to open.
  img: ({ src, alt }) => (
    <Anchor href={String(src ?? '')} target="_blank" rel="noopener noreferrer nofollow" inherit underline="always">
      {alt || t('image')}
    </Anchor>
  ),
  table: ({ children }) => (
    <Table.ScrollContainer minWidth={0}>
      <Table withTableBorder withColumnBorders>
        {children}
      </Table>
    </Table.ScrollContainer>
  ),
  pre: CodeOfText,
  var: ({ node }) => {
    const { dataTex, dataDisplay, dataOpen } = node?.properties ?? {};
    const [text] = node?.children ?? [];
    const source = text?.type === 'text' ? text.value : '';
    return <Formula tex={String(dataTex)} display={Boolean(dataDisplay)} open={Boolean(dataOpen)} source={source} />;
  },
};

const remarkPlugins = [remarkFormulas, remarkGfm];
const rehypePlugins = [rehypeHighlight, blockDirection];

/** Memoised: while an answer streams in, only its last block is parsed again. */
const Block = memo(function Block({ children }: { children: string }) {
  return (
    <ReactMarkdown remarkPlugins={remarkPlugins} rehypePlugins={rehypePlugins} components={components}>
      {children}
    </ReactMarkdown>
  );
});

export function MarkdownBody({ children }: { children: string }) {
  return (
    <Typography className="svc-markdown">
      {markdownBlocks(children).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is identified by its position
        <Block key={index}>{block}</Block>
      ))}
    </Typography>
  );
}
