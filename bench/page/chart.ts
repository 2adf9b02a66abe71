import type { Result } from './results.ts';

interface Bar {
  label: string;
  value: number;
  ours: boolean;
}
interface Group {
  title: string;
  bars: Bar[];
}

const width = 720;
const left = 150;
const barHeight = 18;
const gap = 6;
const titleHeight = 34;

/** CPU time per request compared to the peers, each group on its own scale; shorter is better. */
export function chart(results: Result[]): string {
  const groups = [...relayGroup(results), ...oauthGroups(results), ...streamGroup(results)];
  let y = 10;
  const parts = groups.map((group) => {
    const drawn = draw(group, y);
    y += titleHeight + group.bars.length * (barHeight + gap) + 8;
    return drawn;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="CPU time of svc and of its peers; shorter is better">
<style>${style}</style>
<rect class="paper" width="${width}" height="${y}"/>
${parts.join('\n')}
</svg>
`;
}

const style = `
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-weight:600}
.paper{fill:#fff}
.ours{fill:#1c7ed6}
.peer{fill:#adb5bd}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117}.ours{fill:#4dabf7}.peer{fill:#5c636a}}`;

function draw({ title, bars }: Group, top: number): string {
  const longest = Math.max(...bars.map(({ value }) => value));
  const room = width - left - 90;
  const lines = [`<text class="title" x="10" y="${top + 20}">${title}</text>`];
  bars.forEach(({ label, value, ours }, index) => {
    const y = top + titleHeight + index * (barHeight + gap);
    const length = Math.max(2, Math.round((value / longest) * room));
    lines.push(
      `<text x="${left - 10}" y="${y + 14}" text-anchor="end">${label}</text>`,
      `<rect class="${ours ? 'ours' : 'peer'}" x="${left}" y="${y}" width="${length}" height="${barHeight}" rx="3"/>`,
      `<text x="${left + length + 8}" y="${y + 14}">${value.toLocaleString('en')}</text>`,
    );
  });
  return lines.join('\n');
}

const rowsOf = (results: Result[], suite: string) => results.find((result) => result.suite === suite)?.rows ?? [];

function relayGroup(results: Result[]): Group[] {
  const bars = barsOf(results, 'relay', 'CPU µs/req');
  return bars.length > 0 ? [{ title: 'Relay: CPU µs per chat completion', bars }] : [];
}

function streamGroup(results: Result[]): Group[] {
  const bars = barsOf(results, 'stream', 'CPU ms for 400 streams');
  return bars.length > 0 ? [{ title: 'Streams: CPU ms for 400 of 60 events', bars }] : [];
}

const barsOf = (results: Result[], suite: string, column: string): Bar[] =>
  rowsOf(results, suite).map(({ what, figures }) => ({
    label: what,
    value: Number(figures[column]),
    ours: what === 'svc',
  }));

function oauthGroups(results: Result[]): Group[] {
  return rowsOf(results, 'oauth').map(({ what, figures }) => ({
    title: `OAuth ${what}: CPU µs per request`,
    bars: ['svc', 'oidc-provider'].map((label) => ({
      label,
      value: Number(figures[`${label} CPU µs`]),
      ours: label === 'svc',
    })),
  }));
}
