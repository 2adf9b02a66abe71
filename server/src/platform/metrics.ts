/** Counters, gauges and histograms in the Prometheus text format (version 0.0.4). */
type Labels = Record<string, string>;

const bucketsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface Series {
  labels: string;
  value: number;
  buckets?: number[];
  count?: number;
}

export class Metrics {
  readonly #families = new Map<string, { help: string; type: string; series: Map<string, Series> }>();
  readonly #gauges = new Map<string, { help: string; read: () => number }>();

  #series(name: string, help: string, type: string, labels: Labels): Series {
    let family = this.#families.get(name);
    if (!family) {
      family = { help, type, series: new Map() };
      this.#families.set(name, family);
    }
    let key = '';
    for (const label in labels) key += `${key ? ',' : ''}${label}="${quoted(labels[label]!)}"`;
    let series = family.series.get(key);
    if (!series) {
      series = { labels: key, value: 0 };
      family.series.set(key, series);
    }
    return series;
  }

  /** Returns a function that counts, so that a hot path looks its series up once. */
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
    this.#gauges.set(name, { help, read });
  }

  render(): string {
    const lines: string[] = [];
    for (const [name, gauge] of this.#gauges)
      lines.push(`# HELP ${name} ${gauge.help}`, `# TYPE ${name} gauge`, `${name} ${gauge.read()}`);
    for (const [name, family] of this.#families) {
      lines.push(`# HELP ${name} ${family.help}`, `# TYPE ${name} ${family.type}`);
      for (const series of family.series.values()) lines.push(...renderSeries(name, series));
    }
    return `${lines.join('\n')}\n`;
  }
}

function renderSeries(name: string, series: Series): string[] {
  const braces = series.labels ? `{${series.labels}}` : '';
  if (!series.buckets) return [`${name}${braces} ${series.value}`];
  const prefix = series.labels ? `${series.labels},` : '';
  return [
    ...series.buckets.map((count, i) => `${name}_bucket{${prefix}le="${bucketsSeconds[i]}"} ${count}`),
    `${name}_bucket{${prefix}le="+Inf"} ${series.count}`,
    `${name}_sum${braces} ${series.value}`,
    `${name}_count${braces} ${series.count}`,
  ];
}

const quoted = (value: string): string => value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
