import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyTheme, ThemeButton } from '../ui/theme.tsx';
import { PlaygroundPage } from './playground-page.tsx';

applyTheme();

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <header className="site-head">
      <span className="brand">Journeyman</span>
      <ThemeButton />
    </header>
    <main className="main">
      <PlaygroundPage />
    </main>
  </StrictMode>,
);
