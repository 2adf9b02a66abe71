import { later } from '../later.tsx';

/**
 * Text from models and users. It is rendered as elements; HTML in it is never interpreted. The parser and the
 * highlighter are larger than the rest of a page, so they are loaded with the first text.
 */
export const Markdown = later<{ children: string }>(
  async () => (await import('./markdown-body.tsx')).MarkdownBody,
  ({ children }) => <div className="svc-plain">{children}</div>,
);
