import type { Json } from '../../base/json/value.js';

/** A JSON value as indented text. */
export function JsonText({ value, label }: { readonly value: Json | undefined; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard.
    <section className="json" aria-label={label} tabIndex={0}>
      <code>{value === undefined ? '' : JSON.stringify(value, undefined, 2)}</code>
    </section>
  );
}
