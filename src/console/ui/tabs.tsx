import { type ReactNode, useId, useState } from 'react';

interface TabsProps {
  readonly label: string;
  /** Content by the name of its tab; undefined ones are left out. */
  readonly tabs: Readonly<Record<string, ReactNode>>;
}

/** Parts of a page, one at a time. */
export function Tabs({ label, tabs }: TabsProps) {
  const names = Object.keys(tabs).filter((name) => tabs[name] !== undefined);
  const [chosen, setChosen] = useState(names[0] ?? '');
  const current = names.includes(chosen) ? chosen : (names[0] ?? '');
  const id = useId();
  const move = (step: number) => {
    const next = names[(names.indexOf(current) + step + names.length) % names.length] ?? '';
    setChosen(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label}>
        {names.map((name) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === current}
            aria-controls={`${id}-panel`}
            tabIndex={name === current ? 0 : -1}
            onClick={() => setChosen(name)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowRight') move(1);
              if (event.key === 'ArrowLeft') move(-1);
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {tabs[current]}
      </div>
    </>
  );
}
