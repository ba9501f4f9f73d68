/** Signed upper and lower 32 bits of the 64-bit key of a resource. */
export interface KeyHalves {
  readonly high: number;
  readonly low: number;
}
