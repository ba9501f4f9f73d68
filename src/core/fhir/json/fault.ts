import { isNumberLiteral } from './scan';

/** A reason for refusing a text, in readable form. */
export interface JsonFault {
  readonly kind: 'syntax' | 'duplicate' | 'character' | 'name' | 'depth';
  readonly reason: string;
  /** FHIRPath of the invalid value; undefined for a syntax error. */
  readonly expression?: string;
}

/** Member names that would reach into JavaScript's prototypes. No element of FHIR has such a name. */
export function isForbiddenName(name: string): boolean {
  return name === '__proto__' || name === 'constructor';
}

/**
 * Finds the first fault in JSON text that is known or suspected to have one: syntax, a duplicate member name, a
 * forbidden name or character, more than `maxDepth` levels of objects and arrays. `root` is the type that expressions
 * begin with; if it is '', they begin with the resourceType of the text, if it has one. Cost: slow, because it is
 * exact; recursive to `maxDepth`.
 */
export function findFault(text: string, root: string, maxDepth: number): JsonFault | undefined {
  const inspection = new Inspection(text, root, maxDepth);
  try {
    inspection.run();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof FaultFound) return thrown.fault;
    throw thrown;
  }
}

/** Names of members and indexes of lists, from the root of a JSON document. */
export type JsonPath = readonly (string | number)[];

/** Returns an expression such as `Patient.name[0].family` for a root and the names and indexes below it. */
export function toExpression(root: string, path: JsonPath): string {
  let expression = root;
  for (const step of path) {
    if (typeof step === 'number') expression += `${expression === '' ? '$this' : ''}[${step}]`;
    else expression += (expression === '' ? '' : '.') + toIdentifier(step);
  }
  return expression;
}

function toIdentifier(name: string): string {
  const short = shorten(name);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(short) ? short : `\`${short.replace(/[\\`]/g, '\\$&')}\``;
}

/** Maximum length of a client's text that an answer quotes. */
const LONGEST_QUOTE = 80;

/** Returns the beginning of a text, with control characters and half surrogate pairs replaced. */
export function shorten(text: string): string {
  return shortenTo(text, LONGEST_QUOTE);
}

/** As `shorten`, with another maximum of characters. */
export function shortenTo(text: string, longest: number): string {
  const visible = text.slice(0, longest).replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd');
  return text.length > longest ? `${visible}…` : visible;
}

/** Returns a plausible resourceType as the root of expressions; else ''. */
export function toRoot(resourceType: unknown): string {
  return typeof resourceType === 'string' && /^[A-Z][A-Za-z]{0,63}$/.test(resourceType) ? resourceType : '';
}

const WORD = /[^\s,:[\]{}"]*/y;
/** Any surrogate, paired or not. Only an expression with the flag `u` can tell them apart, at some cost. */
const SURROGATE = /[\ud800-\udfff]/;

class FaultFound extends Error {
  constructor(readonly fault: JsonFault) {
    super(fault.reason);
  }
}

class Inspection {
  private position = 0;
  private depth = 0;
  private readonly path: (string | number)[] = [];

  constructor(
    private readonly text: string,
    private root: string,
    private readonly maxDepth: number,
  ) {}

  run(): void {
    this.skipSpace();
    this.value();
    this.skipSpace();
    if (this.position < this.text.length) this.refuse('the end of the body was expected');
  }

  private value(): void {
    const first = this.text[this.position];
    if (first === '{' || first === '[') {
      if (++this.depth > this.maxDepth)
        this.report('depth', `The body is nested deeper than ${this.maxDepth} levels`);
      if (first === '{') this.object();
      else this.array();
      this.depth--;
    } else if (first === '"') this.textValue();
    else this.literal();
  }

  private textValue(): void {
    const value = this.string();
    this.checkCharacters(value);
    const isType = this.root === '' && this.path.length === 1 && this.path[0] === 'resourceType';
    if (isType) this.root = toRoot(value);
  }

  private object(): void {
    const names = new Set<string>();
    this.position++;
    this.skipSpace();
    if (this.take('}')) return;
    for (;;) {
      if (this.text[this.position] !== '"') this.refuse('a member name in double quotes was expected');
      this.member(names);
      this.skipSpace();
      if (this.take('}')) return;
      if (!this.take(',')) this.refuse("',' or '}' was expected");
      this.skipSpace();
    }
  }

  private member(names: Set<string>): void {
    const name = this.string();
    this.path.push(name);
    if (names.has(name)) {
      const owner = toExpression(this.root, this.path.slice(0, -1));
      const place = owner === '' ? 'the same object' : owner;
      this.report('duplicate', `The member '${shorten(name)}' occurs twice in ${place}`);
    }
    names.add(name);
    if (isForbiddenName(name)) this.report('name', `A member must not have the name '${name}'`);
    this.checkCharacters(name);
    this.skipSpace();
    if (!this.take(':')) this.refuse("':' was expected after the member name");
    this.skipSpace();
    this.value();
    this.path.pop();
  }

  private array(): void {
    this.position++;
    this.skipSpace();
    if (this.take(']')) return;
    for (let index = 0; ; index++) {
      this.path.push(index);
      this.value();
      this.path.pop();
      this.skipSpace();
      if (this.take(']')) return;
      if (!this.take(',')) this.refuse("',' or ']' was expected");
      this.skipSpace();
    }
  }

  private string(): string {
    const start = this.position++;
    let isPlain = true;
    for (; this.position < this.text.length; this.position++) {
      const code = this.text.charCodeAt(this.position);
      if (code === 0x22) {
        const end = this.position++;
        if (isPlain) return this.text.slice(start + 1, end);
        const value: unknown = JSON.parse(this.text.slice(start, this.position));
        return String(value);
      }
      if (code < 0x20)
        this.refuse('a line break, tab or other control character must be escaped inside a string');
      if (code === 0x5c) {
        isPlain = false;
        this.position++;
        if (!/^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.text.slice(this.position, this.position + 5))) {
          this.refuse('an unknown escape sequence');
        }
      }
    }
    return this.refuse('a string is not closed');
  }

  private literal(): void {
    WORD.lastIndex = this.position;
    const word = WORD.exec(this.text)?.[0] ?? '';
    if (word === 'true' || word === 'false' || word === 'null' || isNumberLiteral(word))
      this.position += word.length;
    else this.refuse('a value was expected');
  }

  private checkCharacters(value: string): void {
    if (value.includes('\u0001')) this.report('character', 'A string may not hold the character U+0001');
    if (SURROGATE.test(value) && /\p{Cs}/u.test(value))
      this.report('character', 'A string holds half of a surrogate pair');
  }

  private skipSpace(): void {
    for (; this.position < this.text.length; this.position++) {
      const code = this.text.charCodeAt(this.position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  private take(character: string): boolean {
    if (this.text[this.position] !== character) return false;
    this.position++;
    return true;
  }

  private refuse(expectation: string): never {
    const before = this.text.slice(0, this.position);
    const line = before.split('\n').length;
    const column = this.position - (before.lastIndexOf('\n') + 1) + 1;
    const found = this.position < this.text.length ? '' : ', but the body ends here';
    throw new FaultFound({
      kind: 'syntax',
      reason: `line ${line}, column ${column}: ${expectation}${found}`,
    });
  }

  private report(kind: JsonFault['kind'], reason: string): never {
    throw new FaultFound({ kind, reason, expression: toExpression(this.root, this.path) });
  }
}
