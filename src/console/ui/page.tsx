import { type ReactNode, useEffect, useId } from 'react';
import type { RequestFailed } from '../api/client.js';
import { setQuery } from '../router.tsx';
import { messages } from '../ui-texts.js';
import { Failure } from './loading-empty-and-failure.tsx';

interface PageProps {
  readonly title: string;
  /** Above the title: where the page belongs. */
  readonly crumbs?: ReactNode;
  /** Beside the title. */
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  /** The error of the latest action. */
  readonly failure?: RequestFailed | null;
  readonly children: ReactNode;
}

/** A page with its heading; the document's title is the same. */
export function PageFrame({ title, crumbs, badge, actions, failure, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Journeyman`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div className="title">
          {crumbs !== undefined && <p className="crumbs">{crumbs}</p>}
          <div className="row">
            <h1>{title}</h1>
            {badge}
          </div>
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {failure && <Failure error={failure} />}
      {children}
    </div>
  );
}

interface CardProps {
  readonly title: string;
  /** At the end of the heading. */
  readonly actions?: ReactNode;
  /** Lists and tables reach the border. */
  readonly flush?: boolean;
  /** Comes first where a page has one column. */
  readonly urgent?: boolean;
  readonly children: ReactNode;
}

/** A titled part of a page. */
export function Card({ title, actions, flush = false, urgent = false, children }: CardProps) {
  const id = useId();
  return (
    <section className={urgent ? 'card urgent' : 'card'} aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {flush ? children : <div className="card-body">{children}</div>}
    </section>
  );
}

/** The button below a list that opens its next page; nothing on the last one. */
export function NextPage({ token }: { readonly token: string | undefined }) {
  if (token === undefined) return null;
  return (
    <div>
      <button type="button" className="button" onClick={() => setQuery({ page: token })}>
        {messages.states.more}
      </button>
    </div>
  );
}
