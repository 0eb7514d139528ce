import { useId, useState } from 'react';
import type { Json } from '../../base/json/value.js';
import { messages } from '../ui-texts.js';

interface JsonFieldProps {
  readonly label: string;
  readonly value: Json | undefined;
  /** Called with each valid value; undefined for an empty field. */
  onValue(value: Json | undefined, valid: boolean): void;
}

/** A field for any JSON value. */
export function JsonField({ label, value, onValue }: JsonFieldProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, undefined, 2)));
  const [error, setError] = useState<string>();
  const id = useId();
  return (
    <label className="field">
      <span>{label}</span>
      <textarea
        value={text}
        spellCheck={false}
        rows={10}
        aria-invalid={error !== undefined}
        aria-describedby={id}
        onChange={({ target }) => {
          setText(target.value);
          try {
            const parsed = target.value.trim() === '' ? undefined : (JSON.parse(target.value) as Json);
            setError(undefined);
            onValue(parsed, true);
          } catch (failure) {
            setError((failure as Error).message);
            onValue(undefined, false);
          }
        }}
      />
      <span id={id} role="alert" className="field-error">
        {error === undefined ? '' : `${messages.form.notJson}: ${error}`}
      </span>
    </label>
  );
}
