/** The 64-bit key of a resource as its signed upper and lower 32 bits. */
export interface KeyHalves {
  readonly high: number;
  readonly low: number;
}
