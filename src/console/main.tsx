import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RequestFailed } from './api/client.js';
import { settingsKey } from './api/gateway-settings.js';
import { session } from './api/session-credential.js';
import { App } from './app.tsx';
import { applyTheme } from './ui/theme.tsx';

applyTheme();

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A rejected request is rejected again.
      retry: (count, error) => count < 2 && !(error instanceof RequestFailed && error.problem.status < 500),
    },
  },
});

// The answers to one credential are not shown to another.
session.onChange(() => client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== settingsKey }));

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
