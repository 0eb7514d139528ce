import type { Node, TypeField, TypeNode, TypeParam } from './ast.js';
import { LiteralParser } from './literals.js';
import { isDigit, isNameStart } from './source-cursor.js';

/** Parses type expressions: names, unions, object and function types, literals. */
export abstract class TypeParser extends LiteralParser {
  abstract object(): Node;

  /** Whether attributes, metadata, or types with metadata options occurred. */
  protected annotates = false;

  /** Type parameters of the enclosing functions: they accept any type. */
  private readonly variables: string[] = [];

  /** Parses a part in which these names accept any type. */
  protected withTypes<R>(names: readonly string[], read: () => R): R {
    this.variables.push(...names);
    const result = read();
    this.variables.length -= names.length;
    return result;
  }

  type(): TypeNode {
    this.blank();
    this.enter();
    const start = this.pos;
    const first = this.typeIntersection();
    this.blank();
    if (this.char() !== 124 || this.char(1) === 125) {
      this.leave();
      return first;
    }
    const members = [first];
    while (this.char() === 124 && this.char(1) !== 125) {
      this.pos++;
      members.push(this.typeIntersection());
      this.blank();
    }
    this.leave();
    return { kind: 'union', members, start, end: this.pos };
  }

  private typeIntersection(): TypeNode {
    const start = this.pos;
    const members = [this.typePrimary()];
    while (this.take('&')) members.push(this.typePrimary());
    return members.length === 1 ? members[0]! : { kind: 'intersection', members, start, end: this.pos };
  }

  private typePrimary(): TypeNode {
    this.blank();
    this.count();
    const start = this.pos;
    const c = this.char();
    if (c === 40) return this.typeGroup();
    if (c === 123) return this.typeObject();
    if (c === 34 || c === 39) return { kind: 'literal', value: this.text(), start, end: this.pos };
    if (isDigit(c) || (c === 45 && isDigit(this.char(1))))
      return { kind: 'literal', value: this.number(), start, end: this.pos };
    if (c === 60) return this.withTypes(this.typeParameters(), () => this.typePrimary());
    if (!isNameStart(c)) throw this.unexpected('a type');
    let name = this.peekName();
    this.pos += name.length;
    if (name === 'true' || name === 'false')
      return {
        kind: 'literal',
        value: { kind: 'boolean', value: name === 'true', start, end: this.pos },
        start,
        end: this.pos,
      };
    while (this.looking('::') && isNameStart(this.char(2))) {
      this.pos += 2;
      const part = this.peekName();
      this.pos += part.length;
      name = part;
    }
    const args: TypeNode[] = [];
    if (this.char() === 60) {
      this.pos++;
      do args.push(this.type());
      while (this.take(','));
      this.expect('>');
    }
    if (this.variables.includes(name)) name = 'Any';
    let type: TypeNode = { kind: 'named', name, args, options: null, start, end: this.pos };
    while (this.char() === 46 && isNameStart(this.char(1))) {
      this.pos++;
      const member = this.peekName();
      this.pos += member.length;
      type = { kind: 'member', of: type, name: member, start, end: this.pos };
    }
    return type;
  }

  /** Parses `{format: "…"}` after a type, where the grammar allows it. */
  typeOptions(): Node | null {
    const back = this.pos;
    this.blank();
    if (this.char() === 123 && this.char(1) !== 124) {
      const options = this.object();
      return options;
    }
    this.pos = back;
    return null;
  }

  /** Parses the type of a declaration. Its options matter only for dates and text. */
  declaredType(): TypeNode {
    const type = this.type();
    const options = this.typeOptions();
    this.annotates ||= options !== null && asksForMetadata(options);
    return options && type.kind === 'named' ? { ...type, options, end: this.pos } : type;
  }

  typeParameters(): string[] {
    const names: string[] = [];
    this.expect('<');
    do {
      this.blank();
      names.push(this.peekName());
      this.pos += names.at(-1)!.length;
      if (this.take('<:')) this.type();
    } while (this.take(','));
    this.expect('>');
    return names;
  }

  private typeGroup(): TypeNode {
    const start = this.pos;
    const back = this.pos++;
    let depth = 1;
    while (depth > 0) {
      if (this.pos >= this.source.length) throw this.error(start, start + 1, "The '(' is not closed");
      if (this.char() === 40) depth++;
      if (this.char() === 41) depth--;
      this.pos++;
    }
    this.blank();
    const isFunction = this.looking('->');
    this.pos = back + 1;
    if (!isFunction) {
      const inner = this.type();
      this.expect(')');
      return inner;
    }
    const parameters: TypeParam[] = [];
    while (!this.take(')')) {
      parameters.push(this.typeParam());
      if (!this.take(',')) {
        this.expect(')', "',' or ')'");
        break;
      }
    }
    this.expect('->');
    const result = this.type();
    return { kind: 'functionOf', parameters, result, start, end: this.pos };
  }

  /** Parses `name: Type`, `name?: Type` or a bare type. */
  private typeParam(): TypeParam {
    this.blank();
    const back = this.pos;
    const name = this.peekName();
    this.pos += name.length;
    const optional = name !== '' && this.take('?');
    if (name && !this.looking('::') && this.take(':')) return { name, optional, type: this.declaredType() };
    this.pos = back;
    return { name: '', optional: false, type: this.declaredType() };
  }

  private typeObject(): TypeNode {
    const start = this.pos;
    this.pos++;
    const bar = this.take('|');
    const dash = !bar && this.take('-');
    const fields: TypeField[] = [];
    const close = bar ? '|}' : dash ? '-}' : '}';
    while (!this.take(close)) {
      fields.push(this.typeField());
      if (!this.take(',')) {
        this.expect(close, `',' or '${close}'`);
        break;
      }
    }
    return { kind: 'objectOf', fields, closed: bar, start, end: this.pos };
  }

  private typeField(): TypeField {
    this.blank();
    let name: string | null;
    if (this.char() === 34 || this.char() === 39) {
      const text = this.text();
      name = text.kind === 'string' ? text.value : null;
    } else if (this.take('(')) {
      this.type();
      this.expect(')');
      name = null;
    } else {
      name = this.peekName();
      if (!name) throw this.unexpected('a field name');
      this.pos += name.length;
    }
    if (name === '_') name = null;
    const repeated = this.take('*');
    const optional = this.take('?');
    this.expect(':');
    const type = this.declaredType();
    return { name, optional, repeated, type };
  }
}

/** Whether the options of a type affect more than how its values are written. */
function asksForMetadata(options: Node): boolean {
  if (options.kind !== 'object') return false;
  return options.entries.some((it) => it.kind !== 'pair' || it.key.kind !== 'string' || it.key.value !== 'format');
}
