/** Computes the layout of the task graph: one column per dependency level, left to right. */

interface Node {
  id: string;
  dependsOn: string[];
}

export interface Placed<T> {
  task: T;
  level: number;
  x: number;
  y: number;
}

export interface Edge {
  from: string;
  to: string;
  path: string;
}

export interface Drawing<T> {
  nodes: Placed<T>[];
  edges: Edge[];
  width: number;
  height: number;
}

export const box = { width: 216, height: 84, gapX: 56, gapY: 18 } as const;

/** The longest path from a task without dependencies; unknown tasks and cycles are ignored. */
export function levelsOf(tasks: Node[]): Map<string, number> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const levels = new Map<string, number>();
  const visit = (id: string, above: Set<string>): number => {
    const known = levels.get(id);
    if (known !== undefined) return known;
    if (above.has(id)) return -1;
    const within = new Set(above).add(id);
    const before = (byId.get(id)?.dependsOn ?? []).filter((one) => byId.has(one)).map((one) => visit(one, within));
    const level = Math.max(-1, ...before) + 1;
    levels.set(id, level);
    return level;
  };
  for (const { id } of tasks) visit(id, new Set());
  return levels;
}

/** Sorts tasks next to their dependencies, so that fewer lines cross. */
function sorted<T extends Node>(column: T[], rows: Map<string, number>): T[] {
  const mean = ({ dependsOn }: T): number => {
    const places = dependsOn.flatMap((id) => rows.get(id) ?? []);
    return places.length === 0 ? 0 : places.reduce((sum, place) => sum + place, 0) / places.length;
  };
  return column.toSorted((a, b) => mean(a) - mean(b));
}

const curve = (from: { x: number; y: number }, to: { x: number; y: number }): string => {
  const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
  const [x2, y2] = [to.x, to.y + box.height / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
};

export function drawTasks<T extends Node>(tasks: T[]): Drawing<T> {
  const levels = levelsOf(tasks);
  const columns = Map.groupBy(tasks, ({ id }) => levels.get(id) ?? 0);
  const depth = columns.size;
  const tallest = Math.max(0, ...[...columns.values()].map((column) => column.length));
  const height = tallest * (box.height + box.gapY) - (tallest > 0 ? box.gapY : 0);
  const rows = new Map<string, number>();
  const nodes: Placed<T>[] = [];
  for (const level of [...columns.keys()].sort((a, b) => a - b)) {
    const column = sorted(columns.get(level)!, rows);
    const top = (height - (column.length * (box.height + box.gapY) - box.gapY)) / 2;
    for (const [row, task] of column.entries()) {
      rows.set(task.id, row);
      nodes.push({ task, level, x: level * (box.width + box.gapX), y: top + row * (box.height + box.gapY) });
    }
  }
  const placed = new Map(nodes.map((node) => [node.task.id, node]));
  const edges = nodes.flatMap((to) =>
    to.task.dependsOn.flatMap((id) => {
      const from = placed.get(id);
      return from ? [{ from: id, to: to.task.id, path: curve(from, to) }] : [];
    }),
  );
  return { nodes, edges, width: depth * (box.width + box.gapX) - (depth > 0 ? box.gapX : 0), height };
}
