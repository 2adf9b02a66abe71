import { lazy, Suspense } from 'react';

// The parser and the highlighter are larger than the rest of a page, so they are loaded with the first text.
const Body = lazy(() => import('./markdown-body.tsx').then(({ MarkdownBody }) => ({ default: MarkdownBody })));

/** Text from models and users. It is rendered as elements; HTML in it is never interpreted. */
export function Markdown({ children }: { children: string }) {
  return (
    <Suspense fallback={<div className="svc-plain">{children}</div>}>
      <Body>{children}</Body>
    </Suspense>
  );
}
