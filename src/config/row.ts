import type { Kind } from './kinds';

/** A setting. */
export interface Row<Value> {
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
  kind: Kind<Value>,
  defaultValue: Value,
  help: string,
  more: Pick<Row<Value>, 'defaultText' | 'secret' | 'emptyCounts'> = {},
): Row<Value> {
  return { kind, default: defaultValue, help, ...more };
}

/** A row whose value may be absent. */
export function optional<Value>(
  kind: Kind<Value>,
  help: string,
  more: Pick<Row<Value>, 'defaultText' | 'secret'> = {},
): Row<Value | undefined> {
  return {
    kind: {
      expects: kind.expects,
      parse: (written) => kind.parse(written),
      print: (value) => (value === undefined ? '' : kind.print(value)),
    },
    default: undefined,
    help,
    ...more,
  };
}
