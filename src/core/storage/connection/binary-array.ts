/**
 * PostgreSQL arrays in the binary format of the wire protocol (array_send in utils/adt/arrayfuncs.c). pg binds a Buffer
 * as a binary parameter. Binary rows need no text formatting, no escaping and no BigInt: a 64-bit value is written as
 * two halves.
 */
const OIDS = { bytea: 17, int8: 20, int2: 21, int4: 23, text: 25, float8: 701 } as const;
type ElementType = keyof typeof OIDS;

const HEADER_BYTES = 20;

export class BinaryArray {
  private buffer: Buffer;
  private view: DataView;
  private position = HEADER_BYTES;
  private hasNull = 0;
  length = 0;

  constructor(
    private readonly type: ElementType,
    initialBytes = 512,
  ) {
    this.buffer = Buffer.allocUnsafe(initialBytes);
    this.view = viewOf(this.buffer);
  }

  private reserve(bytes: number): void {
    if (this.position + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.position + bytes));
    this.buffer.copy(larger, 0, 0, this.position);
    this.buffer = larger;
    this.view = viewOf(larger);
  }

  pushNull(): void {
    this.reserve(4);
    this.position = this.buffer.writeInt32BE(-1, this.position);
    this.hasNull = 1;
    this.length++;
  }

  pushInt2(value: number): void {
    if ((value << 16) >> 16 !== value) throw new RangeError(`${value} is no int2`);
    this.reserve(6);
    this.view.setInt32(this.position, 2);
    this.view.setInt16(this.position + 4, value);
    this.position += 6;
    this.length++;
  }

  pushInt4(value: number): void {
    if ((value | 0) !== value) throw new RangeError(`${value} is no int4`);
    this.reserve(8);
    this.view.setInt32(this.position, 4);
    this.view.setInt32(this.position + 4, value);
    this.position += 8;
    this.length++;
  }

  /** A 64-bit integer from its signed upper and lower 32 bits. */
  pushInt8(high: number, low: number): void {
    this.reserve(12);
    this.view.setInt32(this.position, 8);
    this.view.setInt32(this.position + 4, high);
    this.view.setInt32(this.position + 8, low);
    this.position += 12;
    this.length++;
  }

  /** A whole number within ±2^53. */
  pushWhole(value: number): void {
    const high = Math.floor(value / 4294967296);
    this.pushInt8(high, value - high * 4294967296);
  }

  pushFloat8(value: number): void {
    this.reserve(12);
    this.view.setInt32(this.position, 8);
    this.view.setFloat64(this.position + 4, value);
    this.position += 12;
    this.length++;
  }

  pushText(value: string | null): void {
    if (value === null) return this.pushNull();
    // Three bytes a UTF-16 unit is the most that UTF-8 needs.
    this.reserve(4 + value.length * 3);
    const bytes = this.buffer.write(value, this.position + 4, 'utf8');
    this.buffer.writeInt32BE(bytes, this.position);
    this.position += 4 + bytes;
    this.length++;
  }

  pushBytes(value: Uint8Array): void {
    this.reserve(4 + value.length);
    this.position = this.buffer.writeInt32BE(value.length, this.position);
    this.buffer.set(value, this.position);
    this.position += value.length;
    this.length++;
  }

  /** The finished array; nothing may be pushed afterwards. */
  finish(): Buffer {
    const { buffer } = this;
    buffer.writeInt32BE(this.length === 0 ? 0 : 1, 0);
    buffer.writeInt32BE(this.hasNull, 4);
    buffer.writeInt32BE(OIDS[this.type], 8);
    if (this.length === 0) return buffer.subarray(0, 12);
    buffer.writeInt32BE(this.length, 12);
    buffer.writeInt32BE(1, 16);
    return buffer.subarray(0, this.position);
  }
}

/** A DataView of a Buffer; it writes numbers several times as fast as the Buffer. */
function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Decodes a `BinaryArray` of whole numbers; 64-bit numbers become texts. */
export function decodeArray(array: Buffer): (string | number | null)[] {
  if (array.readInt32BE(0) === 0) return [];
  const elements: (string | number | null)[] = [];
  const type = array.readInt32BE(8);
  for (let position = HEADER_BYTES; position < array.length;) {
    const bytes = array.readInt32BE(position);
    position += 4;
    elements.push(bytes < 0 ? null : decodeElement(array, position, type));
    position += Math.max(0, bytes);
  }
  return elements;
}

function decodeElement(array: Buffer, position: number, type: number): string | number {
  switch (type) {
    case OIDS.int2:
      return array.readInt16BE(position);
    case OIDS.int4:
      return array.readInt32BE(position);
    case OIDS.int8:
      return array.readBigInt64BE(position).toString();
    default:
      throw new Error('only arrays of whole numbers are read again');
  }
}
