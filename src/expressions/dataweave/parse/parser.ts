import { defaultJsonOutput, type JsonOutput, jsonOptionError, jsonOutput } from '../runtime/json-output-options.js';
import type { Value } from '../runtime/values.js';
import type { Ast, Declaration, Node, NodeOf } from './ast.js';
import { CaseParser } from './match-and-update.js';
import { isNameStart } from './source-cursor.js';

/** The newest supported language version is 2.12. */
const newestMinor = 12;

/** Annotations that do not affect evaluation. */
const annotations = new Set(
  'TailRec Lazy Since Labels Experimental Deprecated StreamCapable RuntimePrivilege Interceptor'.split(' '),
);

/** Value of a literal; null for anything else. */
function constant(node: Node): Value {
  if (node.kind === 'string' || node.kind === 'boolean') return node.value;
  return node.kind === 'number' ? Number(node.text) : null;
}

/** Parses whole expressions: header, declarations, `do`. */
class Parser extends CaseParser {
  private output: JsonOutput = defaultJsonOutput;

  program(): Ast {
    const declarations = this.hasHeader() ? this.header() : [];
    this.blank();
    const body = this.expression();
    this.blank();
    if (this.pos < this.source.length) throw this.unexpected('the end of the expression', this.leftoverHint());
    return {
      source: this.source,
      mode: this.journey ? 'journey' : 'strict',
      declarations,
      body,
      lints: this.lints,
      size: this.nodes,
      output: this.output,
      annotates: this.annotates,
    };
  }

  private leftoverHint(): string | undefined {
    if (this.char() === 58 && /default\s*$/.test(this.source.slice(0, this.pos)))
      return "write 'default' without the colon";
    if (this.char() === 61) return "compare with '=='";
    if (this.char() === 38) return "write 'and'";
    if (this.char() === 124) return "write 'or'";
    if (this.char() === 63 || this.peekName() === 'then' || /\?\s*$/.test(this.source.slice(0, this.pos)))
      return "write 'if (condition) a else b'";
    return undefined;
  }

  private hasHeader(): boolean {
    this.blank();
    if (this.looking('%dw')) return true;
    const word = this.peekName();
    if (!['import', 'var', 'fun', 'type', 'ns', 'output', 'input', 'annotation'].includes(word))
      return this.journey && this.looking('---');
    return this.source.includes('---', this.pos) && this.char(word.length) !== 46;
  }

  private header(): Declaration[] {
    if (this.take('%dw')) {
      this.blank();
      const version = /^2\.(\d+)/.exec(this.source.slice(this.pos, this.pos + 8));
      if (!version || Number(version[1]) > newestMinor) throw this.unexpected('a version, such as 2.0');
      this.pos += version[0].length;
    }
    const declarations: Declaration[] = [];
    for (;;) {
      this.blank();
      if (this.looking('---')) {
        this.pos += 3;
        return declarations;
      }
      if (this.pos >= this.source.length) throw this.unexpected("'---' after the header");
      const word = this.peekName();
      if (word === 'output' || word === 'input') this.directive(word);
      else if (this.remark()) continue;
      else if (word === 'ns') throw this.unsupported(this.pos, this.pos + 2, 'A namespace');
      else {
        const declaration = this.declaration();
        if (!declaration) throw this.unexpected("a declaration or '---'");
        declarations.push(declaration);
      }
    }
  }

  /** Parses `output application/json indent = false`. Only JSON is supported. */
  private directive(word: string): void {
    const start = this.pos;
    this.pos += word.length;
    this.blank();
    if (word === 'input') {
      this.pos += this.peekName().length;
      this.blank();
    }
    const line = /^[^\n]*/.exec(this.source.slice(this.pos))![0];
    const format = /^(?:(?:application|text)\/(?:[\w.-]+\+)?json|json)(?![\w;/+.-])(?:[ \t]+with[ \t]+json\b)?/.exec(
      line,
    );
    const other = format ?? /^[\w/.+-]+[ \t]+with[ \t]+json\b/.exec(line);
    if (!other) throw this.unsupported(start, this.pos + line.length, `The ${word} format`);
    this.pos += other[0].length;
    const options = this.directiveOptions();
    if (word === 'output') this.output = jsonOutput(options);
  }

  /** Parses any number of `name = value` pairs, separated by commas. */
  private directiveOptions(): Map<string, Value> {
    const options = new Map<string, Value>();
    for (;;) {
      const back = this.pos;
      this.take(',');
      this.blank();
      const start = this.pos;
      const name = this.peekName();
      this.pos += name.length;
      if (!name || this.looking('==') || !this.take('=')) {
        this.pos = back;
        return options;
      }
      this.blank();
      const node = this.primary();
      const value = constant(node);
      const wrong = jsonOptionError(name, value);
      if (wrong) throw this.error(start, this.pos, wrong);
      options.set(name, value);
    }
  }

  private declaration(): Declaration | null {
    this.blank();
    const start = this.pos;
    switch (this.peekName()) {
      case 'var':
        this.pos += 3;
        return this.variable(start);
      case 'fun':
        this.pos += 3;
        return this.functionDeclaration(start);
      case 'type': {
        this.pos += 4;
        const name = this.declaredName();
        this.blank();
        const parameters = this.char() === 60 ? this.typeParameters() : [];
        this.expect('=');
        return { kind: 'typedef', name, parameters, type: this.declaredType(), start, end: this.pos };
      }
      case 'import':
        this.pos += 6;
        return this.importDeclaration(start);
      case 'annotation':
      case 'enum':
      case 'private':
        throw this.unsupported(start, start + this.peekName().length, `'${this.peekName()}'`);
    }
    return this.remark() ? this.declaration() : null;
  }

