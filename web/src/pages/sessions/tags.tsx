import { Badge, Group } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { t } from '../../language/words.ts';

interface TagsProps {
  tags: string[];
  /** If absent, a tag links to the sessions that have it. */
  onPick?: (tag: string) => void;
}

export function Tags({ tags, onPick }: TagsProps) {
  const navigate = useNavigate();
  if (tags.length === 0) return null;
  const toList = (tag: string) => void navigate({ to: '/sessions', search: { tag } });
  return (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge
          key={tag}
          component="button"
          type="button"
          size="sm"
          className="svc-written"
          color="gray"
          style={{ cursor: 'pointer' }}
          title={t('Sessions tagged {tag}', { tag })}
          onClick={() => (onPick ?? toList)(tag)}
        >
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
