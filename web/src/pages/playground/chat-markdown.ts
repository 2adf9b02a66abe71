import { t } from '../../language/words.ts';
import type { Content } from './chat-content.ts';

type KeptEntry = Content['entries'][number];

const pictures = (count: number): string => t('{count, plural, one {# image} other {# images}}', { count });

/** The author and text of an entry. A failed answer contains its error, and tool calls are written out. */
function sectionOf(entry: KeptEntry): [who: string, what: string] {
  if (entry.role === 'tool') return [t('Result of {name}', { name: entry.name }), entry.content];
  if (entry.role === 'assistant') {
    const calls = entry.tool_calls.map(({ name, arguments: given }) => `\`${name}(${given})\``);
    return [entry.model, [entry.content, ...calls, entry.error?.message].filter(Boolean).join('\n\n')];
  }
  const count = (entry.images?.length ?? 0) + (entry.images_left_out ?? 0);
  return [t('You'), [entry.content, count > 0 && `*${pictures(count)}*`].filter(Boolean).join('\n\n')];
}

/** Exports a chat as text for people and other programs. Models already write Markdown. */
export const markdownOf = (name: string, { entries }: Content): string =>
  [`# ${name}`, ...entries.map(sectionOf).map(([who, what]) => `## ${who}\n\n${what || '–'}`)]
    .join('\n\n')
    .concat('\n');

/** A file name that is valid on every operating system. */
export const fileNameOf = (name: string): string =>
  `${
    name
      .replace(/[\s\\/:*?"<>|\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, 80)
      .trim() || 'chat'
  }.md`;
