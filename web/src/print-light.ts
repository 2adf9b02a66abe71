/**
 * Pages are printed in the light scheme: browsers leave out the dark background, and the light text that belongs to it
 * would hardly be seen on paper.
 */
export function printLight({ dataset } = document.documentElement): void {
  let shown: string | undefined;
  window.addEventListener('beforeprint', () => {
    shown ??= dataset.mantineColorScheme;
    dataset.mantineColorScheme = 'light';
  });
  window.addEventListener('afterprint', () => {
    if (shown) dataset.mantineColorScheme = shown;
    shown = undefined;
  });
}
