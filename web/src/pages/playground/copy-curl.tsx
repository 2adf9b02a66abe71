import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconTerminal2 } from '@tabler/icons-react';
import { curlOf } from './settings.ts';

/** The request behind an answer, ready for a terminal. */
export function CopyCurl({ request }: { request: Record<string, unknown> }) {
  return (
    <CopyButton value={curlOf(window.location.origin, request)} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy as curl'}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            size="sm"
            onClick={copy}
            aria-label={copied ? 'Copied' : 'Copy as curl'}
          >
            {copied ? <IconCheck size={15} aria-hidden /> : <IconTerminal2 size={15} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
