/** Counters, gauges and histograms in the Prometheus text format (version 0.0.4). */
type Labels = Record<string, string>;

const bucketsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** A value read at scrape time, with its labels. */
interface Reading {
  labels?: Labels;
  value: number;
}

interface Source {
  help: string;
  type: 'gauge' | 'counter';
  read: () => Reading[] | Promise<Reading[]>;
}

/** An unavailable database must not take the other metrics with it. */
const readMs = 2_000;

interface Series {
  labels: string;
  value: number;
  buckets?: number[];
  count?: number;
}

export class Metrics {
  readonly #families = new Map<string, { help: string; type: string; series: Map<string, Series> }>();
  readonly #sources = new Map<string, Source>();

  #series(name: string, help: string, type: string, labels: Labels): Series {
    let family = this.#families.get(name);
    if (!family) {
      family = { help, type, series: new Map() };
      this.#families.set(name, family);
    }
    const key = labelText(labels);
    let series = family.series.get(key);
    if (!series) {
      series = { labels: key, value: 0 };
      family.series.set(key, series);
    }
    return series;
  }

  /** Returns the counting function, so that hot paths look up their series once. */
  counter(name: string, help: string, labels: Labels = {}): (by?: number) => void {
    const series = this.#series(name, help, 'counter', labels);
    return (by = 1) => {
      series.value += by;
    };
  }

  histogram(name: string, help: string, labels: Labels = {}): (seconds: number) => void {
    const series = this.#series(name, help, 'histogram', labels);
    const buckets = new Array<number>(bucketsSeconds.length).fill(0);
    series.buckets ??= buckets;
    series.count ??= 0;
    return (seconds) => {
      series.value += seconds;
      series.count! += 1;
      for (let i = 0; i < bucketsSeconds.length; i += 1) if (seconds <= bucketsSeconds[i]!) series.buckets![i]! += 1;
    };
  }

  gauge(name: string, help: string, read: () => number): void {
    this.readings(name, help, 'gauge', () => [{ value: read() }]);
  }

  /** Read at scrape time; a reading that fails or takes too long is left out. */
  readings(name: string, help: string, type: Source['type'], read: Source['read']): void {
    this.#sources.set(name, { help, type, read });
  }

  async render(): Promise<string> {
    const sources = await Promise.all(
      [...this.#sources].map(async ([name, source]) => ({ name, source, readings: await readInTime(source) })),
    );
    const lines: string[] = [];
    for (const { name, source, readings } of sources) {
      lines.push(`# HELP ${name} ${source.help}`, `# TYPE ${name} ${source.type}`);
      for (const { labels = {}, value } of readings) lines.push(`${name}${inBraces(labelText(labels))} ${value}`);
    }
    for (const [name, family] of this.#families) {
      lines.push(`# HELP ${name} ${family.help}`, `# TYPE ${name} ${family.type}`);
      for (const series of family.series.values()) lines.push(...renderSeries(name, series));
    }
    return `${lines.join('\n')}\n`;
  }
}

function renderSeries(name: string, series: Series): string[] {
  const braces = inBraces(series.labels);
  if (!series.buckets) return [`${name}${braces} ${series.value}`];
  const totals = [`${name}_sum${braces} ${series.value}`, `${name}_count${braces} ${series.count}`];
  // Most routes are never asked, and their buckets would be nine tenths of every scrape.
  if (series.count === 0) return totals;
  const prefix = series.labels ? `${series.labels},` : '';
  return [
    ...series.buckets.map((count, i) => `${name}_bucket{${prefix}le="${bucketsSeconds[i]}"} ${count}`),
    `${name}_bucket{${prefix}le="+Inf"} ${series.count}`,
    ...totals,
  ];
}

async function readInTime(source: Source): Promise<Reading[]> {
  try {
    return await Promise.race([source.read(), Bun.sleep(readMs).then((): Reading[] => [])]);
  } catch {
    return [];
  }
}

function labelText(labels: Labels): string {
  let text = '';
  for (const label in labels) text += `${text ? ',' : ''}${label}="${quoted(labels[label]!)}"`;
  return text;
}

const inBraces = (labels: string): string => (labels ? `{${labels}}` : '');

const quoted = (value: string): string => value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
