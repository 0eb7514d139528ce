import type { ArrayItem, Entry, Node } from './ast.js';
import { reserved } from './reserved-words.js';
import { SelectorParser } from './selectors.js';
import { isDigit, isNameStart } from './source-cursor.js';

/** A key whose value follows. */
export interface PairStart {
  key: Node;
  attributes: Node | null;
}

/** Parses array and object literals, including conditional and spread entries. */
export abstract class CollectionParser extends SelectorParser {
  /** Position of nested parentheses in a field: they enclose its key, which a condition may follow. */
  protected entryAt = -1;

  array(): Node {
    const start = this.pos++;
    const items: ArrayItem[] = [];
    while (!this.take(']')) {
      items.push(this.item());
      if (!this.take(',')) {
        this.expect(']', "',' or ']'");
        break;
      }
    }
    this.count();
    return { kind: 'array', items, start, end: this.pos };
  }

  private item(): ArrayItem {
    const value = this.expression();
    return { value, condition: value.kind === 'group' ? this.fieldCondition() : null };
  }

  /** An object with a single field, whose key has been read. */
  protected pair(key: PairStart, start: number): Node {
    const value = this.expression();
    this.count();
    return {
      kind: 'object',
      entries: [{ kind: 'pair', key: key.key, attributes: key.attributes, value, condition: null }],
      start,
      end: this.pos,
    };
  }

  private fieldCondition(): Node | null {
    const back = this.pos;
    if (!this.takeWord('if')) {
      this.pos = back;
      return null;
    }
    this.blank();
    return this.char() === 40 ? this.primary() : this.expression();
  }

  /** Parses `name:` or `"text":`; returns null and leaves the position unchanged otherwise. */
  protected pairStart(): PairStart | null {
    const start = this.pos;
    const c = this.char();
    let key: Node;
    if (c === 34 || c === 39 || c === 96) key = this.text();
    else if (isNameStart(c)) {
      const name = this.peekName();
      this.pos += name.length;
      if (reserved.has(name)) {
        const back = this.pos;
        this.blank();
        const isKey = this.char() === 58 && this.char(1) !== 58;
        this.pos = back;
        if (!isKey) {
          this.pos = start;
          return null;
        }
        this.reservedName(name, start);
      }
      key = { kind: 'string', value: name, start, end: this.pos };
    } else return null;
    const attributes = this.attributes();
    if (!this.takeColon()) {
      this.pos = start;
      return null;
    }
    this.count();
    return { key, attributes };
  }

  /** Consumes the colon after a key, but not that of `module::name`. */
  protected takeColon(): boolean {
    const back = this.pos;
    this.blank();
    if (this.char() === 58 && this.char(1) !== 58) {
      this.pos++;
      return true;
    }
    this.pos = back;
    return false;
  }

  /** Parses `@(name: value, …)` after a key. */
  private attributes(): Node | null {
    this.blank();
    if (this.char() !== 64 || this.char(1) !== 40) return null;
    this.annotates = true;
    const start = this.pos++;
    const entries = this.entries(')');
    this.blank();
    return { kind: 'object', entries, start, end: this.pos };
  }

  /** Parses fields up to the closing bracket, starting at the opening one. */
  private entries(close: '}' | ')'): Entry[] {
    this.pos++;
    const entries: Entry[] = [];
    while (!this.take(close)) {
      entries.push(this.entry());
      if (!this.take(',')) {
        this.expect(close, `',' or '${close}'`);
        break;
      }
    }
    return entries;
  }

  object(): Node {
    const start = this.pos;
    const entries = this.entries('}');
    this.count();
    return { kind: 'object', entries, start, end: this.pos };
  }

  private entry(): Entry {
    this.blank();
    const key = this.pairStart();
    if (key)
      return { kind: 'pair', key: key.key, attributes: key.attributes, value: this.expression(), condition: null };
    if (this.char() !== 40) {
      if (isDigit(this.char())) throw this.unexpected('a field name', 'quote a numeric name');
      throw this.unexpected('a field name');
    }
    return this.parenthesisedEntry();
  }

  private parenthesisedEntry(): Entry {
    this.pos++;
    this.blank();
    const key = this.pairStart();
    if (key) {
      const value = this.expression();
      this.expect(')');
      return { kind: 'pair', key: key.key, attributes: key.attributes, value, condition: this.fieldCondition() };
    }
    this.entryAt = this.pos;
    const inner = this.expression();
    if (this.takeColon()) {
      const value = this.expression();
      this.expect(')');
      return { kind: 'pair', key: inner, attributes: null, value, condition: this.fieldCondition() };
    }
    this.expect(')');
    const attributes = this.attributes();
    if (this.takeColon()) return { kind: 'pair', key: inner, attributes, value: this.expression(), condition: null };
    return { kind: 'spread', value: inner };
  }
}
