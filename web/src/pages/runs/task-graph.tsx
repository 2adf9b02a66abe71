import { Text } from '@mantine/core';
import { type CSSProperties, memo, type RefObject, useEffect, useRef } from 'react';
import { lookOf, TaskState } from '../../components/task-state.tsx';
import { t } from '../../language/words.ts';
import type { TaskView } from './run-view.ts';
import { difficultyWords, joinNames } from './server-words.ts';
import { box, type Drawing, drawTasks } from './task-layers.ts';

interface TaskGraphProps {
  tasks: TaskView[];
  /** Id of the task whose details are shown. */
  selected: string | null;
  onSelect: (id: string) => void;
}

const px = (value: number): string => `${value}px`;

function Edges({ drawing }: { drawing: Drawing<TaskView> }) {
  const done = new Set(drawing.nodes.flatMap(({ task }) => (task.status === 'completed' ? [task.id] : [])));
  return (
    <svg className="svc-graph-edges" width={drawing.width} height={drawing.height} aria-hidden="true">
      <title>{t('Dependencies between tasks')}</title>
      {drawing.edges.map(({ from, to, path }) => (
        <path key={`${from} ${to}`} d={path} data-done={done.has(from)} />
      ))}
    </svg>
  );
}

/** A long plan scrolls sideways: scroll the selected task into view, without scrolling the page. */
function useShown(x: number | undefined): RefObject<HTMLDivElement | null> {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = region.current;
    if (!element || x === undefined) return;
    const { scrollLeft, clientWidth } = element;
    if (x >= scrollLeft && x + box.width <= scrollLeft + clientWidth) return;
    element.scrollLeft = x - (clientWidth - box.width) / 2;
  }, [x]);
  return region;
}

/**
 * Tasks by dependency level, connected by lines. The nodes are one list in level order: on narrow screens the same
 * buttons are stacked, and each names its dependencies as text.
 */
export const TaskGraph = memo(function TaskGraph({ tasks, selected, onSelect }: TaskGraphProps) {
  const drawing = drawTasks(tasks);
  const region = useShown(drawing.nodes.find(({ task }) => task.id === selected)?.x);
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  const size = { '--graph-width': px(drawing.width), '--graph-height': px(drawing.height) } as CSSProperties;
  const node = { '--node-width': px(box.width), '--node-height': px(box.height) } as CSSProperties;
  return (
    <div ref={region} className="svc-graph" style={{ ...size, ...node }}>
      <div className="svc-graph-canvas">
        <Edges drawing={drawing} />
        <ol className="svc-graph-nodes" aria-label={t('Tasks in the plan')}>
          {drawing.nodes.map(({ task, x, y }) => (
            <li key={task.id} style={{ '--x': px(x), '--y': px(y) } as CSSProperties}>
              <button
                type="button"
                className="svc-graph-node"
                data-status={task.status}
                aria-pressed={task.id === selected}
                onClick={() => onSelect(task.id)}
              >
                <TaskState status={task.status} />
                <span className="svc-graph-text">
                  <Text span size="sm" fw={600} lineClamp={2} title={task.title}>
                    {task.title}
                  </Text>
                  <Text span size="xs" c="dimmed" truncate>
                    {[lookOf(task.status).label, task.model ?? difficultyWords(task.difficulty)].join(' · ')}
                  </Text>
                  {task.dependsOn.length > 0 && (
                    <span className="svc-hidden">
                      {t('Depends on {tasks}', { tasks: joinNames(task.dependsOn.map((id) => titles.get(id) ?? id)) })}
                    </span>
                  )}
                </span>
              </button>
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
});
