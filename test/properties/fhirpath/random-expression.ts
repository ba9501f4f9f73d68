/**
 * Random FHIRPath expressions of the grammar (http://hl7.org/fhirpath/N1/grammar.html), with a weight on growing
 * ones.
 */
import { FUNCTIONS } from '../../../src/core/fhir/path/compiler';
import { BINARY_OPERATORS, type BinaryOperator } from '../../../src/core/fhir/path/syntax';
import type { Random } from '../../core/fhir/random-json';

type Kind =
  'boolean' | 'string' | 'integer' | 'decimal' | 'date' | 'dateTime' | 'time' | 'quantity' | 'elements';

/** The kind of an argument: a value of a kind, an expression for each value, or a literal of its own. */
type Argument = Kind | 'criterion' | 'projection' | 'type' | 'pattern' | 'url' | 'encoding' | 'escaping';

/** `same`: of the kind that it is called on. */
type Result = Kind | 'same';

type Signature = readonly [on: readonly Kind[], result: Result, ...given: Argument[]];

const KINDS: readonly Kind[] = [
  'boolean', 'string', 'integer', 'decimal', 'date', 'dateTime', 'time', 'quantity', 'elements',
]; // prettier-ignore
const NUMBERS: readonly Kind[] = ['integer', 'decimal'];

/** Functions without a signature are called on anything with anything. */
const SIGNATURES: ReadonlyMap<string, Signature> = new Map<string, Signature>([
  ['empty', [KINDS, 'boolean']],
  ['exists', [KINDS, 'boolean', 'criterion']],
  ['all', [KINDS, 'boolean', 'criterion']],
  ['not', [['boolean'], 'boolean']],
  ['allTrue', [['boolean'], 'boolean']],
  ['anyTrue', [['boolean'], 'boolean']],
  ['allFalse', [['boolean'], 'boolean']],
  ['anyFalse', [['boolean'], 'boolean']],
  ['subsetOf', [KINDS, 'boolean', 'elements']],
  ['supersetOf', [KINDS, 'boolean', 'elements']],
  ['count', [KINDS, 'integer']],
  ['distinct', [KINDS, 'same']],
  ['isDistinct', [KINDS, 'boolean']],
  ['where', [KINDS, 'same', 'criterion']],
  ['select', [KINDS, 'same', 'projection']],
  ['repeat', [KINDS, 'same', 'projection']],
  ['aggregate', [KINDS, 'same', 'projection', 'elements']],
  ['iif', [['boolean'], 'elements', 'criterion', 'projection', 'projection']],
  ['single', [KINDS, 'same']],
  ['first', [KINDS, 'same']],
  ['last', [KINDS, 'same']],
  ['tail', [KINDS, 'same']],
  ['skip', [KINDS, 'same', 'integer']],
  ['take', [KINDS, 'same', 'integer']],
  ['intersect', [KINDS, 'same', 'elements']],
  ['exclude', [KINDS, 'same', 'elements']],
  ['union', [KINDS, 'same', 'elements']],
  ['combine', [KINDS, 'same', 'elements']],
  ['ofType', [KINDS, 'same', 'type']],
  ['as', [KINDS, 'same', 'type']],
  ['is', [KINDS, 'boolean', 'type']],
  ['children', [['elements'], 'elements']],
  ['descendants', [['elements'], 'elements']],
  ['resolve', [['elements', 'string'], 'elements']],
  ['extension', [['elements'], 'elements', 'url']],
  ['indexOf', [['string'], 'integer', 'string']],
  ['substring', [['string'], 'string', 'integer', 'integer']],
  ['startsWith', [['string'], 'boolean', 'string']],
  ['endsWith', [['string'], 'boolean', 'string']],
  ['contains', [['string'], 'boolean', 'string']],
  ['upper', [['string'], 'string']],
  ['lower', [['string'], 'string']],
  ['replace', [['string'], 'string', 'string', 'string']],
  ['matches', [['string'], 'boolean', 'pattern']],
  ['matchesFull', [['string'], 'boolean', 'pattern']],
  ['replaceMatches', [['string'], 'string', 'pattern', 'string']],
  ['length', [['string'], 'integer']],
  ['trim', [['string'], 'string']],
  ['encode', [['string'], 'string', 'encoding']],
  ['decode', [['string'], 'string', 'encoding']],
  ['escape', [['string'], 'string', 'escaping']],
  ['unescape', [['string'], 'string', 'escaping']],
  ['toChars', [['string'], 'string']],
  ['split', [['string'], 'string', 'string']],
  ['join', [['string'], 'string', 'string']],
  ['abs', [NUMBERS, 'same']],
  ['ceiling', [NUMBERS, 'integer']],
  ['floor', [NUMBERS, 'integer']],
  ['truncate', [NUMBERS, 'integer']],
  ['exp', [NUMBERS, 'decimal']],
  ['ln', [NUMBERS, 'decimal']],
  ['log', [NUMBERS, 'decimal', 'integer']],
  ['sqrt', [NUMBERS, 'decimal']],
  ['power', [NUMBERS, 'same', 'integer']],
  ['round', [NUMBERS, 'decimal', 'integer']],
  ['toBoolean', [KINDS, 'boolean']],
  ['toInteger', [KINDS, 'integer']],
  ['toDecimal', [KINDS, 'decimal']],
  ['toString', [KINDS, 'string']],
  ['toDate', [KINDS, 'date']],
  ['toDateTime', [KINDS, 'dateTime']],
  ['toTime', [KINDS, 'time']],
  ['toQuantity', [KINDS, 'quantity']],
  ['now', [KINDS, 'dateTime']],
  ['today', [KINDS, 'date']],
  ['timeOfDay', [KINDS, 'time']],
]);

