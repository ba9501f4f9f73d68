import { PathSyntaxError } from './error';
import { tokenize, type Token } from './lexer';
import { BINARY_OPERATORS, type BinaryOperator, type LiteralSyntax, type PathSyntax } from './syntax';

/** Operator precedence, http://hl7.org/fhirpath/N1/#operator-precedence; `is` and `as` are between `|` and `+`. */
const STRENGTH: Readonly<Record<BinaryOperator | 'is' | 'as', number>> = {
  implies: 1,
  or: 2,
  xor: 2,
  and: 3,
  in: 4,
  contains: 4,
  '=': 5,
  '~': 5,
  '!=': 5,
  '!~': 5,
  '<': 6,
  '<=': 6,
  '>': 6,
  '>=': 6,
  '|': 7,
  is: 8,
  as: 8,
  '+': 9,
  '-': 9,
  '&': 9,
  '*': 10,
  '/': 10,
  div: 10,
  mod: 10,
};

const CALENDAR_UNITS: ReadonlySet<string> = new Set(
  ['year', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'].flatMap((unit) => [
    unit,
    `${unit}s`,
  ]),
);

/** Words that are operators or literals wherever a name could begin. */
const RESERVED: ReadonlySet<string> = new Set(['and', 'or', 'xor', 'implies', 'div', 'mod', 'true', 'false']);

const OPERATORS: ReadonlySet<string> = new Set(BINARY_OPERATORS);

function isBinaryOperator(text: string): text is BinaryOperator {
  return OPERATORS.has(text);
}

/** Maximum length in characters. FHIR's own longest expression has some 1,200; a client can send megabytes. */
const MAX_LENGTH = 10_000;
/** Maximum levels of brackets and signs, and of the resulting tree, so that recursion over it has a bounded stack. */
const MAX_DEPTH = 250;

/** Parses an expression of up to 10,000 characters and 250 levels. Throws PathSyntaxError. */
export function parsePath(expression: string): PathSyntax {
  if (expression.length > MAX_LENGTH)
    throw new PathSyntaxError(`An expression may have ${MAX_LENGTH} characters, not ${expression.length}`);
  return new Parser(tokenize(expression)).parse();
}

