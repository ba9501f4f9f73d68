/** A search that the rules refuse: 400. */
export class BadSearch extends Error {}

/** A search whose answer depends on a moment or a rounding that the rules do not define: it is not sent. */
export class Unclear extends Error {}