/** Operators by their results, with their operands; those of BINARY_OPERATORS that are missing accept anything. */
const OPERATIONS: Readonly<Partial<Record<Kind, readonly (readonly [Kind, BinaryOperator, Kind])[]>>> = {
  boolean: [
    ...KINDS.flatMap((kind) =>
      (['=', '!=', '~', '!~', '<', '<=', '>', '>=', 'in', 'contains'] as const).map(
        (operator) => [kind, operator, kind] as const,
      ),
    ),
    ...(['and', 'or', 'xor', 'implies', 'and', 'or'] as const).map(
      (operator) => ['boolean', operator, 'boolean'] as const,
    ),
  ],
  string: [
    ['string', '&', 'string'],
    ['string', '+', 'string'],
  ],
  integer: (['+', '-', '*', 'div', 'mod'] as const).map(
    (operator) => ['integer', operator, 'integer'] as const,
  ),
  decimal: (['+', '-', '*', '/', 'div', 'mod'] as const).map(
    (operator) => ['decimal', operator, 'decimal'] as const,
  ),
  date: [
    ['date', '+', 'quantity'],
    ['date', '-', 'quantity'],
  ],
  dateTime: [
    ['dateTime', '+', 'quantity'],
    ['dateTime', '-', 'quantity'],
  ],
  time: [
    ['time', '+', 'quantity'],
    ['time', '-', 'quantity'],
  ],
  quantity: [
    ['quantity', '+', 'quantity'],
    ['quantity', '-', 'quantity'],
  ],
  elements: [['elements', '|', 'elements']],
};

