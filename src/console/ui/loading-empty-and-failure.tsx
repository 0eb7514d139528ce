import type { ReactNode } from 'react';
import type { RequestFailed } from '../api/client.js';
import { messages } from '../ui-texts.js';

/** A placeholder while something loads. */
export function Loading() {
  return (
    <p className="empty" role="status">
      {messages.states.loading} …
    </p>
  );
}

/** Shown instead of an empty list. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="empty">{children}</p>;
}

interface FailureProps {
  readonly error: RequestFailed;
  readonly retry?: () => void;
}

/** The problem with which the gateway rejected a request. */
export function Failure({ error, retry }: FailureProps) {
  const { code, title, detail, hint, errors, instance } = error.problem;
  return (
    <div className="notice bad" role="alert">
      <strong>{detail ?? title}</strong>
      {hint !== undefined && <span>{hint}</span>}
      {errors?.map((it) => (
        <span key={`${it.pointer} ${it.message}`}>
          <code>{it.pointer || '/'}</code> {it.message}
        </span>
      ))}
      <span className="small muted">
        <code>{code}</code>
        {instance !== undefined && ` · ${messages.states.requestId} ${instance}`}
      </span>
      {retry && (
        <span>
          <button type="button" className="button small" onClick={retry}>
            {messages.states.retry}
          </button>
        </span>
      )}
    </div>
  );
}

interface ReadResultProps<T> {
  readonly query: { readonly data: T | undefined; readonly error: RequestFailed | null; refetch(): unknown };
  children(data: T): ReactNode;
}

/** Shows the answer of a query, or that it loads or failed. An answer stays when a later request fails. */
export function ReadResult<T>({ query, children }: ReadResultProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}
