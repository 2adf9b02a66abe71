import { Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Section } from '../../components/section.tsx';
import { rich, t } from '../../language/words.ts';
import { agentSnippets } from './agent-snippets.ts';
import type { Connections } from './tools-queries.ts';

const all = { value: '', label: t('All tools') };

/** The MCP addresses for agents, with the configuration for each agent. */
export function AgentSection({ connections }: { connections: Connections }) {
  const [chosen, setChosen] = useState('');
  const { servers, address, api_keys: withKey } = connections;
  const enabled = servers.filter((server) => server.enabled);
  const server = enabled.find(({ name }) => name === chosen);
  const place = server ?? { name: 'svc-tools', address };
  return (
    <Section
      title={t('Use tools from an agent')}
      description={t(
        'Works with any client that supports MCP over Streamable HTTP. Clients can list and call only what you can use.',
      )}
    >
      <Stack>
        <Select
          label={t('Tools')}
          data={[all, ...enabled.map(({ name }) => ({ value: name, label: name }))]}
          value={server?.name ?? ''}
          onChange={(name) => setChosen(name ?? '')}
          allowDeselect={false}
          searchable
          maw={320}
        />
        <CopyField label={t('Address')} value={place.address} />
        <CodeBlock snippets={agentSnippets({ ...place, withKey })} />
        <Text size="sm" c="dimmed">
          {withKey
            ? rich(
                'Use one of your <keys>keys</keys>, or omit it: clients that support browser sign-in use that instead.',
                {
                  keys: (text) => (
                    <AnchorLink to="/keys" underline="always">
                      {text}
                    </AnchorLink>
                  ),
                },
              )
            : t('Keys are not accepted here. The client opens a browser, where you choose what it can use.')}
        </Text>
      </Stack>
    </Section>
  );
}
