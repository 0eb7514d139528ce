import { apiUrl } from '../api/client.js';
import type { DefinitionList } from '../api/definition-types.js';
import { useRead } from '../api/use-read-and-change.js';
import { Link } from '../router.tsx';
import { Badge, Tag } from '../ui/badge.tsx';
import { Empty, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { Card, PageFrame } from '../ui/page.tsx';
import { messages } from '../ui-texts.js';

/** Journeys and Apis of the gateway. */
export function JourneysPage() {
  const list = useRead<DefinitionList>(apiUrl`/definitions`, { refresh: 30_000 });
  return (
    <PageFrame title={messages.shell.pages.journeys}>
      <ReadResult query={list}>{(it) => <List list={it} />}</ReadResult>
    </PageFrame>
  );
}

function List({ list: { items, brokenFiles = [] } }: { readonly list: DefinitionList }) {
  return (
    <>
      {brokenFiles.length > 0 && (
        <Card title={messages.home.documents} flush>
          <ul className="list">
            {brokenFiles.map((it) => (
              <li key={it.file}>
                <strong>
                  {it.file}
                  {it.line !== undefined && `:${it.line}`}
                </strong>{' '}
                {it.message} <code className="muted">{it.code}</code>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {items.length === 0 && <Empty>{messages.journeys.empty}</Empty>}
      <ul className="grid">
        {items.map((it) => (
          <li key={it.name} className="card card-body">
            <div className="row">
              <h2>
                <Link to={`/journeys/${encodeURIComponent(it.name)}`}>{it.name}</Link>
              </h2>
              <span className="muted small">{it.version}</span>
              {it.kind === 'Api' && <Badge text={it.kind} />}
            </div>
            <p className="muted small">{it.description}</p>
            <p className="tags">
              {it.tags.map((tag) => (
                <Tag key={tag}>{tag}</Tag>
              ))}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