/** Expressions that grow from one iteration to the next, of `$this` or `$total` (`@`) of a kind. */
const GROWTH: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  string: [
    '@ & @', '@ + @', "@.replace('a', 'aa')", "@.replace('', 'ab')", "@.split('').join('ab')", "@.encode('hex')",
    "@.encode('base64')", "@.escape('html') & '<'", "@.escape('json') & '\"'", "@.toChars().join('aa')", "@ & 'a'",
    "@.upper() & 'ß'", '@.toChars()', "@.split('a')", "(@ & '1').toDecimal().toString()",
  ], // prettier-ignore
  integer: ['@ + 1', '@ * 2', '@ * @', '@.power(2)', '(@ | (@ + 1))', '(1 | 2).select($this + 1)'],
  decimal: ['@ + 1.1', '@ * 1.0000001', '@ * @', '@ / 3', '@.power(1.5)', '@.exp()'],
  date: ['@ + 1 day', '@ - 1 month', '@ + 1 year'],
  dateTime: ['@ + 1 second', '@ + 1 millisecond', '@ - 1 month', "@ + 1 'h'"],
  time: ['@ + 1 millisecond', '@ + 1 minute', "@ - 1 's'"],
  quantity: ["@ + 1 'mg'", '@ + @', '@ + 1 day'],
  boolean: ['@.not()', '@ | @.not()'],
  elements: [
    '@.combine(@)', '@ | %context.descendants()', '@.children()', '@.descendants()', '@.combine(%context.descendants())',
    '%context.descendants()', '%resource', '@.children() | @', '@.type()', '@.select(%context.children())',
  ], // prettier-ignore
};

const UNITS = [
  'mg', 'g', 'kg', '1', '%', '[IU]', 'a', 'mo', 'd', 'Cel', '[degF]', '[pH]', 'B[SPL]', '10*99999', 'm99999', '((((((((((m',
  'kg.m2/s2.A/(mol.K)', '{a}{b}{c}', '/////', '....', 'x'.repeat(64), 'x'.repeat(65), '', 'm/s/m/s/m/s/m/s/m/s/m/s/m/s/m',
  '(m.(m.(m.(m.(m.(m.(m.(m.(m.(m))))))))))', '1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1', "\\'", 'dar', 'YmYm', '10^10^10', '-1', '\\u0000',
]; // prettier-ignore
const CALENDAR = ['year', 'months', 'week', 'days', 'hour', 'minutes', 'second', 'milliseconds'];
const DATES = [
  '2020',
  '2020-01',
  '2020-01-01',
  '0001-01-01',
  '9999-12-31',
  '2020-02-29',
  '0000-00-00',
  '2019-02-29',
];
const TIMES = ['00', '10:00', '23:59:59', '23:59:60', '10:00:00.1', `10:00:00.${'1'.repeat(200)}`];
const ZONES = ['', 'Z', '+14:00', '-12:30', '+99:99'];
const TEXTS = [
  '', 'a', 'aa', 'b', ',', 'Patient/a', '#a', 'http://example.org/fhir/Patient/a/_history/1', '2020-01-01', '1', '1.0', '0', 'true',
  "1 \\'mg\\'", '1 day', '<b>&amp;</b>', '😀', 'ß', '\\u0000', '\\n', '%', '10:00:00', `2020-01-01T10:00:00.${'1'.repeat(500)}Z`,
  '<div xmlns="http://www.w3.org/1999/xhtml">a</div>', 'hex', 'base64', '/'.repeat(300), 'A'.repeat(300), 'Aa/'.repeat(100),
]; // prettier-ignore
const PATTERNS = [
  'a', '.*', '(a+)+b', '(a|aa)*b', '(a{1,30}b?){1,10}c', '(a?){30}a{30}', '^a$', '[a-z]*[0-9]*', '((a{1,100}){1,100}){1,100}', '(a{999}){99}',
  '(){9999}', '((){9999}){9999}', '(a|b|c|d)*(e|f|g)*', '[^a]*a[^a]*', '\\\\d+\\\\w*', '(', '[', '*', 'a**', '(?=a)', '\\\\1', '(?<a>b)',
  `[${'abcdefghij'.repeat(40)}]*x`, `(${'[^abcdefghijklmnopqrstuvwxyz]?'.repeat(12)})*$`, `${'('.repeat(60)}a${')'.repeat(60)}`, '\\\\p{L}',
]; // prettier-ignore
const TYPES = [
  'string',
  'Quantity',
  'FHIR.Patient',
  'System.String',
  'System.Integer',
  'HumanName',
  'Nothing',
  'code',
  'Resource',
];
const VARIABLES = ['%context', '%resource', '%rootResource', '%ucum', "%'vs-a'", '%`ext-a`', '%nothing'];

