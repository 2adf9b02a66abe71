/** The web app's styles in one file: Mantine's styles of only the components in the given scripts, then our own. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const folderOf = (name: string): string => dirname(Bun.resolveSync(`@mantine/${name}/styles.css`, import.meta.dir));

/** Needed by all components. */
const always = /^(global|baseline|default-css-variables|UnstyledButton|VisuallyHidden)\.css$/;

/** The class names in a component's styles; they occur literally in its script. */
const classesIn = (css: string): Set<string> => new Set(css.match(/\bm_[0-9a-f]+\b/g));

/** Mantine ships its styles as one file in the right order, and also per component. */
async function ofComponents(scripts: string): Promise<string> {
  const folder = folderOf('core');
  const whole = await Bun.file(join(folder, 'styles.css')).text();
  const used = classesIn(scripts);
  const names = (await readdir(join(folder, 'styles'))).filter((name) => !name.endsWith('.layer.css'));
  const parts = await Promise.all(
    names.map(async (name) => {
      const css = (await Bun.file(join(folder, 'styles', name)).text()).trim();
      const at = whole.indexOf(css);
      if (at === -1) throw new Error(`Mantine's styles of ${name} are not a part of its styles.css as they stand`);
      return { css, at, needed: always.test(name) || !classesIn(css).isDisjointFrom(used) };
    }),
  );
  return parts
    .filter(({ needed }) => needed)
    .sort((one, other) => one.at - other.at)
    .map(({ css }) => css)
    .join('');
}

/**
 * The bundler would expand every `margin-inline-start` into left and right variants with lists of languages, doubling
 * the file. Browsers that can run the app's scripts support the property itself.
 */
export async function webStyles(scripts: string, ours: string): Promise<string> {
  const more = await Promise.all(
    ['notifications', 'charts'].map(async (name) => {
      const css = await Bun.file(join(folderOf(name), 'styles.css')).text();
      return classesIn(css).isDisjointFrom(classesIn(scripts)) ? '' : css;
    }),
  );
  return [await ofComponents(scripts), ...more, ours].join('\n');
}
