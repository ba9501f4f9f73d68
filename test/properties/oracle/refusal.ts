/** A search that the rules refuse: 400. */
export class BadSearch extends Error {}

/** A search whose answer hangs on a moment or a rounding that the rules leave open: not asked. */
export class Unclear extends Error {}
