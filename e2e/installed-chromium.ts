/** The headless shell first: it renders the same pages with three quarters of the processor time. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The system's Chromium, or the one named by CHROMIUM_PATH; undefined if none is installed. */
export const installedChromium = (): string | undefined =>
  process.env.CHROMIUM_PATH ?? programs.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined;
