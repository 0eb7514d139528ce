import { useEffect, useId, useState } from 'react';
import { setQuery, useAddress } from '../router.tsx';
import { messages } from '../ui-texts.js';
import { localMinute } from './time-texts.js';

interface FilterFieldProps {
  /** The parameter of the page's address that holds the value. */
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'datetime-local';
  /** A choice instead of a text. */
  readonly options?: readonly string[];
  /** The choices as the reader sees them, where that differs. */
  readonly texts?: Readonly<Record<string, string>>;
  /** The choice that applies without a filter; absent: any. */
  readonly fallback?: string;
}

/** Whether an address filters its list: parameters of the page itself are not filters. */
export function isFiltered(query: URLSearchParams): boolean {
  return [...query].some(([name, value]) => value !== '' && !['open', 'orchestrator'].includes(name));
}

/** Time without typing after which a filter applies. */
const settleMs = 400;

/** A filter of a list, kept in the page's address so that a link carries it. */
export function FilterField({ name, label, type = 'text', options, texts, fallback }: FilterFieldProps) {
  const id = useId();
  const { query } = useAddress();
  const given = query.get(name) ?? fallback ?? '';
  const applied = type === 'datetime-local' ? localMinute(given) : given;
  const [value, setValue] = useState(applied);
  useEffect(() => setValue(applied), [applied]);
  useEffect(() => {
    if (value === applied) return;
    const timer = setTimeout(() => setQuery({ [name]: value, page: undefined }), settleMs);
    return () => clearTimeout(timer);
  }, [value, applied, name]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {options ? (
        <select id={id} value={value} onChange={({ target }) => setValue(target.value)}>
          {fallback === undefined && <option value="">{messages.fields.any}</option>}
          {options.map((it) => (
            <option key={it} value={it}>
              {texts?.[it] ?? it}
            </option>
          ))}
        </select>
      ) : (
        <input id={id} type={type} value={value} spellCheck={false} onChange={({ target }) => setValue(target.value)} />
      )}
    </div>
  );
}