/** The context of a part of an expression. */
interface Surroundings {
  readonly depth: number;
  /** The kind of `$this`. */
  readonly self: Kind;
  /** The kind of `$total`; undefined outside of aggregate(). */
  readonly total?: Kind;
}

export class RandomExpression {
  constructor(
    private readonly random: Random,
    /** Names of elements that the resource may have. */
    private readonly elements: readonly string[],
  ) {}

  /** An expression of up to some hundreds of parts; one in ten is not FHIRPath. */
  next(): string {
    const { random } = this;
    const expression = this.some(random.pick(KINDS), { depth: 1 + random.below(6), self: 'elements' });
    if (random.below(12) === 0) return this.deepen(expression);
    return random.below(10) === 0 ? this.damage(expression) : expression;
  }

  private chance(percent: number): boolean {
    return this.random.below(100) < percent;
  }

  /** An expression that mostly gives values of the kind. */
  private some(kind: Kind, around: Surroundings): string {
    const { random } = this;
    if (around.depth <= 0) return this.leaf(kind, around);
    const inner = { ...around, depth: around.depth - 1 };
    const choice = random.below(100);
    if (choice < 12) return this.leaf(kind, around);
    if (choice < 30) return this.growing(kind, inner);
    if (choice < 45) return this.operation(kind, inner);
    if (choice < 90) return this.call(this.functionFor(kind), kind, inner);
    if (choice < 93) return `(${this.some(kind, inner)})[${this.some('integer', inner)}]`;
    if (choice < 95)
      return `(${this.some(random.pick(KINDS), inner)} ${random.pick(BINARY_OPERATORS)} ${this.some(kind, inner)})`;
    if (choice < 97) return `-${this.some(kind, inner)}`;
    return `(${this.some(kind, inner)} ${random.pick(['is', 'as'])} ${random.pick(TYPES)})`;
  }

  private operation(kind: Kind, inner: Surroundings): string {
    const [left, operator, right] = this.random.pick(OPERATIONS[kind] ?? [[kind, '|', kind]]);
    return `(${this.some(left, inner)} ${operator} ${this.some(right, inner)})`;
  }

  private functionFor(kind: Kind): string {
    const names = Object.keys(FUNCTIONS);
    for (let tries = 0; tries < 8; tries++) {
      const name = this.random.pick(names);
      const signature = SIGNATURES.get(name);
      if (
        signature === undefined ||
        signature[1] === kind ||
        (signature[1] === 'same' && signature[0].includes(kind))
      )
        return name;
    }
    return this.random.pick(names);
  }

  private call(name: string, kind: Kind, inner: Surroundings): string {
    const { random } = this;
    const [least, most] = FUNCTIONS[name] ?? [0, 0];
    const [on, result, ...given] = SIGNATURES.get(name) ?? [KINDS, 'same' as const];
    const onKind = result === 'same' && on.includes(kind) ? kind : random.pick(on);
    const count = this.chance(2) ? random.below(4) : least + random.below(most - least + 1);
    const parts = Array.from({ length: count }, (_, index) => {
      const argument = given[index] ?? random.pick(KINDS);
      return this.argument(
        argument === 'elements' && result === 'same' ? onKind : argument,
        name,
        onKind,
        inner,
      );
    });
    const call = `${name}(${parts.join(', ')})`;
    // In a where() or select() a function may be called on the focus.
    return this.chance(8) ? call : `${this.some(onKind, inner)}.${call}`;
  }

