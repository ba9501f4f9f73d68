/** Anything that is wrong with a FHIRPath expression or, in strict mode, with its evaluation. */
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

/** The text is FHIRPath, but uses something that this compiler does not know. */
export class UnsupportedPathError extends PathError {
  constructor(
    /** What is not known: `memberOf()`, `%unknown`. */
    readonly construct: string,
    position?: number,
  ) {
    super(`${construct} is not supported`, position);
  }
}

/** Strict mode: the expression cannot be meant for the type that it is compiled for. */
export class PathTypeError extends PathError {}

/** Strict mode: an element is named as in JSON, `valueDateTime`, where FHIRPath says `value.ofType(dateTime)`. */
export class JsonNameError extends PathTypeError {}

/** Strict mode: the values do not fit the operator or function. */
export class PathEvaluationError extends PathError {}

/** The evaluation costs more than it may: values, characters, comparisons, time or memory. */
export class PathBudgetError extends PathError {}