/** Not recursive, because a chain of members is a tree as deep as the chain is long. */
function isDeeper(syntax: PathSyntax, limit: number): boolean {
  let level = [syntax];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

function childrenOf(syntax: PathSyntax): PathSyntax[] {
  switch (syntax.kind) {
    case 'member':
      return syntax.on ? [syntax.on] : [];
    case 'call':
      return syntax.on ? [syntax.on, ...syntax.arguments] : [...syntax.arguments];
    case 'indexer':
      return [syntax.on, syntax.index];
    case 'polarity':
    case 'type':
      return [syntax.operand];
    case 'binary':
      return [syntax.left, syntax.right];
    default:
      return [];
  }
}

class Parser {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  parse(): PathSyntax {
    const syntax = this.parseExpression(0);
    if (this.token.kind !== 'end') this.fail();
    if (isDeeper(syntax, MAX_DEPTH)) this.failForDepth(syntax.position);
    return syntax;
  }

  private get token(): Token {
    const token = this.tokens[this.at];
    if (!token) throw new PathSyntaxError('The expression ends too early');
    return token;
  }

  private take(): Token {
    const token = this.token;
    if (token.kind === 'end') throw new PathSyntaxError('The expression ends too early', token.position);
    this.at += 1;
    return token;
  }

  private is(text: string): boolean {
    return this.token.text === text && (this.token.kind === 'symbol' || this.token.kind === 'identifier');
  }

  private takeIf(text: string): boolean {
    if (!this.is(text)) return false;
    this.at += 1;
    return true;
  }

  private expect(text: string): void {
    if (!this.takeIf(text)) this.fail(`'${text}' is expected`);
  }

  private fail(reason?: string): never {
    const { text, kind, position } = this.token;
    throw new PathSyntaxError(
      reason ?? (kind === 'end' ? 'The expression ends too early' : `'${text}' is unexpected`),
      position,
    );
  }

  private failForDepth(position: number): never {
    throw new PathSyntaxError(`An expression may be ${MAX_DEPTH} levels deep`, position);
  }

  private nested(parse: () => PathSyntax): PathSyntax {
    if (this.depth >= MAX_DEPTH) this.failForDepth(this.token.position);
    this.depth += 1;
    const syntax = parse();
    this.depth -= 1;
    return syntax;
  }

  private parseExpression(weakest: number): PathSyntax {
    return this.nested(() => this.parseOperations(weakest));
  }

  private parseOperations(weakest: number): PathSyntax {
    let left = this.parsePolarity();
    for (;;) {
      const { text, kind, position } = this.token;
      if (kind !== 'symbol' && kind !== 'identifier') return left;
      if (text === 'is' || text === 'as') {
        if (STRENGTH[text] <= weakest) return left;
        this.at += 1;
        left = { kind: 'type', operator: text, operand: left, typeName: this.parseTypeName(), position };
      } else if (isBinaryOperator(text)) {
        if (STRENGTH[text] <= weakest) return left;
        this.at += 1;
        left = {
          kind: 'binary',
          operator: text,
          left,
          right: this.parseExpression(STRENGTH[text]),
          position,
        };
      } else return left;
    }
  }

  private parseTypeName(): string {
    const name = this.parseName();
    return this.takeIf('.') ? `${name}.${this.parseName()}` : name;
  }

  private parseName(): string {
    const { kind, text } = this.token;
    if (kind !== 'identifier' && kind !== 'delimited') this.fail('A name is expected');
    this.at += 1;
    return text;
  }

  private parsePolarity(): PathSyntax {
    const { text, kind, position } = this.token;
    if (kind === 'symbol' && (text === '+' || text === '-')) {
      this.at += 1;
      return { kind: 'polarity', operator: text, operand: this.nested(() => this.parsePolarity()), position };
    }
    return this.parsePostfix(this.parseTerm());
  }

  private parsePostfix(term: PathSyntax): PathSyntax {
    let syntax = term;
    for (;;) {
      const { position } = this.token;
      if (this.takeIf('.')) syntax = this.parseInvocation(syntax);
      else if (this.takeIf('[')) {
        syntax = { kind: 'indexer', on: syntax, index: this.parseExpression(0), position };
        this.expect(']');
      } else return syntax;
    }
  }

  private parseInvocation(on: PathSyntax | undefined): PathSyntax {
    const { position } = this.token;
    if (this.is('$')) return this.parseIterationVariable();
    const name = this.parseName();
    if (!this.takeIf('(')) return { kind: 'member', on, name, position };
    const parameters: PathSyntax[] = [];
    if (!this.takeIf(')')) {
      do parameters.push(this.parseExpression(0));
      while (this.takeIf(','));
      this.expect(')');
    }
    return { kind: 'call', on, name, arguments: parameters, position };
  }

  private parseIterationVariable(): PathSyntax {
    const { position } = this.take();
    const { text } = this.take();
    if (text === 'this' || text === 'index' || text === 'total') return { kind: text, position };
    throw new PathSyntaxError(`'$${text}' is not a variable`, position);
  }

  private parseTerm(): PathSyntax {
    const { kind, text, position } = this.token;
    switch (kind) {
      case 'string':
        this.at += 1;
        return { kind: 'literal', type: 'String', text, position };
      case 'date':
        this.at += 1;
        return { kind: 'literal', type: 'Date', text, position };
      case 'dateTime':
        this.at += 1;
        return { kind: 'literal', type: 'DateTime', text, position };
      case 'time':
        this.at += 1;
        return { kind: 'literal', type: 'Time', text, position };
      case 'number':
        return this.parseNumber();
      case 'delimited':
        return this.parseInvocation(undefined);
      case 'identifier':
        if (text === 'true' || text === 'false') {
          this.at += 1;
          return { kind: 'literal', type: 'Boolean', text, position };
        }
        if (RESERVED.has(text)) this.fail();
        return this.parseInvocation(undefined);
      case 'symbol':
        return this.parseSymbol();
      case 'end':
        return this.fail();
    }
  }

  private parseSymbol(): PathSyntax {
    const { position } = this.token;
    if (this.takeIf('(')) {
      const inner = this.parseExpression(0);
      this.expect(')');
      return inner;
    }
    if (this.takeIf('{')) {
      this.expect('}');
      return { kind: 'empty', position };
    }
    if (this.is('$')) return this.parseIterationVariable();
    if (this.takeIf('%')) {
      const { kind, text } = this.take();
      if (kind !== 'identifier' && kind !== 'delimited' && kind !== 'string') {
        throw new PathSyntaxError("A name is expected after '%'", position);
      }
      return { kind: 'variable', name: text, position };
    }
    return this.fail();
  }

  private parseNumber(): LiteralSyntax {
    const { text, position } = this.take();
    const unit = this.token;
    if (unit.kind === 'string') {
      this.at += 1;
      return { kind: 'literal', type: 'Quantity', text, unit: unit.text, position };
    }
    if (unit.kind === 'identifier' && CALENDAR_UNITS.has(unit.text)) {
      this.at += 1;
      return { kind: 'literal', type: 'Quantity', text, unit: unit.text, isCalendar: true, position };
    }
    return { kind: 'literal', type: text.includes('.') ? 'Decimal' : 'Integer', text, position };
  }
}
