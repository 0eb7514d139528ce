import { type ComponentType, lazy, Suspense } from 'react';
import { useSettings } from './api/gateway-settings.js';
import { useSession } from './api/session-credential.js';
import { HomePage } from './pages/home-needs-attention.tsx';
import { InboxPage } from './pages/inbox.tsx';
import { JobPage } from './pages/job-page.tsx';
import { JobsPage } from './pages/jobs.tsx';
import { JourneyPage } from './pages/journey-page.tsx';
import { JourneysPage } from './pages/journeys.tsx';
import { NotFound } from './pages/not-found.tsx';
import { PipelinePage } from './pages/pipeline-page.tsx';
import { PipelinesPage } from './pages/pipelines.tsx';
import { RunPage } from './pages/run/run-page.tsx';
import { RunsPage } from './pages/runs/runs.tsx';
import { SchedulePage } from './pages/schedule-page.tsx';
import { SchedulesPage } from './pages/schedules.tsx';
import { matchPath, useAddress } from './router.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { Loading } from './ui/loading-empty-and-failure.tsx';

type Page = ComponentType<Readonly<Record<string, string>>>;

/** Every page by the pattern of its path; parameters of the path are its properties. */
const pages: Readonly<Record<string, Page>> = {
  '/': HomePage,
  '/inbox': InboxPage,
  '/runs': RunsPage,
  '/runs/:id': RunPage,
  '/journeys': JourneysPage,
  '/journeys/:name': JourneyPage,
  '/schedules': SchedulesPage,
  '/schedules/:id': SchedulePage,
  '/jobs': JobsPage,
  '/jobs/:orchestratorId/:id': JobPage,
  '/pipelines': PipelinesPage,
  '/pipelines/:name': PipelinePage,
  '/playground': lazy(async () => ({ default: (await import('./playground/playground-page.tsx')).PlaygroundPage })),
};

/** The whole console: sign-in if the gateway asks for it, otherwise the page of the current place. */
export function App() {
  const session = useSession();
  const settings = useSettings();
  if (settings.isPending) return <Loading />;
  const needsCredential = settings.data?.authentication === true && session === 'signed-out';
  if (needsCredential || session === 'refused')
    return <SignIn settings={settings.data} refused={session === 'refused'} />;
  return (
    <Shell>
      <Suspense fallback={<Loading />}>
        <CurrentPage />
      </Suspense>
    </Shell>
  );
}

function CurrentPage() {
  const { path } = useAddress();
  for (const [pattern, Page] of Object.entries(pages)) {
    const values = matchPath(pattern, path);
    if (!values) continue;
    return (
      <ErrorBoundary key={path}>
        <Page {...values} />
      </ErrorBoundary>
    );
  }
  return <NotFound />;
}
