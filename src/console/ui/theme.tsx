import { useState } from 'react';
import { messages } from '../ui-texts.js';
import { Icon } from './icons.tsx';

const key = 'journeyman.theme';

type Theme = 'light' | 'dark';

function chosen(): Theme | undefined {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
}

function current(): Theme {
  return chosen() ?? (window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

/** Applies the reader's choice of a theme; by default the system's applies. */
export function applyTheme(): void {
  const theme = chosen();
  if (theme) document.documentElement.dataset.theme = theme;
}

/** Switches between light and dark. */
export function ThemeButton() {
  const [theme, setTheme] = useState(current);
  const other: Theme = theme === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      className="button quiet icon"
      aria-label={messages.shell.theme[other]}
      title={messages.shell.theme[other]}
      onClick={() => {
        localStorage.setItem(key, other);
        applyTheme();
        setTheme(other);
      }}
    >
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </button>
  );
}
