import { apiUrl } from '../api/client.js';
import type { PipelineItem } from '../api/pipeline-types.js';
import type { ItemPage } from '../api/run-types.js';
import { useRead } from '../api/use-read-and-change.js';
import { Link } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { Empty, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { PageFrame } from '../ui/page.tsx';
import { messages } from '../ui-texts.js';
import { pauseText } from './pause-text.js';

/** The deployed pipelines, each with the reason if it stands still. */
export function PipelinesPage() {
  const list = useRead<ItemPage<PipelineItem>>(apiUrl`/pipelines`);
  return (
    <PageFrame title={messages.shell.pages.pipelines}>
      <ReadResult query={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{messages.pipelines.empty}</Empty>
          ) : (
            <ul className="grid">
              {items.map(({ name, version, status, pause }) => (
                <li key={name} className="card card-body">
                  <div className="row">
                    <h2>
                      <Link to={`/pipelines/${encodeURIComponent(name)}`}>{name}</Link>
                    </h2>
                    <span className="muted small">{version}</span>
                    <span className="end">
                      <Badge text={status} />
                    </span>
                  </div>
                  {pause && <p className="small">{pauseText(pause.text)}</p>}
                </li>
              ))}
            </ul>
          )
        }
      </ReadResult>
    </PageFrame>
  );
}
