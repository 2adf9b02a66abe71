import { dotsOf, letterHeight, letterWidth, simulationLabel } from '../../lib/pixel-letters.ts';
import type { Picture } from './vp8.ts';

interface Disc {
  radius: number;
  speed: number;
  phase: number;
  y: number;
  u: number;
  v: number;
}

export interface Scene {
  hue: number;
  turn: number;
  discs: Disc[];
}

/** What moves and in which colours, from the prompt and seed alone. */
export function sceneOf(prompt: string, seed: number): Scene {
  let draw = 0;
  const random = (): number => Bun.hash.xxHash32(`${seed}:${draw++}:${prompt}`) / 4_294_967_296;
  const scene: Scene = { hue: random() * 2 * Math.PI, turn: 0.5 + random(), discs: [] };
  const count = 4 + Math.floor(random() * 3);
  for (let index = 0; index < count; index += 1) {
    const hue = scene.hue + Math.PI * (0.5 + random());
    scene.discs.push({
      radius: 0.06 + random() * 0.1,
      speed: (random() < 0.5 ? -1 : 1) * (0.6 + random()),
      phase: random() * 2 * Math.PI,
      y: 120 + random() * 90,
      u: 128 + 70 * Math.cos(hue),
      v: 128 + 70 * Math.sin(hue),
    });
  }
  return scene;
}

/** One moment of the scene: a turning gradient, discs on their orbits, the word "simulation", a bar of time gone by. */
export function drawScene(scene: Scene, picture: Picture, seconds: number, share: number): void {
  background(scene, picture, seconds);
  for (const disc of scene.discs) drawDisc(disc, picture, seconds);
  drawLabel(picture, simulationLabel);
  const barHeight = Math.max(2, Math.round(picture.height / 60));
  fillLuma(picture, 0, picture.height - barHeight, Math.round(picture.width * share), barHeight, 235);
}

function background(scene: Scene, picture: Picture, seconds: number): void {
  const angle = scene.hue + scene.turn * seconds * 0.5;
  const [across, down] = [Math.cos(angle), Math.sin(angle)];
  const [wide, high] = [picture.columns * 16, picture.rows * 16];
  for (let y = 0; y < high; y += 1) {
    const row = 105 + 45 * down * (y / high - 0.5);
    for (let x = 0; x < wide; x += 1) picture.y[y * wide + x] = row + 45 * across * (x / wide - 0.5);
  }
  const hue = scene.hue + seconds * 0.25;
  for (let y = 0; y < high / 2; y += 1) {
    const [u, v] = [128 + 45 * Math.cos(hue + y / high), 128 + 45 * Math.sin(hue + y / high)];
    picture.u.fill(u, (y * wide) / 2, ((y + 1) * wide) / 2);
    picture.v.fill(v, (y * wide) / 2, ((y + 1) * wide) / 2);
  }
}

function drawDisc(disc: Disc, picture: Picture, seconds: number): void {
  const { width, height } = picture;
  const angle = disc.phase + disc.speed * seconds;
  const cx = width * (0.5 + 0.36 * Math.cos(angle));
  const cy = height * (0.5 + 0.34 * Math.sin(angle * 1.5 + disc.phase));
  const radius = disc.radius * Math.min(width, height) * 1.4;
  const stride = picture.columns * 16;
  const inside = (x: number, y: number): number =>
    Math.min(1, Math.max(0, radius - Math.sqrt((x - cx) ** 2 + (y - cy) ** 2)));
  const mix = (plane: Uint8Array, at: number, to: number, alpha: number): void => {
    plane[at] = plane[at]! * (1 - alpha) + to * alpha;
  };
  for (let y = Math.max(0, Math.floor(cy - radius)); y < Math.min(height, cy + radius); y += 1) {
    for (let x = Math.max(0, Math.floor(cx - radius)); x < Math.min(width, cx + radius); x += 1) {
      const alpha = inside(x, y);
      if (alpha === 0) continue;
      mix(picture.y, y * stride + x, disc.y, alpha);
      if ((x | y) & 1) continue;
      mix(picture.u, ((y >> 1) * stride) / 2 + (x >> 1), disc.u, alpha);
      mix(picture.v, ((y >> 1) * stride) / 2 + (x >> 1), disc.v, alpha);
    }
  }
}

/** White on a dark plate: over a light disc, white alone cannot be read. */
function drawLabel(picture: Picture, text: string): void {
  const scale = Math.max(1, Math.floor(picture.width / (text.length * letterWidth * 2.5)));
  const [wide, high] = [(text.length * letterWidth + 3) * scale, (letterHeight + 4) * scale];
  fillLuma(picture, 2 * scale, 2 * scale, wide, high, 40);
  for (const { x, y } of dotsOf(text)) fillLuma(picture, (4 + x) * scale, (4 + y) * scale, scale, scale, 235);
}

function fillLuma(picture: Picture, left: number, top: number, width: number, height: number, value: number): void {
  const stride = picture.columns * 16;
  const right = Math.min(picture.width, left + width);
  for (let y = top; y < Math.min(picture.height, top + height); y += 1)
    picture.y.fill(value, y * stride + left, y * stride + right);
}
