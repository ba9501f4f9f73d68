/** Any error of a FHIRPath expression or, in strict mode, of its evaluation. */
export class PathError extends Error {
  constructor(
    message: string,
    /** Offset in the expression, in UTF-16 units from 0; undefined for an evaluation. */
    readonly position?: number,
  ) {
    super(position === undefined ? message : `${message} (at ${position})`);
    this.name = new.target.name;
  }
}

/** The text is not FHIRPath. */
export class PathSyntaxError extends PathError {}

/** The text is FHIRPath, but uses a feature that this compiler does not support. */
export class UnsupportedPathError extends PathError {
  constructor(
    /** The unsupported feature: `memberOf()`, `%unknown`. */
    readonly construct: string,
    position?: number,
  ) {
    super(`${construct} is not supported`, position);
  }
}

/** Strict mode: the expression does not fit the type that it is compiled for. */
export class PathTypeError extends PathError {}

/** Strict mode: an element has its JSON name, `valueDateTime`, where FHIRPath requires `value.ofType(dateTime)`. */
export class JsonNameError extends PathTypeError {}

/** Strict mode: the values do not fit the operator or function. */
export class PathEvaluationError extends PathError {}

/** The evaluation exceeds its budget of values, characters, comparisons, time or memory. */
export class PathBudgetError extends PathError {}

/** The terminology does not know the value set of memberOf(), or has not answered yet. */
export class UnknownMembershipError extends PathError {}
