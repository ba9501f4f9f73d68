/** The syntax tree of FHIRPath (N1, normative 2.0; http://hl7.org/fhirpath/N1/grammar.html). */
export type SystemType =
  'Boolean' | 'String' | 'Integer' | 'Decimal' | 'Date' | 'DateTime' | 'Time' | 'Quantity';

export type PathSyntax =
  | LiteralSyntax
  | { readonly kind: 'empty'; readonly position: number }
  | { readonly kind: 'this' | 'index' | 'total'; readonly position: number }
  | { readonly kind: 'variable'; readonly name: string; readonly position: number }
  | MemberSyntax
  | CallSyntax
  | {
      readonly kind: 'indexer';
      readonly on: PathSyntax;
      readonly index: PathSyntax;
      readonly position: number;
    }
  | {
      readonly kind: 'polarity';
      readonly operator: '+' | '-';
      readonly operand: PathSyntax;
      readonly position: number;
    }
  | BinarySyntax
  | TypeSyntax;

/** `text` has the characters of the literal: digits, a date without `@`, a string without quotes and escapes. */
export interface LiteralSyntax {
  readonly kind: 'literal';
  readonly type: SystemType;
  readonly text: string;
  /** Unit of a Quantity: the UCUM code, or the calendar word if `isCalendar`. */
  readonly unit?: string;
  readonly isCalendar?: boolean;
  readonly position: number;
}

export interface MemberSyntax {
  readonly kind: 'member';
  /** Undefined: a member of the focus. */
  readonly on?: PathSyntax;
  readonly name: string;
  readonly position: number;
}

export interface CallSyntax {
  readonly kind: 'call';
  readonly on?: PathSyntax;
  readonly name: string;
  readonly arguments: readonly PathSyntax[];
  readonly position: number;
}

export interface BinarySyntax {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: PathSyntax;
  readonly right: PathSyntax;
  readonly position: number;
}

export interface TypeSyntax {
  readonly kind: 'type';
  readonly operator: 'is' | 'as';
  readonly operand: PathSyntax;
  /** `Quantity`, `FHIR.Quantity`, `System.Boolean` */
  readonly typeName: string;
  readonly position: number;
}

export const BINARY_OPERATORS = [
  'implies',
  'or',
  'xor',
  'and',
  'in',
  'contains',
  '=',
  '~',
  '!=',
  '!~',
  '<',
  '<=',
  '>',
  '>=',
  '|',
  '+',
  '-',
  '&',
  '*',
  '/',
  'div',
  'mod',
] as const;
export type BinaryOperator = (typeof BINARY_OPERATORS)[number];
