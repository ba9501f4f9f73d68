import type { Kind } from './kinds';

/** A setting. */
export interface Row<Value> {
  /** Name of the environment variable. */
  readonly variable: string;
  readonly kind: Kind<Value>;
  /** The value if the variable is unset or empty. */
  readonly default: Value;
  /** The description of the default, if it is not the value. */
  readonly defaultText?: string;
  readonly help: string;
  /** True: the value is never printed. */
  readonly secret?: boolean;
  /** True: an empty value is a value and not the default. */
  readonly emptyCounts?: boolean;
}

export function row<Value>(
  variable: string,
  kind: Kind<Value>,
  defaultValue: Value,
  help: string,
): Row<Value> {
  return { variable, kind, default: defaultValue, help };
}

/** A row whose value may be absent. */
export function optional<Value>(variable: string, kind: Kind<Value>, help: string): Row<Value | undefined> {
  return {
    variable,
    kind: {
      expects: kind.expects,
      parse: (written) => kind.parse(written),
      print: (value) => (value === undefined ? '' : kind.print(value)),
    },
    default: undefined,
    help,
  };
}
