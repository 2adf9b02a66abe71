import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/charts/styles.css';
import './styles.css';
import './bare.css';
import './code.css';
import './tables.css';
import './models.css';
import './palette.css';
// Of pages: all styles come in one file, since a browser waits for every one of them before it shows anything.
import './pages/docs/docs.css';
import './pages/knowledge/knowledge.css';
import './pages/playground/playground.css';
import './pages/runs/runs.css';
import './pages/admin-user/people.css';
import './pages/sessions/sessions.css';
import './pages/videos/videos.css';
import { loadLanguage } from './language/load.ts';

// Words come first: tables of choices, columns and titles are made of them when their modules are read.
await loadLanguage();
await import('./app.tsx');
