import { type ReactNode, useEffect, useRef } from 'react';
import { session, useSession } from './api/session-credential.js';
import { useIsOperator } from './api/use-read-and-change.js';
import { Link, useAddress } from './router.tsx';
import { Icon, type IconName } from './ui/icons.tsx';
import { ThemeButton } from './ui/theme.tsx';
import { messages } from './ui-texts.js';

/** Pages of operators only. */
const operating: readonly string[] = ['/schedules', '/jobs', '/pipelines'];

interface Entry {
  readonly to: string;
  readonly icon: IconName & keyof typeof messages.shell.pages;
}

const entries: readonly Entry[] = [
  { to: '/', icon: 'home' },
  { to: '/inbox', icon: 'inbox' },
  { to: '/runs', icon: 'runs' },
  { to: '/journeys', icon: 'journeys' },
  { to: '/schedules', icon: 'schedules' },
  { to: '/jobs', icon: 'jobs' },
  { to: '/pipelines', icon: 'pipelines' },
  { to: '/playground', icon: 'playground' },
];

/** The frame around every page: navigation, theme, sign-out. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { path } = useAddress();
  const state = useSession();
  const isOperator = useIsOperator();
  const visible = isOperator === false ? entries.filter(({ to }) => !operating.includes(to)) : entries;
  const isCurrent = (to: string) => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`));
  const navigation = useRef<HTMLElement>(null);
  // On narrow screens the entries are a row that scrolls.
  useEffect(() => {
    const current = path === '' ? null : navigation.current?.querySelector<HTMLElement>('[aria-current]');
    // Not scrollIntoView, after which the first Tab starts here, behind the link that skips the navigation.
    if (current) navigation.current?.scrollTo({ left: current.offsetLeft - navigation.current.offsetLeft - 40 });
  }, [path]);
  return (
    <div className="shell">
      <a className="button skip" href="#content">
        {messages.shell.skip}
      </a>
      <aside className="side">
        <Link to="/" className="brand">
          Journeyman
        </Link>
        <nav ref={navigation} aria-label={messages.shell.navigation}>
          <ul>
            {visible.map(({ to, icon: name }) => (
              <li key={to}>
                <Link to={to} {...(isCurrent(to) && { 'aria-current': 'page' as const })}>
                  <Icon name={name} />
                  {messages.shell.pages[name]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="side-foot">
          <ThemeButton />
          {state === 'signed-in' && (
            <button
              type="button"
              className="button quiet icon"
              aria-label={messages.shell.signOut}
              title={messages.shell.signOut}
              onClick={session.signOut}
            >
              <Icon name="leave" />
            </button>
          )}
        </div>
      </aside>
      <main className="main" id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
