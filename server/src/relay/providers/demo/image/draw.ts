import { dotsOf, letterWidth, simulationLabel } from '../../../../lib/pixel-letters.ts';
import { seeded } from '../seeded.ts';

type Colour = readonly [number, number, number];

function hsl(hue: number, saturation: number, lightness: number): Colour {
  const channel = (offset: number): number => {
    const k = (offset + hue * 12) % 12;
    return Math.round(
      255 * (lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))),
    );
  };
  return [channel(0), channel(8), channel(4)];
}

/** RGB pixels drawn from a hash of the prompt: a diagonal gradient, soft discs and the word "simulation". */
export function drawImage(prompt: string, width: number, height: number, seed = 0): Uint8Array {
  const random = seeded(prompt, seed);
  const hue = random();
  const pixels = gradient(width, height, hsl(hue, 0.55, 0.32), hsl((hue + 0.12 + random() * 0.3) % 1, 0.65, 0.68));
  const discs = 4 + Math.floor(random() * 4);
  for (let index = 0; index < discs; index += 1) {
    const colour = hsl((hue + 0.3 + random() * 0.5) % 1, 0.7, 0.45 + random() * 0.3);
    const radius = Math.min(width, height) * (0.06 + random() * 0.2);
    disc(pixels, width, height, random() * width, random() * height, radius, colour);
  }
  label(pixels, width, height, simulationLabel);
  return pixels;
}

function gradient(width: number, height: number, from: Colour, to: Colour): Uint8Array {
  const pixels = new Uint8Array(width * height * 3);
  const span = width + height;
  let at = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const share = (x + y) / span;
      pixels[at++] = from[0] + (to[0] - from[0]) * share;
      pixels[at++] = from[1] + (to[1] - from[1]) * share;
      pixels[at++] = from[2] + (to[2] - from[2]) * share;
    }
  }
  return pixels;
}

function disc(
  pixels: Uint8Array,
  width: number,
  height: number,
  cx: number,
  cy: number,
  radius: number,
  colour: Colour,
): void {
  for (let y = Math.max(0, Math.floor(cy - radius)); y < Math.min(height, cy + radius); y += 1) {
    for (let x = Math.max(0, Math.floor(cx - radius)); x < Math.min(width, cx + radius); x += 1) {
      // One pixel of fade at the rim, or the edge looks sawn.
      const alpha = 0.75 * Math.min(1, Math.max(0, radius - Math.sqrt((x - cx) ** 2 + (y - cy) ** 2)));
      const at = (y * width + x) * 3;
      for (let c = 0; c < 3; c += 1) pixels[at + c] = pixels[at + c]! * (1 - alpha) + colour[c]! * alpha;
    }
  }
}

/** White letters with a dark shadow at the lower left, a third of the width at most. */
function label(pixels: Uint8Array, width: number, height: number, text: string): void {
  const scale = Math.max(1, Math.floor(width / (text.length * letterWidth * 3)));
  const left = 4 * scale;
  const top = height - 11 * scale;
  const paint = (x: number, y: number, value: number): void => {
    for (let row = Math.max(0, y); row < Math.min(height, y + scale); row += 1)
      pixels.fill(value, (row * width + x) * 3, (row * width + Math.min(width, x + scale)) * 3);
  };
  const dots = dotsOf(text);
  for (const [offset, value] of [
    [scale, 20],
    [0, 255],
  ] as const)
    for (const { x, y } of dots) paint(left + x * scale + offset, top + y * scale + offset, value);
}
