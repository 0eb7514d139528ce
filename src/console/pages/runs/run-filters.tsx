import { useId, useState } from 'react';
import { Link, setQuery, useAddress } from '../../router.tsx';
import { badgeText } from '../../ui/badge.tsx';
import { FilterField, isFiltered } from '../../ui/filter-field.tsx';
import { messages } from '../../ui-texts.js';

export const allPhases = ['RUNNING', 'SUCCEEDED', 'FAILED'] as const;
const phaseTexts = Object.fromEntries(allPhases.map((it) => [it, badgeText(it)]));

/** Filters of the runs, which the page's address holds. A narrow screen shows them on request, or if the address has some. */
export function RunFilters() {
  const { query } = useAddress();
  const [isOpen, setOpen] = useState(() => isFiltered(query));
  const id = useId();
  return (
    <>
      <button
        type="button"
        className="button narrow-only"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {messages.runs.filters}
      </button>
      <search id={id} className={isOpen ? 'filters' : 'filters wide-only'} aria-label={messages.runs.filters}>
        <FilterField name="journey" label={messages.fields.journey} />
        <FilterField name="key" label={messages.fields.key} />
        <FilterField name="phase" label={messages.fields.phase} options={allPhases} texts={phaseTexts} />
        <FilterField name="state" label={messages.fields.state} />
        <FilterField name="error" label={messages.fields.error} />
        <FilterField name="tag" label={messages.fields.tag} />
        <FilterField name="subject" label={messages.fields.subject} />
        <FilterField name="from" label={messages.fields.from} type="datetime-local" />
        <FilterField name="before" label={messages.fields.before} type="datetime-local" />
        {Object.entries(messages.runs.last).map(([hours, text]) => (
          <button
            key={hours}
            type="button"
            className="button quiet"
            onClick={() => setQuery(sinceHours(Number(hours)))}
          >
            {text}
          </button>
        ))}
        {[...query.keys()].length > 0 && (
          <Link to="/runs" className="button quiet">
            {messages.runs.clear}
          </Link>
        )}
      </search>
    </>
  );
}

/** Parameters of the address for the runs that started in the last hours. */
function sinceHours(hours: number): Record<string, string | undefined> {
  return { from: new Date(Date.now() - hours * 3_600_000).toISOString(), before: undefined, page: undefined };
}
