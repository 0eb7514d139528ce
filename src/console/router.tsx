import { type AnchorHTMLAttributes, type ReactNode, useMemo, useSyncExternalStore } from 'react';

/** The path below which the console is served. */
export const basePath = '/console';

/** The place in the app that the address bar shows. */
export interface Address {
  /** Begins with a slash, without `/console`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const changed = 'console:navigated';

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener);
  window.addEventListener(changed, listener);
  return () => {
    window.removeEventListener('popstate', listener);
    window.removeEventListener(changed, listener);
  };
}

const address = () => window.location.pathname + window.location.search;

/** The current place; the component renders again when it changes. */
export function useAddress(): Address {
  const current = useSyncExternalStore(subscribe, address);
  return useMemo(() => {
    const { pathname, searchParams } = new URL(current, window.location.origin);
    return { path: pathname.slice(basePath.length) || '/', query: searchParams };
  }, [current]);
}

/** Shows another place; `replace` keeps the current one out of the browser's history. */
export function navigate(to: string, { replace = false } = {}): void {
  window.history[replace ? 'replaceState' : 'pushState'](null, '', basePath + to);
  window.dispatchEvent(new Event(changed));
  if (!replace) window.scrollTo(0, 0);
}

/** Changes parameters of the current place; an empty value removes one. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const url = new URL(window.location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  navigate(url.pathname.slice(basePath.length) + url.search, { replace: true });
}

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  readonly to: string;
  readonly children: ReactNode;
}

/** A link to another place of the app. */
export function Link({ to, children, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={basePath + to}
      onClick={(event) => {
        rest.onClick?.(event);
        const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
        if (opensElsewhere || event.defaultPrevented) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

/** The values of the `:names` in a pattern like `/runs/:id`, or undefined if the path does not match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const expected = pattern.split('/');
  const parts = path.replace(/\/$/, '').split('/');
  if (pattern === '/') return parts.join('') === '' ? {} : undefined;
  if (expected.length !== parts.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = parts[index] ?? '';
    if (part.startsWith(':')) values[part.slice(1)] = decodePart(value);
    else if (part !== value) return undefined;
  }
  return values;
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
