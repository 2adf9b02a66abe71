import { Group, Progress, Stack, Text } from '@mantine/core';

interface ShareListProps {
  label: string;
  shares: { name: string; value: number }[];
  format: (value: number) => string;
}

/** One bar per share, with its full name; the largest share has the longest bar. */
export function ShareList({ label, shares, format }: ShareListProps) {
  const most = Math.max(...shares.map(({ value }) => value), 1);
  return (
    <Stack component="ul" gap="sm" className="svc-plain-list" aria-label={label}>
      {shares.map(({ name, value }) => (
        <li key={name}>
          <Group justify="space-between" wrap="nowrap" gap="md" mb={4}>
            <Text size="sm" truncate title={name}>
              {name}
            </Text>
            <Text size="sm" fw={600} className="svc-number">
              {format(value)}
            </Text>
          </Group>
          <Progress value={(value / most) * 100} size={6} color="indigo.5" aria-hidden />
        </li>
      ))}
    </Stack>
  );
}
