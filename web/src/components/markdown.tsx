import { lazy, Suspense } from 'react';

// The parser and the highlighter outweigh the rest of a page: fetched when the first text is shown.
const Body = lazy(() => import('./markdown-body.tsx').then(({ MarkdownBody }) => ({ default: MarkdownBody })));

/** Text of models and users, rendered without ever becoming HTML of its own. */
export function Markdown({ children }: { children: string }) {
  return (
    <Suspense fallback={<div className="svc-plain">{children}</div>}>
      <Body>{children}</Body>
    </Suspense>
  );
}
