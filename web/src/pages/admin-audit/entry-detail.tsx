import { Code, Stack, Table, Text } from '@mantine/core';
import type { Result } from '../../api.ts';
import { Code as CodeView } from '../../components/code-block.tsx';

export type Entry = Result<'/api/admin/audit', 'get'>['logs'][number];

/** Text as it is, everything else as JSON writes it; a dash for what is not there. */
function Value({ of: value }: { of: unknown }) {
  if (value === undefined || value === '') return '–';
  return <Code className="svc-break">{typeof value === 'string' ? value : JSON.stringify(value)}</Code>;
}

function Changes({ before, after }: Pick<Entry, 'before' | 'after'>) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <Table withRowBorders={false} verticalSpacing={4} className="svc-plain-table">
      <Table.Thead>
        <Table.Tr>
          {['Field', ...(before ? ['Before'] : []), ...(after ? ['After'] : [])].map((header) => (
            <Table.Th key={header} scope="col">
              {header}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {names.map((name) => (
          <Table.Tr key={name}>
            <Table.Td>{name}</Table.Td>
            {before && (
              <Table.Td>
                <Value of={before[name]} />
              </Table.Td>
            )}
            {after && (
              <Table.Td>
                <Value of={after[name]} />
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** What an entry changed, what else it says, and which browser or program it came from. */
export function EntryDetail({ entry }: { entry: Entry }) {
  const { before, after, metadata, user_agent } = entry;
  const changed = Object.keys({ ...before, ...after }).length > 0;
  return (
    <Stack gap="sm">
      {changed ? (
        <Changes before={before} after={after} />
      ) : (
        <Text size="sm" c="dimmed">
          Nothing to compare.
        </Text>
      )}
      {Object.keys(metadata).length > 0 && (
        <CodeView label="More about this entry" code={JSON.stringify(metadata, null, 2)} maxHeight={400} />
      )}
      {user_agent && (
        <Text size="xs" c="dimmed" className="svc-break">
          {user_agent}
        </Text>
      )}
    </Stack>
  );
}
