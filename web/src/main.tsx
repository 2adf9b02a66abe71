import './styles.css';
import './bare.css';
import './code.css';
import './tables.css';
import './models.css';
import './palette.css';
import './narrow.css';
import './contrast.css';
// All styles of pages are bundled into one file, because the browser waits for every style sheet before it renders.
import './pages/docs/docs.css';
import './pages/knowledge/knowledge.css';
import './pages/playground/playground.css';
import './pages/runs/runs.css';
import './pages/admin-user/people.css';
import './pages/sessions/sessions.css';
import './pages/videos/videos.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { useNotifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { onUnauthorized } from './api.ts';
import { watchNavigation } from './heading-focus.ts';
import { keepFocus } from './keep-focus.ts';
import { language } from './language/words.ts';
import { lazyComponent } from './lazy-components.tsx';
import { loadAllTranslations, whenIdle } from './load-page-group.ts';
import { printLight } from './print-light.ts';
import { router } from './router.tsx';
import { forgetUser, queryClient, selfQuery, sessionEnded } from './session.ts';
import { colorSchemeKey, cssVariables, theme } from './theme.ts';

const Toasts = lazyComponent('Toasts');

function Messages() {
  const { notifications } = useNotifications();
  const [any, setAny] = useState(false);
  if (!any && notifications.length > 0) setAny(true);
  return any && <Toasts />;
}

// A 401 may concern only this action (a wrong current password): check the session, and leave only if it is invalid.
onUnauthorized((method, path) => {
  if (queryClient.getQueryData(selfQuery.queryKey) === undefined) return;
  if (method !== 'get' || path !== '/api/user/self') {
    // Also on pages that show nothing of the user.
    queryClient.invalidateQueries({ ...selfQuery, refetchType: 'all' });
    return;
  }
  if (sessionEnded()) return;
  forgetUser();
  router.invalidate();
});

watchNavigation(router);
keepFocus();
printLight();

// If the translations failed to load, the page is in another language than requested.
document.documentElement.lang = language;
// Preload the translations of the service's messages.
whenIdle(() => void loadAllTranslations());

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={localStorageColorSchemeManager({ key: colorSchemeKey })}
    >
      <QueryClientProvider client={queryClient}>
        <Messages />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