  /** Skips an annotation, which has no effect here. */
  private remark(): boolean {
    if (this.char() !== 64 || !isNameStart(this.char(1))) return false;
    const start = this.pos++;
    const name = this.nameOrQualified();
    if (name.kind !== 'name' || !annotations.has(name.name)) throw this.unsupported(start, this.pos, 'An annotation');
    if (!this.take('(')) return true;
    while (!this.take(')')) {
      this.declaredName();
      this.expect('=');
      this.expression();
      this.take(',');
    }
    return true;
  }

  private variable(start: number): Declaration {
    const name = this.declaredName();
    const type = this.take(':') ? this.declaredType() : null;
    this.expect('=');
    this.blank();
    const value = this.expression();
    if (value.kind !== 'lambda') this.plain.names.add(name);
    return { kind: 'var', name, type, value, start, end: this.pos };
  }

  private functionDeclaration(start: number): Declaration {
    this.blank();
    let name = this.peekName();
    if (name) this.declaredName();
    else {
      name = this.source.slice(this.pos).match(/^(\+\+|--|<<|>>|[+\-*/<>])/)?.[0] ?? '';
      throw this.unsupported(this.pos, this.pos + (name.length || 1), 'Redefining an operator');
    }
    this.plain.names.delete(name);
    this.blank();
    const types = this.char() === 60 ? this.typeParameters() : [];
    return this.withTypes(types, () => this.functionRest(name, start));
  }

  private functionRest(name: string, start: number): Declaration {
    this.blank();
    if (this.char() !== 40) throw this.unexpected("'('");
    const from = this.pos;
    const params = this.params(true);
    if (!params) throw this.unexpected("a parameter, ',' or ')'");
    const last = params[1]?.type;
    if (params.length === 2 && last?.kind === 'functionOf') this.lambdaFunctions.set(name, last.parameters.length);
    const result = this.take(':') ? this.declaredType() : null;
    this.expect('=');
    this.blank();
    const body = this.expression();
    const lambda: NodeOf<'lambda'> = { kind: 'lambda', params, body, padded: false, start: from, end: this.pos };
    this.count();
    return { kind: 'fun', name, lambda, result, start, end: this.pos };
  }

  private modulePath(): string {
    this.blank();
    const node = this.nameOrQualified();
    if (node.kind === 'qualified') return `${node.module}::${node.name}`;
    return node.kind === 'name' ? node.name : '';
  }

  private importDeclaration(start: number): Declaration {
    this.blank();
    if (this.take('*')) {
      if (!this.takeWord('from')) throw this.unexpected("'from'");
      this.importsAll = true;
      const module = this.modulePath();
      return { kind: 'import', module, alias: null, names: null, all: true, start, end: this.pos };
    }
    const names: { name: string; alias: string }[] = [];
    do {
      this.blank();
      const name = this.modulePath();
      if (!name) throw this.unexpected('a name');
      names.push({ name, alias: this.takeWord('as') ? this.declaredName() : name });
    } while (this.take(','));
    if (this.takeWord('from')) {
      const module = this.modulePath();
      for (const { name, alias } of names) this.renamed(name, alias);
      return { kind: 'import', module, alias: null, names, all: false, start, end: this.pos };
    }
    const only = names[0]!;
    const alias = only.alias === only.name ? (only.name.split('::').at(-1) ?? only.name) : only.alias;
    return { kind: 'import', module: only.name, alias, names: null, all: false, start, end: this.pos };
  }

  private blockDeclarations(): Declaration[] {
    const declarations: Declaration[] = [];
    for (let next = this.declaration(); next; next = this.declaration()) {
      declarations.push(next);
      if (this.journey && this.take(';'))
        this.lint('DW-D4', this.pos - 1, "A declaration must not end with ';'", "remove the ';'");
    }
    this.blank();
    return declarations;
  }

  doBlock(): Node {
    const start = this.pos;
    this.pos += 2;
    this.expect('{');
    this.enter();
    this.plain = { names: new Set(), outer: this.plain };
    const open = this.pos;
    let declarations = this.blockDeclarations();
    if (this.journey && declarations.length > 0 && this.char() === 125) {
      // The last declaration swallowed the result, which starts on its own line.
      this.pos = open;
      this.memo.clear();
      const outer = this.lineEnds;
      this.lineEnds = true;
      declarations = this.blockDeclarations();
      this.lineEnds = outer;
    }
    if (this.looking('---')) this.pos += 3;
    else if (this.journey)
      this.lint('DW-D4', this.pos, "A do block requires '---' before its result", "write '---' after the declarations");
    else if (declarations.length > 0 || this.char() === 125) throw this.unexpected("'---' before the result");
    this.blank();
    const body = this.expression();
    this.expect('}', "'}' to close the do block");
    this.plain = this.plain.outer!;
    this.leave();
    this.count();
    return { kind: 'do', declarations, body, start, end: this.pos };
  }
}

/** Parses `source`; throws a ProblemError with the position of the first error. */
export function parse(source: string, mode: 'strict' | 'journey', given?: ReadonlySet<string>): Ast {
  return new Parser(source, mode === 'journey', given).program();
}
