import type { Json } from '../../base/json/value.js';
import { messages } from '../ui-texts.js';
import { jsonChanges } from './json-diff.js';

/** The differences between two JSON values as a table; `nothing` is shown if they are equal. */
export function JsonChanges({
  before,
  after,
  nothing,
}: {
  readonly before: Json;
  readonly after: Json;
  readonly nothing: string;
}) {
  const changes = jsonChanges(before, after);
  if (changes.length === 0) return <p className="muted">{nothing}</p>;
  return (
    <ul className="changes">
      {changes.map(({ pointer, kind, before: old, after: now }) => (
        <li key={pointer} className={kind}>
          <code>{pointer || '/'}</code> <span className="hidden-text">{messages.run[kind]}</span>
          {old !== undefined && <del>{short(old)}</del>}
          {now !== undefined && <ins>{short(now)}</ins>}
        </li>
      ))}
    </ul>
  );
}

const longest = 2_000;

function short(value: Json): string {
  const text = JSON.stringify(value, undefined, 1) ?? '';
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}
