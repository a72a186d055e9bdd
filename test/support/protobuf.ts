/** A field of a protobuf message: a number, or bytes (a text, or a message). */
export interface Field {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** The fields of a message, in their order. It knows no schema. @throws Error if the bytes are none */
export function fieldsOf(bytes: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) throw new Error('a number does not end');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const taken = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('a field does not end');
    return bytes.subarray(at, (at += length));
  };
  while (at < bytes.length) {
    const tag = varint();
    const [number, wire] = [Number(tag >> 3n), Number(tag & 7n)];
    if (wire === 0) fields.push({ number, value: varint() });
    else if (wire === 1) fields.push({ number, value: taken(8).readBigUInt64LE() });
    else if (wire === 2) fields.push({ number, value: taken(Number(varint())) });
    else if (wire === 5) fields.push({ number, value: BigInt(taken(4).readUInt32LE()) });
    else throw new Error(`a field has the unknown wire type ${wire}`);
  }
  return fields;
}

/** Empty for an absent field. */
export function textOf(field: Field | undefined): string {
  return field?.value instanceof Buffer ? field.value.toString() : '';
}

/** Empty for an absent field. */
export function hexOf(field: Field | undefined): string {
  return field?.value instanceof Buffer ? field.value.toString('hex') : '';
}

/** 0 for an absent field. */
export function numberOf(field: Field | undefined): bigint {
  return typeof field?.value === 'bigint' ? field.value : 0n;
}