  private argument(argument: Argument, name: string, onKind: Kind, inner: Surroundings): string {
    const { random } = this;
    const within: Surroundings = {
      ...inner,
      self: onKind,
      ...(name === 'aggregate' && { total: onKind }),
    };
    switch (argument) {
      case 'criterion':
        return this.some('boolean', within);
      case 'projection':
        return this.chance(50) ? this.growth(onKind, name, within) : this.some(onKind, within);
      case 'type':
        return random.pick(TYPES);
      case 'pattern':
        return this.chance(90) ? quoted(random.pick(PATTERNS)) : this.some('string', inner);
      case 'url':
        return this.chance(90) ? quoted('http://example.org/a') : this.some('string', inner);
      case 'encoding':
        return quoted(random.pick(['hex', 'base64', 'urlbase64', 'other']));
      case 'escaping':
        return quoted(random.pick(['html', 'json', 'other']));
      default:
        return this.some(argument, inner);
    }
  }

  /** Repetitions and sums, so that the value grows each time. */
  private growing(kind: Kind, inner: Surroundings): string {
    const name = this.random.pick(['repeat', 'repeat', 'aggregate', 'select', 'where', 'all']);
    const start = this.chance(20)
      ? this.large(kind)
      : this.some(kind, { ...inner, depth: Math.min(1, inner.depth) });
    const within: Surroundings = { ...inner, self: kind };
    if (name === 'where' || name === 'all') return `(${start}).${name}(${this.some('boolean', within)})`;
    if (name !== 'aggregate') return `(${start}).${name}(${this.growth(kind, name, within)})`;
    const over = this.some('elements', { ...inner, depth: 1 });
    return `(${over}).aggregate(${this.growth(kind, name, { ...within, self: 'elements', total: kind })}, ${start})`;
  }

  private growth(kind: Kind, name: string, around: Surroundings): string {
    const { random } = this;
    const value = name === 'aggregate' ? '$total' : '$this';
    if (this.chance(name === 'aggregate' ? 40 : 5)) {
      // The same again, after something that costs.
      const criterion = this.some('boolean', { ...around, self: kind });
      return `${value}.where(${criterion}${random.pick([' or true', ''])})`;
    }
    const growth = random.pick(GROWTH[kind] ?? ['@']).replaceAll('@', value);
    if (kind === 'string' && this.chance(40))
      return `iif(${value}.length() < ${random.pick([100, 10_000, 500_000, 1_000_000])}, ${growth})`;
    return this.chance(20) ? `(${growth} | ${this.some(kind, { ...around, depth: 1 })})` : growth;
  }

  private leaf(kind: Kind, { self, total }: Surroundings): string {
    const { random } = this;
    if (total === kind && this.chance(50)) return '$total';
    if (self === kind && this.chance(45)) return '$this';
    if (kind === 'integer' && this.chance(15)) return '$index';
    if (this.chance(6)) return this.large(kind);
    if (this.chance(5)) return random.pick(['{}', '$this', '$total', '$index', ...VARIABLES]);
    if (kind !== 'elements' && this.chance(85)) return this.literal(kind);
    const start = this.chance(35) ? `${random.pick(VARIABLES.slice(0, 3))}.` : '';
    const names = Array.from({ length: 1 + random.below(3) }, () => this.element());
    return start + names.join('.');
  }

  /** A long text, a number of many digits, or a collection of many values. */
  private large(kind: Kind): string {
    const { random } = this;
    const length = random.pick([1_000, 60_000, 250_000, 500_000]);
    const long = (part: string): string =>
      `('${part}').repeat(iif($this.length() < ${length}, $this & $this)).last()`;
    switch (kind) {
      case 'integer':
        return random.pick([`${long('1')}.toInteger()`, `${long('1')}.length()`]);
      case 'decimal':
        return `('1.' & ${long('1')}).toDecimal()`;
      case 'date':
        return `(@2000-01-01).repeat(iif($this < @2030-01-01, $this + 1 day))`;
      case 'dateTime':
        return `('2020-01-01T00:00:00.' & ${long('1')}).toDateTime()`;
      case 'time':
        return `('10:00:00.' & ${long('1')}).toTime()`;
      case 'quantity':
        return random.pick([
          `('1' & ${long(' ')} & 'mg').toQuantity()`,
          `('1 \\'' & ${long('m')} & '\\'').toQuantity()`,
          `(1 'mg').repeat(iif($this < 5000 'mg', $this + 1 'mg'))`,
        ]);
      case 'elements':
        return random.pick([
          'descendants()',
          '%resource.descendants()',
          '%context.repeat(children())',
          `${long('a')}.toChars()`,
          `${long('a,')}.split(',')`,
        ]);
      default:
        return long(
          random.pick([
            'a',
            '1',
            ' ',
            '/',
            'A',
            '/A',
            'Aa/',
            '<',
            '&amp;',
            '"',
            '\\\\',
            'ß',
            '😀',
            'a,',
            '\\n',
          ]),
        );
    }
  }

