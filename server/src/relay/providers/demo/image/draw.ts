import { seeded } from '../seeded.ts';

type Colour = readonly [number, number, number];

/** The label on every simulated image. */
const label = [
  ' ####  ###  #   # #   # #      ###  #####  ###   ###  #   #',
  '#       #   ## ## #   # #     #   #   #     #   #   # ##  #',
  '#       #   # # # #   # #     #   #   #     #   #   # # # #',
  ' ###    #   # # # #   # #     #####   #     #   #   # #  ##',
  '    #   #   #   # #   # #     #   #   #     #   #   # #   #',
  '    #   #   #   # #   # #     #   #   #     #   #   # #   #',
  '####   ###  #   #  ###  ##### #   #   #    ###   ###  #   #',
];

/** RGB pixels: a diagonal gradient of two prompt-dependent colours, and the label. */
export function drawImage(prompt: string, width: number, height: number, seed = 0): Uint8Array {
  const random = seeded(prompt, seed);
  const colour = (darkest: number): Colour => [
    darkest + 110 * random(),
    darkest + 110 * random(),
    darkest + 110 * random(),
  ];
  const pixels = gradient(width, height, colour(20), colour(120));
  writeLabel(pixels, width, height);
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

/** White on a dark plate at the lower left, a third of the width on large images. */
function writeLabel(pixels: Uint8Array, width: number, height: number): void {
  const [columns, rows] = [label[0]!.length + 4, label.length + 4];
  const scale = Math.max(1, Math.floor(width / (columns * 3)));
  const top = Math.max(0, height - rows * scale);
  for (let y = top; y < height; y += 1)
    for (let x = 0; x < Math.min(width, columns * scale); x += 1) {
      const dot = label[Math.floor((y - top) / scale) - 2]?.[Math.floor(x / scale) - 2] === '#';
      pixels.fill(dot ? 255 : 20, (y * width + x) * 3, (y * width + x + 1) * 3);
    }
}
