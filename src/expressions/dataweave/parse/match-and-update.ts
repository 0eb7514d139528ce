import type { MatchCase, MatchPattern, Node, PathStep, TypeNode, UpdateCase } from './ast.js';
import { ExpressionParser } from './infix-calls.js';
import { reserved } from './reserved-words.js';
import { isNameStart } from './source-cursor.js';

/** Parses `match` and `update` cases, and the condition of a filter selector. */
export abstract class CaseParser extends ExpressionParser {
  /** Parses a name being declared. */
  protected declaredName(): string {
    this.blank();
    const name = this.peekName();
    if (!name) throw this.unexpected('a name');
    if (reserved.has(name)) throw this.error(this.pos, this.pos + name.length, `'${name}' is a reserved word`);
    this.pos += name.length;
    return name;
  }

  /** Parses a part in which the construct itself binds a bare `$`, if `binds`. */
  private bound<R>(binds: boolean, read: () => R): R {
    if (!binds) return read();
    const outer = this.dollars;
    this.dollars = 0;
    const result = read();
    this.dollars = Math.max(outer, this.dollars > 1 ? this.dollars : 0);
    return result;
  }

  whereCondition(): Node {
    const outer = this.dollars;
    const node = this.expression();
    this.dollars = outer;
    return node;
  }

  matchCases(value: Node): Node {
    this.blank();
    this.pos++;
    this.enter();
    const cases: MatchCase[] = [];
    while (!this.take('}')) {
      const pattern = this.pattern();
      this.expect('->', "'->'");
      const binds = 'name' in pattern && pattern.name === null;
      cases.push({ pattern, body: this.bound(binds, () => this.expression()) });
      if (pattern.kind === 'else') {
        this.expect('}', "'}' to close the match");
        break;
      }
    }
    this.leave();
    this.count();
    if (cases.length === 0) throw this.error(value.end, this.pos, 'A match requires at least one case');
    return { kind: 'match', value, cases, start: value.start, end: this.pos };
  }

  private pattern(): MatchPattern {
    this.blank();
    const start = this.pos;
    if (this.takeWord('else')) {
      this.blank();
      const name = this.peekName() || null;
      if (name) this.pos += name.length;
      return { kind: 'else', name, start, end: this.pos };
    }
    if (!this.takeWord('case')) throw this.unexpected("'case', 'else' or '}'");
    this.blank();
    if (this.char() === 91) return this.arrayPattern(start);
    if (this.char() === 123) return this.objectPattern(start);
    const word = this.peekName();
    let name: string | null = null;
    const literalWord = word === 'true' || word === 'false' || word === 'null';
    if (word && !literalWord && word !== 'is' && word !== 'matches') {
      if (reserved.has(word)) throw this.unexpected('a pattern');
      name = word;
      this.pos += word.length;
      if (this.take(':')) {
        this.blank();
        return { kind: 'literal', name, value: this.literalPattern(), start, end: this.pos };
      }
    }
    if (this.takeWord('is')) {
      const type: TypeNode = this.type();
      return { kind: 'typed', name, type, start, end: this.pos };
    }
    if (this.takeWord('matches')) {
      this.blank();
      const regex = this.char() === 47 ? this.regex() : this.expression();
      return { kind: 'regex', name, regex, start, end: this.pos };
    }
    if (name !== null) {
      if (!this.takeWord('if')) throw this.unexpected("'if', 'is', 'matches' or ':' after the name");
      return { kind: 'guard', name, condition: this.guard(), start, end: this.pos };
    }
    return { kind: 'literal', name: null, value: this.literalPattern(), start, end: this.pos };
  }

  private guard(): Node {
    this.blank();
    this.conditionAt = this.pos;
    return this.expression();
  }

  private literalPattern(): Node {
    const value = this.primary();
    const literals = ['string', 'number', 'boolean', 'null', 'temporal', 'template'];
    if (!literals.includes(value.kind)) throw this.error(value.start, value.end, 'A case requires a literal here');
    return value;
  }

  private arrayPattern(start: number): MatchPattern {
    this.pos++;
    if (this.take(']')) return { kind: 'emptyArray', start, end: this.pos };
    const head = this.declaredName();
    this.expect('~', "'~'");
    const tail = this.declaredName();
    this.expect(']');
    return { kind: 'headArray', head, tail, start, end: this.pos };
  }

  private objectPattern(start: number): MatchPattern {
    this.pos++;
    if (this.take('}')) return { kind: 'emptyObject', start, end: this.pos };
    const key = this.declaredName();
    this.expect(':');
    const value = this.declaredName();
    this.expect('~', "'~'");
    const tail = this.declaredName();
    this.expect('}');
    return { kind: 'headObject', key, value, tail, start, end: this.pos };
  }

  updateCases(value: Node): Node {
    this.blank();
    this.pos++;
    this.enter();
    const cases: UpdateCase[] = [];
    while (!this.take('}')) {
      if (!this.takeWord('case')) throw this.unexpected("'case' or '}'");
      cases.push(this.updateCase());
    }
    this.leave();
    this.count();
    if (cases.length === 0) throw this.error(value.end, this.pos, 'An update requires at least one case');
    return { kind: 'update', value, cases, start: value.start, end: this.pos };
  }

  private updateCase(): UpdateCase {
    this.blank();
    const start = this.pos;
    let name: string | null = null;
    if (isNameStart(this.char())) {
      name = this.declaredName();
      if (!this.takeWord('at')) throw this.unexpected("'at'");
    }
    const path: PathStep[] = [];
    for (;;) {
      this.blank();
      const c = this.char();
      if (c === 46) path.push(this.pathField());
      else if (c === 91) {
        this.pos++;
        const key = this.expression();
        this.expect(']');
        path.push({ kind: 'index', key });
      } else break;
    }
    if (path.length === 0) throw this.unexpected("a path, such as '.field'");
    const upsert = this.char() === 33;
    if (upsert) this.pos++;
    const binds = name === null;
    const condition = this.takeWord('if') ? this.bound(binds, () => this.guard()) : null;
    this.expect('->', "'->'");
    const body = this.bound(binds, () => this.expression());
    return { name, path, upsert, condition, body, start, end: this.pos };
  }

  private pathField(): PathStep {
    this.pos++;
    const all = this.char() === 42;
    if (all) this.pos++;
    const start = this.pos;
    const isAttribute = this.char() === 64 && !all;
    if (isAttribute) {
      this.pos++;
      this.annotates = true;
    }
    const kind = isAttribute ? 'attribute' : all ? 'all' : 'field';
    if (this.char() === 34 || this.char() === 39) return { kind, key: this.text() };
    const name = this.peekName();
    if (!name) throw this.unexpected('a field name');
    this.pos += name.length;
    if (reserved.has(name)) this.reservedName(name, start);
    this.count();
    return { kind, key: { kind: 'string', value: name, start, end: this.pos } };
  }
}