  private element(): string {
    const name = this.random.pick(this.elements);
    if (this.chance(3)) return `\`${name}\``;
    return this.chance(10) ? this.random.pick(['children()', 'descendants()', 'id', 'Nothing']) : name;
  }

  private literal(kind: Kind): string {
    const { random } = this;
    const date = random.pick(DATES);
    switch (kind) {
      case 'boolean':
        return random.pick(['true', 'false']);
      case 'string':
        return quoted(this.chance(5) ? random.pick(TEXTS).repeat(1 + random.below(3)) : random.pick(TEXTS));
      case 'integer':
        return random.pick(['0', '1', '2', '7', '100', '2147483647', '9'.repeat(20), '9'.repeat(401), '00']);
      case 'decimal':
        return random.pick([
          '0.0',
          '1.5',
          '1.00',
          `0.${'0'.repeat(390)}1`,
          `${'9'.repeat(200)}.${'9'.repeat(199)}`,
          `1.${'3'.repeat(500)}`,
        ]);
      case 'date':
        return `@${date}`;
      case 'dateTime':
        return `@${date}T${this.chance(80) ? random.pick(TIMES) + random.pick(ZONES) : ''}`;
      case 'time':
        return `@T${random.pick(TIMES)}`;
      case 'quantity': {
        const number = this.chance(80) ? String(random.below(2_000)) : this.literal('decimal');
        return this.chance(40)
          ? `${number} ${random.pick(CALENDAR)}`
          : `${number} ${quoted(random.pick(UNITS))}`;
      }
      default:
        return this.element();
    }
  }

  /** The same part in itself, or in a row, again and again. */
  private deepen(expression: string): string {
    const { random } = this;
    const times = random.pick([3, 30, 120, 240, 400, 3_000]);
    switch (random.below(8)) {
      case 0:
        return `${'('.repeat(times)}${expression}${')'.repeat(times)}`;
      case 1:
        return `${'-'.repeat(times)}${expression}`;
      case 2:
        return `${expression}${'.not()'.repeat(times)}`;
      case 3:
        return Array.from({ length: times }, () => expression).join(
          random.pick([' | ', ' & ', ' and ', ' = ']),
        );
      case 4:
        return `${'iif(true, '.repeat(times)}${expression}${')'.repeat(times)}`;
      case 5:
        return `${expression}${'.children()'.repeat(times)}`;
      case 6:
        return `${expression}${'[0]'.repeat(times)}`;
      default:
        return `${'where('.repeat(times)}${expression}${')'.repeat(times)}`;
    }
  }

  /** Characters that are left out, doubled, moved or foreign. */
  private damage(expression: string): string {
    const { random } = this;
    const at = random.below(expression.length + 1);
    const end = Math.min(expression.length, at + 1 + random.below(8));
    const cut = expression.slice(at, end);
    const inserted = random.pick([
      '', cut + cut, "'", '`', '/*', '//', '\\', '(', ')', '[', '{', '}', '%', '$', '@', '@T', '\u0000', '\ud800', '😀', '/*'.repeat(2_000),
      ' '.repeat(5_000), '1'.repeat(5_000), 'a'.repeat(5_000), "'".repeat(101), '.', ',', '&&', '==', '$this$this', ' div ', ' is ',
    ]); // prettier-ignore
    return expression.slice(0, at) + inserted + expression.slice(this.chance(50) ? end : at);
  }
}

function quoted(text: string): string {
  return `'${text}'`;
}
